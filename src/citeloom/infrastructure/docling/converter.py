"""One PDF in, one `ConversionResult` out, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium

from citeloom.domain.conversion import Block, BlockKind, Box, ConversionResult, Fragment
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.infrastructure.docling.metadata import embedded_metadata, page_labels, page_text
from citeloom.infrastructure.docling.version import LAYOUT_ENGINE, converter_version


class PdfConverter:
    """Converts one PDF at a time in this process."""

    def __init__(
        self, *, layout_weights: Path | None = None, page_window: int = 25, threads: int = 1
    ) -> None:
        self._layout_weights = layout_weights
        self._page_window = page_window
        self._threads = threads

    @property
    def version(self) -> str:
        """Names the engine, its version and its options: whatever may change a result."""
        return converter_version()

    def convert(self, path: Path, doc_id: str, on_page: Callable[[int], None]) -> ConversionResult:
        """Convert the file, calling `on_page` as each page's work begins.

        Raises `EmptyDocument` where there is no text and `UnreadableDocument` where there is no
        readable PDF.
        """
        try:
            document = pdfium.PdfDocument(path)
        except pdfium.PdfiumError as error:
            raise UnreadableDocument(f"'{path.name}' cannot be read as a PDF ({error})") from error
        blocks, texts, position = [], [], 0
        for page in range(1, len(document) + 1):
            on_page(page)
            text = " ".join(page_text(document, page).split())
            if not text:
                continue
            width, height = document.get_page_size(page - 1)
            fragment = Fragment(
                page=page,
                box=Box(left=0, top=0, right=width, bottom=height),
                start=position,
                end=position + len(text),
            )
            blocks.append(Block(kind=BlockKind.PARAGRAPH, fragments=(fragment,)))
            texts.append(text)
            position += len(text) + 2
        if not blocks:
            raise EmptyDocument(
                f"'{path.name}' has no text on any of its {len(document)} pages",
                "It may be scanned; reading images is not part of this version.",
            )
        return ConversionResult(
            doc_id=doc_id,
            plain_text="\n\n".join(texts),
            blocks=tuple(blocks),
            headings=(),
            page_map={b.fragments[0].page: (b.start, b.end) for b in blocks},
            page_count=len(document),
            page_labels=page_labels(document),
            engine=LAYOUT_ENGINE,
            converter_version=self.version,
            embedded=embedded_metadata(document, path),
        )
