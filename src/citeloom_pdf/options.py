"""What a caller may choose, and the pictures of pages that an OCR engine reads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citeloom_pdf.elements.text import is_in_no_list

if TYPE_CHECKING:
    from citeloom_pdf.parsing.opened_pages import OpenedPage
    from citeloom_pdf.parsing.windows import KeptWindows


class PdfUnreadable(Exception):
    """PDFium could not open the file; its own error is the cause."""


class ImageUnreadable(Exception):
    """A page's image could not be read; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A greyscale image of a page: one byte per pixel, row by row from the top left corner."""

    width: int
    height: int
    pixels: bytes
    dpi: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedLine:
    """A line of text in an image, with its box (left, top, right, bottom) and size in points from
    the top left corner, and the engine's confidence from 0 to 1; `unsure` are the words that it is
    likely to have misread.
    """

    text: str
    box: tuple[float, float, float, float]
    size: float
    confidence: float
    unsure: tuple[str, ...] = ()


class ImageReader(Protocol):
    """Reads pages that are images."""

    @abstractmethod
    def begin(self, page: int) -> None:
        """Called before the page is drawn and read, which may take a while."""
        ...

    @abstractmethod
    def read(self, image: PageImage) -> Sequence[RecognisedLine]:
        """The lines of the image. Raises `ImageUnreadable`."""
        ...


def _announce_nothing(page: int) -> None:
    pass


def _look_at_nothing(*_: object) -> None:
    pass


def _is_none(page: int) -> bool:  # noqa: ARG001 - the form of a callback
    return False


def _is_never_unreadable(text: str) -> bool:  # noqa: ARG001 - the form of a callback
    return False


def _is_never_garbled(text: str) -> bool:  # noqa: ARG001 - the form of a callback
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfOptions:
    """How a PDF is read.

    `on_page` is called with the number of each page as its work begins, and with 0 before the work
    on the whole document. Of pages that are `is_plain` only the text is read, of those
    that are `is_lost` nothing. `look_at` is called with each other page while PDFium has it open,
    for whoever reads it, too; a page whose window was kept is not opened. Pages that are images are
    read by `images`; without that, they fail with `unread` as the reason.
    `is_garbled` says of a scan's text layer that it is not worth keeping, `may_be_unreadable` of
    some lines that they may have other letters than are printed; their picture tells. With
    `prefers_second`, pages with a layer are read as images, too, and it says of the two texts, the
    layer's first, whether the second is the better. `is_english` says whether a word in small
    letters is one of English. Windows of `page_window` pages are loaded from `windows` if they are
    there, and kept there.
    """

    page_window: int = 25
    on_page: Callable[[int], None] = _announce_nothing
    is_plain: Callable[[int], bool] = _is_none
    is_lost: Callable[[int], bool] = _is_none
    look_at: Callable[[OpenedPage], None] = _look_at_nothing
    images: ImageReader | None = None
    unread: str = "the page is an image, and OCR is off"
    is_garbled: Callable[[str], bool] = _is_never_garbled
    may_be_unreadable: Callable[[str], bool] = _is_never_unreadable
    prefers_second: Callable[[str, str], bool] | None = None
    is_english: Callable[[str], bool] = is_in_no_list
    windows: KeptWindows | None = None
