"""The converter, which turns a source file into structured text."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.executor import Tell
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions

MOST_FAILURES = 3
"""Pages of one document that may fail one by one, before all further ones are read plainly."""


@dataclass(frozen=True, slots=True)
class PlainPages:
    """Pages to read without layout analysis: those in `numbers`, and all from `first` on.

    Not even their text is read of `lost` pages and all from `lost_from` on: these are left empty.
    """

    numbers: frozenset[int] = frozenset()
    first: int | None = None
    lost: frozenset[int] = frozenset()
    lost_from: int | None = None

    def __contains__(self, page: int) -> bool:
        return page in self.numbers or _is_from(self.first, page)

    def is_lost(self, page: int) -> bool:
        """Whether the page failed as a plain page, too."""
        return page in self.lost or _is_from(self.lost_from, page)

    def after_failure(self, page: int, *, rest: bool) -> PlainPages | None:
        """The pages once the work failed at `page`; None if that was a lost page.

        A plain page stands for the next one: the parser works ahead. With `rest`, or after
        `MOST_FAILURES`, all further pages are plain. Where all of them are, the page is lost, and
        by the same rule all further ones.
        """
        blamed = page
        while blamed in self.numbers:
            blamed += 1
        if _is_from(self.first, blamed):
            return self._without(page, rest=rest)
        if rest or len(self.numbers) + 1 >= MOST_FAILURES:
            return replace(self, first=blamed)
        return replace(self, numbers=self.numbers | {blamed})

    def _without(self, page: int, *, rest: bool) -> PlainPages | None:
        if self.is_lost(page):
            return None
        if rest or len(self.lost) + 1 >= MOST_FAILURES:
            return replace(self, lost_from=page)
        return replace(self, lost=self.lost | {page})


def _is_from(first: int | None, page: int) -> bool:
    return first is not None and page >= first


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to convert. `doc_id` derives from `content_hash`, the SHA-256 of its bytes.

    `ocr` names the languages for OCR; without it, image pages are not read. With `afresh` the file
    is converted even if its conversion is cached. Of `plain_pages`, on which an earlier attempt
    failed, only the text is read, or nothing.
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
