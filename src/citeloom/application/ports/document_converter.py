"""The port through which source files become text with structure."""

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

    `ocr` says in which languages pages that are images are read; without it they are not. One
    that is wanted `afresh` is converted although its conversion may be kept.
    """

    path: Path
    doc_id: str
    content_hash: str
    ocr: OcrOptions | None = None
    afresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """What a file says; `cached` where that was known from an earlier conversion."""

    result: ConversionResult
    cached: bool = False


class DocumentConverter(Protocol):
    """Converts one file at a time to a `ConversionResult`.

    Guarantees: the result is that of the very bytes the source is named by, and the same for the
    same bytes and `ocr` under the same `version`.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """Names the engine, its version and its options: whatever may change a result."""
        ...

    @property
    @abstractmethod
    def suffixes(self) -> frozenset[str]:
        """The file suffixes it reads, lower case with the dot."""
        ...

    @abstractmethod
    def convert(self, source: Source, tell: Tell) -> Conversion:
        """Convert a file, and tell of each page as it begins.

        Raises `SourceChanged` when its bytes are others than the source says, and
        `UnreadableDocument`, `EncryptedDocument`, `EmptyDocument` or `UnsupportedFormat` for one
        that cannot be converted.
        """
        ...
