"""Converters, OCR engines, and the pictures and texts of pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from citeloom.application.limits import DOCUMENT_LIMITS, DocumentLimits
from citeloom.domain.documents.conversion import Box, ConversionResult

if TYPE_CHECKING:
    from citeloom.application.ports.runtime import EmitEvent
    from citeloom.domain.chunks.chunk import Rect
    from citeloom.domain.evaluation.line_order import PrintedPage
    from citeloom.domain.policies import OcrOptions

KINDS_READ = "PDF, Word, PowerPoint, EPUB, HTML, Markdown and plain text in UTF-8 are read."


# The converter, which turns a source file into structured text.

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

        A plain page stands for the next one: the parser works ahead. With `rest`, no time is left
        for the pages after it. With it, or after `MOST_FAILURES`, all further pages are plain;
        where they are and time is short once more, half of those before them are, too. Where all
        of them are, the page is lost, and by the same rule all further ones.
        """
        blamed = page
        while blamed in self.numbers:
            blamed += 1
        if self.first is not None and blamed >= self.first:
            if rest and self.first > 1:
                return replace(self, first=(self.first + 1) // 2)
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
class SourceFile:
    """A file to convert. `doc_id` derives from `content_hash`, the SHA-256 of its bytes.

    `ocr` names the languages for OCR; without it, image pages are not read. With `ignore_cache` the
    file is converted even if its conversion is cached. Of `plain_pages`, on which an earlier
    attempt failed, only the text is read, or nothing.
    """

    path: Path
    doc_id: str
    content_hash: str
    ocr: OcrOptions | None = None
    ignore_cache: bool = False
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

    @abstractmethod
    def version_of(self, suffix: str) -> str:
        """The engine for files with that suffix, its version and its options: everything that can
        change a result.
        """

    @property
    @abstractmethod
    def suffixes(self) -> frozenset[str]:
        """The file suffixes it reads, lower case with the dot."""

    @abstractmethod
    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        """Convert a file, and report each page to `emit` as it starts.

        Raises `SourceChanged` if its bytes do not have the source's `content_hash`, and
        `UnreadableDocument`, `EncryptedDocument`, `EmptyDocument` or `UnsupportedFormat` if it
        cannot be converted.
        """

    def cached_result(self, _source: SourceFile, /) -> ConversionResult | None:
        """The result of the source, if it is cached; never converts."""
        return None


# What reads the files of one kind.


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverterOptions:
    """What the settings say of conversions; each converter takes of it what it needs.

    `windows` is the folder for the finished pages of long PDFs, if they are kept. The first of the
    `engines` that reads most of the requested languages reads the images of pages. With
    `layout_weights`, a folder, Docling's models find the layout of PDFs.
    """

    limits: DocumentLimits = DOCUMENT_LIMITS
    windows: Path | None = None
    engines: tuple[OcrEngine, ...] = ()
    layout_weights: Path | None = None


DEFAULT_OPTIONS = ConverterOptions()


class FileConverter(ABC):
    """Converts files of one kind, one at a time and in this process."""

    def __init__(self, options: ConverterOptions = DEFAULT_OPTIONS) -> None:
        self._options = options

    @abstractmethod
    def convert(self, source: SourceFile, emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        """What the file says; `emit` gets `PageBegun` and `ImageBegun` as work on a page begins,
        page 0 for work that belongs to none. Raises a `CiteloomError` for a file that cannot be
        converted.
        """


# The OCR engine, which turns the image of a page into lines of text.

_POINTS = 72.0  # an inch


class OcrFailure(Exception):
    """OCR of an image failed; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A greyscale page image: one byte per pixel, row by row from the top left corner."""

    width: int
    height: int
    pixels: bytes
    dpi: int

    def __post_init__(self) -> None:
        if len(self.pixels) != self.width * self.height:
            raise ValueError(f"{len(self.pixels)} pixels are not {self.width} x {self.height}")

    def box(self, left: float, top: float, right: float, bottom: float) -> Box:
        """A rectangle of pixels as a box in points, clipped to the image."""
        scale = _POINTS / self.dpi
        return Box(
            left=scale * max(0.0, left),
            top=scale * max(0.0, top),
            right=scale * min(float(self.width), right),
            bottom=scale * min(float(self.height), bottom),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OcrLine:
    """A line of text, or the part of a line before a wide gap.

    The box is in points from the image's top left corner, `size` the size of its font in points,
    `confidence` the engine's own, from 0 to 1. `unsure` are the words that the engine is likely to
    have misread, where it says so of words.
    """

    text: str
    box: Box
    size: float
    confidence: float
    unsure: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a line must have text")
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"confidence must lie in 0..1, not {self.confidence}")


class OcrEngine(Protocol):
    """Reads images of pages.

    Guarantees: the same image, languages and `version` give the same lines; an image without text
    gives none. An unused engine can be pickled; models are loaded with the first image.
    """

    @property
    @abstractmethod
    def version(self) -> str:
        """The engine and its version: everything that can change the lines."""

    @abstractmethod
    def readable(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """The languages (BCP 47 tags) that are installed here, in the given order."""

    @abstractmethod
    def read(self, image: PageImage, languages: tuple[str, ...]) -> tuple[OcrLine, ...]:
        """The lines of the image; all languages must be `readable`. Raises `OcrFailure`."""


# The choice of an OCR engine and its languages.


@dataclass(frozen=True, slots=True)
class OcrChoice:
    """An OCR engine and the languages it reads in."""

    engine: OcrEngine
    languages: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        """Changes whenever the recognised text can change."""
        return f"{self.engine.version}:{'+'.join(self.languages)}"


READ_AGAIN = ":again"
"""Ends the fingerprint of OCR that reads scans with a text of their own, too."""


def choose_engine(engines: Sequence[OcrEngine], requested: OcrOptions | None) -> OcrChoice | None:
    """The engine that reads most of the wanted languages; the first one if several do.

    None if OCR is off, or no engine reads any of the languages.
    """
    if requested is None:
        return None
    choices = [OcrChoice(engine, engine.readable(requested.languages)) for engine in engines]
    best = max(choices, key=lambda choice: len(choice.languages), default=None)
    return best if best is not None and best.languages else None


def ocr_fingerprint(engines: Sequence[OcrEngine], requested: OcrOptions | None) -> str:
    """Engine and languages; changes whenever the recognised text can change."""
    choice = choose_engine(engines, requested)
    if requested is None or choice is None:
        return "off" if requested is None else "none"
    return f"{choice.fingerprint}{READ_AGAIN if requested.again else ''}"


# Images of a document's pages, as a port.


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGeometry:
    """The size of a page in points as it is drawn, and what was looked for on it: the lines of
    words, empty where they are not on it, and the box of each rectangle of the file.
    """

    width: float
    height: float
    words: tuple[Box, ...] = ()
    rectangles: tuple[Box, ...] = ()


class PageImages(Protocol):
    """Draws pages as a reader of the document shows them, cropped and turned. Thread-safe."""

    @abstractmethod
    def draw(
        self, path: Path, page: int, boxes: Sequence[Box], *, scale: float, words: str = ""
    ) -> bytes:
        """A page, counted from 1, as PNG, with `boxes` on it highlighted, or of these only the
        `words`, where they are found. A point is `scale` pixels, or fewer where the page is very
        large.

        Raises `NotFound` for a page that there is not, `UnsupportedFormat` for a file that has no
        fixed pages, `EncryptedDocument` and `UnreadableDocument` for one that cannot be opened.
        """

    @abstractmethod
    def geometry(
        self,
        path: Path,
        page: int,
        *,
        words: str = "",
        within: Sequence[Box] = (),
        rectangles: Sequence[Rect] = (),
    ) -> PageGeometry:
        """The size of a page, counted from 1, where the `words` stand on it, `within` boxes if
        there are any, and where `rectangles` of the file are. Words are found where nearly all of
        their letters are. Raises as `draw`.
        """


# The raw text of a document's pages, from a reader independent of the converter.


class PageTexts(Protocol):
    """Reads all text of each page, running heads and figures included, and its lines in the order
    of the page's tags, or else of its drawing.
    """

    @abstractmethod
    def pages(self, path: Path) -> Sequence[PrintedPage]:
        """Every page, the first page first; the text of one that has none is empty.

        Raises `UnsupportedFormat` for a file that has no fixed pages, `EncryptedDocument` and
        `UnreadableDocument` for one that cannot be opened.
        """
