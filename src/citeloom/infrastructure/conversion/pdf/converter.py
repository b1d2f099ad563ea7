"""Conversion of one PDF to a `ConversionResult`, in this process."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports import conversion as ports
from citeloom.application.ports.conversion import (
    OcrChoice,
    OcrEngine,
    OcrFailure,
    choose_engine,
    ocr_fingerprint,
)
from citeloom.domain.documents.conversion import (
    Block,
    Box,
    ConversionResult,
    Doubt,
    EmbeddedMetadata,
    PageFailure,
)
from citeloom.domain.documents.quality import signal_to_noise
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.infrastructure.conversion.docling_document import body_of
from citeloom.infrastructure.conversion.file_converter import (
    LAYOUT_ENGINE,
    FileTask,
    HiddenPassage,
    ImageReading,
    pdf_version,
    with_hidden,
)
from citeloom.infrastructure.conversion.pdf.doubts import with_doubts
from citeloom.infrastructure.conversion.pdfium import refusal
from citeloom.infrastructure.conversion.printed_pages import PrintedPages
from citeloom_pdf import (
    ImageReader,
    ImageUnreadable,
    PageImage,
    PdfOptions,
    PdfUnreadable,
    RecognisedLine,
    read_pdf,
)
from citeloom_pdf.elements.geometry import enclosing
from citeloom_pdf.elements.page import DocumentMetadata, PageLayout
from citeloom_pdf.parsing.windows import WindowStore
from citeloom_pdf.reading import ReadPdf

_GARBLED = 0.35  # signal to noise: a text layer below it says nothing


class PdfConverter:
    """Converts one PDF at a time in this process.

    The finished page windows of a long document are kept in `windows`, if given, until it is
    complete: after a kill the conversion resumes there.
    """

    def __init__(
        self,
        *,
        page_window: int = 25,
        threads: int = 1,
        windows: WindowStore | None = None,
        engines: Sequence[OcrEngine] = (),
    ) -> None:
        self._page_window = page_window
        self._threads = threads
        self._windows = windows
        self._engines = engines
        if not logging.getLogger("citeloom").isEnabledFor(logging.DEBUG):
            logging.getLogger("docling").setLevel(logging.CRITICAL)

    def convert(self, task: FileTask) -> ConversionResult:
        """Convert the file.

        Of plain pages, and of any that cannot be laid out, only the text is read; a note says
        so. A page without even that, or that is lost, is reported in the result. Raises
        `EmptyDocument` if the document has no text, and `EncryptedDocument` or
        `UnreadableDocument` if it cannot be read as a PDF.
        """
        reading, options = task.reading, task.reading.options if task.reading else None
        choice = choose_engine(self._engines, options)
        fingerprint = ocr_fingerprint(self._engines, options)
        store = self._windows
        with (
            store.of(task.doc_id, fingerprint) if store else nullcontext() as windows,
            closing(PrintedPages(task.path)) as printed,
        ):
            wanted = PdfOptions(
                page_window=self._page_window,
                threads=self._threads,
                on_page=task.on_page,
                is_plain=task.plain.__contains__,
                is_lost=task.plain.is_lost,
                look_at=printed.add,
                images=_Images(reading, choice) if reading and choice else None,
                unread=_unread(reading),
                is_garbled=_is_garbled,
                windows=windows,
            )
            try:
                pdf = read_pdf(task.path, wanted)
            except PdfUnreadable as error:
                raise refusal(task.path, error.__cause__ or error) from error
            return self._result(task, pdf, printed, _Reading(reading, choice))

    def _result(
        self, task: FileTask, pdf: ReadPdf, printed: PrintedPages, reading: _Reading
    ) -> ConversionResult:
        body, hidden = body_of(pdf.document), list(_hidden(pdf.pages))
        if not body.blocks and not hidden:
            raise _nothing_in(task.path, pdf, reading)
        blocks = with_doubts(body.blocks, body.plain_text, printed, pdf.pages)
        result = ConversionResult(
            doc_id=task.doc_id,
            plain_text=body.plain_text,
            blocks=blocks,
            headings=tuple(body.headings),
            page_map=body.page_map,
            page_count=pdf.page_count,
            page_labels=pdf.page_labels,
            edge_numbers=pdf.edge_numbers,
            ocr_pages=pdf.ocr,
            ocr_languages=reading.languages if pdf.ocr else (),
            ocr_engine=reading.engine if pdf.ocr else "",
            engine=LAYOUT_ENGINE,
            converter_version=pdf_version(),
            embedded=embedded(pdf.metadata),
            page_failures=tuple(PageFailure(page=f.page, reason=f.reason) for f in pdf.failures),
            notes=_notes(pdf, blocks),
        )
        return with_hidden(result, hidden)


def embedded(metadata: DocumentMetadata) -> EmbeddedMetadata:
    """What the file says about itself."""
    return EmbeddedMetadata(
        title=metadata.title,
        author=metadata.author,
        doi=metadata.doi,
        front_text=metadata.front_text,
    )


def _is_garbled(text: str) -> bool:
    return signal_to_noise(text) < _GARBLED


@dataclass(frozen=True, slots=True)
class _Images(ImageReader):
    """Reads images by the chosen engine, in the languages it knows."""

    reading: ImageReading
    choice: OcrChoice

    def begin(self, page: int) -> None:
        self.reading.begins(page)

    def read(self, image: PageImage) -> Sequence[RecognisedLine]:
        drawn = ports.PageImage(
            width=image.width, height=image.height, pixels=image.pixels, dpi=image.dpi
        )
        try:
            lines = self.choice.engine.read(drawn, self.choice.languages)
        except OcrFailure as error:
            raise ImageUnreadable(str(error)) from error
        return [
            RecognisedLine(
                text=line.text,
                box=(line.box.left, line.box.top, line.box.right, line.box.bottom),
                size=line.size,
                confidence=line.confidence,
            )
            for line in lines
        ]


def _unread(reading: ImageReading | None) -> str:
    """Why the page of an image has no text, if no engine is there for it."""
    if reading is None:
        return "the page is an image, and OCR is off"
    languages = ", ".join(reading.options.languages)
    return f"the page is an image, and no installed OCR engine reads {languages}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the images of a document were read."""

    requested: ImageReading | None
    choice: OcrChoice | None

    @property
    def engine(self) -> str:
        return self.choice.engine.version if self.choice else ""

    @property
    def languages(self) -> tuple[str, ...]:
        return self.choice.languages if self.choice else ()

    @property
    def advice(self) -> str:
        """The next step for a document without any text."""
        if self.requested is None:
            return "Have its pages read: leave --no-ocr out, or set ocr = true under [conversion]."
        if self.choice is None:
            languages = ", ".join(self.requested.options.languages)
            return (
                f"No installed OCR engine reads {languages}: install Tesseract with the data of "
                "that language (`citeloom models` lists the engines)."
            )
        return f"{self.engine} found no text in its images either; get a better scan."


def _hidden(pages: Sequence[PageLayout]) -> Iterator[HiddenPassage]:
    for page in pages:
        for passage in page.hidden:
            around = enclosing(passage.boxes)
            box = Box(left=around.left, top=around.top, right=around.right, bottom=around.bottom)
            yield HiddenPassage(text=passage.text, reason=passage.reason, page=page.number, box=box)


def _notes(pdf: ReadPdf, blocks: Sequence[Block]) -> tuple[str, ...]:
    notes = []
    doubted = [block for block in blocks if Doubt.ORDER in block.doubts]
    if unordered := sorted(
        {part.page for block in doubted for part in block.fragments if part.page is not None}
    ):
        notes.append(f"the order of lines on {_listed(unordered)} is doubtful")
    if pdf.plain:
        which = _listed(pdf.plain)
        notes.append(f"{which} could not be laid out: read as text alone, without tables")
    if pdf.doubtful_tables:
        which = _listed(pdf.doubtful_tables)
        notes.append(f"a table on {which} is doubtful: its words do not fit its columns")
    if pdf.undecoded:
        which = _listed(pdf.undecoded)
        notes.append(f"letters on {which} could not be decoded: their fonts have no mapping")
    return tuple(notes)


def _listed(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"


def _nothing_in(path: Path, pdf: ReadPdf, reading: _Reading) -> EmptyDocument | UnreadableDocument:
    failures, count = pdf.failures, pdf.page_count
    if len(failures) == count and not any("image" in failure.reason for failure in failures):
        return UnreadableDocument(
            f"'{path.name}' cannot be read as a PDF: {failures[0].reason}",
            "Open it in a PDF reader and save it again, or get another copy.",
        )
    return EmptyDocument(f"'{path.name}' has no text on any of its {count} pages", reading.advice)
