"""The converter, which turns a source file into structured text."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.executor import Tell
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to convert. `doc_id` derives from `content_hash`, the SHA-256 of its bytes.

    `ocr` names the languages for OCR; without it, image pages are not read. With `afresh` the file
    is converted even if its conversion is cached.
    """

    path: Path
    doc_id: str
    content_hash: str
    ocr: OcrOptions | None = None
    afresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The result of a conversion; `cached` if it comes from an earlier one."""

    result: ConversionResult
    cached: bool = False


class DocumentConverter(Protocol):
    """Converts one file at a time to a `ConversionResult`.

    Guarantees: the result is made from bytes with the source's `content_hash`, and is the same for
    the same bytes, kind of file, `ocr` and `version_of` that kind.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """The engine, its version and its options: everything that can change a result."""
        ...

    @abstractmethod
    def version_of(self, suffix: str) -> str:
        """The version for files with that suffix, which may change without the others."""
        ...

    @property
    @abstractmethod
    def suffixes(self) -> frozenset[str]:
        """The file suffixes it reads, lower case with the dot."""
        ...

    @abstractmethod
    def convert(self, source: Source, tell: Tell) -> Conversion:
        """Convert a file, and report each page to `tell` as it starts.

        Raises `SourceChanged` if its bytes do not have the source's `content_hash`, and
        `UnreadableDocument`, `EncryptedDocument`, `EmptyDocument` or `UnsupportedFormat` if it
        cannot be converted.
        """
        ...
