"""The converter, which turns a source file into structured text."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.executor import Tell
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions

MOST_FAILURES = 3
"""Pages of one document that may fail one by one, before all further ones are read plainly."""


@dataclass(frozen=True, slots=True)
class PlainPages:
    """Pages to read without layout analysis: those in `numbers`, and all from `first` on."""

    numbers: frozenset[int] = frozenset()
    first: int | None = None

    def __contains__(self, page: int) -> bool:
        return page in self.numbers or (self.first is not None and page >= self.first)

    def after_failure(self, page: int, *, rest: bool) -> PlainPages | None:
        """The pages once the work failed at `page`; None if it was a plain page without another
        to blame.

        A plain page stands for the next one: the parser works ahead. With `rest`, or after
        `MOST_FAILURES`, all further pages are plain.
        """
        while page in self.numbers:
            page += 1
        if self.first is not None and page >= self.first:
            return None
        if rest or len(self.numbers) + 1 >= MOST_FAILURES:
            return PlainPages(self.numbers, page)
        return PlainPages(self.numbers | {page})


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to convert. `doc_id` derives from `content_hash`, the SHA-256 of its bytes.

    `ocr` names the languages for OCR; without it, image pages are not read. With `afresh` the file
    is converted even if its conversion is cached. Only the text is read of `plain_pages`, on which
    an earlier attempt failed.
    """

    path: Path
    doc_id: str
    content_hash: str
    ocr: OcrOptions | None = None
    afresh: bool = False
    plain_pages: PlainPages = PlainPages()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """The result of a conversion; `cached` if it comes from an earlier one."""

    result: ConversionResult
    cached: bool = False


class DocumentConverter(Protocol):
    """Converts one file at a time to a `ConversionResult`.

    Guarantees: the result is made from bytes with the source's `content_hash`, and is the same for
    the same bytes, kind of file, `ocr`, `plain_pages` and `version_of` that kind.
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
