"""What a worker process converts with, and when a conversion is stale."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from citeloom.application.ports.conversion import PlainPages, SourceFile
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    Fragment,
    Heading,
)
from citeloom.domain.errors import SourceChanged, UnreadableDocument
from citeloom.domain.policies import OcrOptions
from citeloom_pdf import ENGINE

# What the converter is called: part of every cached result's key, and free of heavy imports.

DOCLING = "docling-2.142.1"
LAYOUT_ENGINE = ENGINE
DOUBTS_ENGINE = "doubts-2"
_FIRST_LAYOUT = "heuristic-8"  # while PDFs had no version of their own
FORMATS_ENGINE = "formats-3"
MARKDOWN_ENGINE = "markdown-3"
PAGES_ENGINE = "pages-1"
SLIDES_ENGINE = "slides-2"


def docling_layout_version(models: str) -> str:
    """Names Docling's pipeline with its models, where these find the layout of PDFs."""
    return f"{DOCLING}/{models}"


def converter_version() -> str:
    """Names the library and the readers of formats other than PDF; it must change whenever all of
    their results may.
    """
    return f"{DOCLING}/{_FIRST_LAYOUT}/{FORMATS_ENGINE}"


def pdf_version() -> str:
    """Names the library, the layout rules of PDFs, and what is doubted; it must change whenever a
    result may.
    """
    return f"{DOCLING}/{LAYOUT_ENGINE}/{DOUBTS_ENGINE}"


def own_versions() -> Mapping[str, str]:
    """The versions of readers that change without the others, by suffix."""
    shared = converter_version()
    markdown = dict.fromkeys((".md", ".markdown", ".mdx", ".txt"), f"{shared}/{MARKDOWN_ENGINE}")
    pages = (".html", ".htm", ".xhtml", ".epub", ".docx")
    return {
        **markdown,
        **dict.fromkeys(pages, f"{shared}/{PAGES_ENGINE}"),
        ".pptx": f"{shared}/{SLIDES_ENGINE}",
        ".pdf": pdf_version(),
    }


# Whether a file still has the bytes it is named by.

_BLOCK = 1 << 20


def check_unchanged(source: SourceFile) -> None:
    """Raise `SourceChanged` when the file has other bytes than the source says, and
    `UnreadableDocument` when it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with source.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise UnreadableDocument(
            f"the file cannot be read: {error.strerror}", "Check its permissions."
        ) from error
    if digest.hexdigest() != source.content_hash:
        raise SourceChanged(
            f"{source.path.name} changed while it was read",
            "Run the command again once nothing writes to the file.",
        )


# Hidden text behind the body of a converted document, and what is said of it.

_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPassage:
    """Text that is hidden from readers, the reason, and its place in a format with pages."""

    text: str
    reason: str
    page: int | None = None
    box: Box | None = None


def with_hidden(result: ConversionResult, hidden: Sequence[HiddenPassage]) -> ConversionResult:
    """The document with its hidden text at the end, and a note about it."""
    hidden = [passage for passage in hidden if passage.text.strip()]
    if not hidden:
        return result
    text, blocks = result.plain_text, list(result.blocks)
    for passage in hidden:
        text += _SEPARATOR if text else ""
        fragment = Fragment(
            page=passage.page, box=passage.box, start=len(text), end=len(text + passage.text)
        )
        blocks.append(Block(kind=BlockKind.HIDDEN, fragments=(fragment,)))
        text += passage.text
    words = sum(len(passage.text.split()) for passage in hidden)
    pages = sorted({passage.page for passage in hidden if passage.page is not None})
    listed = ", ".join(map(str, pages))
    where = f" on page{'s' * (len(pages) > 1)} {listed}" if pages else ""
    reasons = ", ".join(dict.fromkeys(passage.reason for passage in hidden))
    return replace(
        result,
        plain_text=text,
        blocks=tuple(blocks),
        notes=(
            *result.notes,
            f"{words} words{where} are hidden from readers ({reasons}): answers leave them out",
        ),
    )


# The sections of a document.


def parent_of(headings: Sequence[Heading], level: int) -> int | None:
    """The index of the heading below which one of this level stands that follows them."""
    indexes = range(len(headings) - 1, -1, -1)
    return next((index for index in indexes if headings[index].level < level), None)


# What a worker process converts with.

NO_PLAIN_PAGES = PlainPages()


@dataclass(frozen=True, slots=True)
class ImageReading:
    """A request to read pages that are images by OCR; `begins(n)` is called when page n begins."""

    options: OcrOptions
    begins: Callable[[int], None]


def _unobserved(_page: int) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTask:
    """A file to convert.

    `on_page(n)` is called as the work on page n begins, `on_page(0)` as work begins that is no
    page's. Without `reading`, images are not read. Of `plain` pages only the text is read, of lost
    ones among them nothing.
    """

    path: Path
    doc_id: str
    on_page: Callable[[int], None] = _unobserved
    reading: ImageReading | None = None
    plain: PlainPages = NO_PLAIN_PAGES


class FileConverter(Protocol):
    """Converts one file at a time in this process."""

    @abstractmethod
    def convert(self, task: FileTask) -> ConversionResult:
        """What the file says; raises a `CiteloomError` for a file that cannot be converted."""
        ...


ConverterFactory = Callable[[], FileConverter]
