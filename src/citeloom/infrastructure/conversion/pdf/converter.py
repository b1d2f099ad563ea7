"""Conversion of one PDF to a `ConversionResult`, in this process."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from docling_core.types.doc.document import DoclingDocument

from citeloom.application.ports import conversion as ports
from citeloom.application.ports.conversion import (
    DEFAULT_OPTIONS,
    ConverterOptions,
    FileConverter,
    OcrChoice,
    OcrFailure,
    PlainPages,
    SourceFile,
    choose_engine,
    ocr_fingerprint,
)
from citeloom.application.ports.runtime import EmitEvent, ImageBegun, PageBegun
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    Doubt,
    EmbeddedMetadata,
    PageFailure,
)
from citeloom.domain.documents.letter_codes import may_be_unreadable
from citeloom.domain.documents.misread import prefers_second
from citeloom.domain.documents.quality import signal_to_noise
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.domain.evaluation.page_recall import lost_words
from citeloom.domain.text.lexicon import word_frequencies
from citeloom.infrastructure.conversion.docling_document import body_of
from citeloom.infrastructure.conversion.docling_layout import StockPipeline
from citeloom.infrastructure.conversion.hidden_passages import HiddenPassage, with_hidden
from citeloom.infrastructure.conversion.pdf.besides import Besides, besides, has_annotations
from citeloom.infrastructure.conversion.pdf.doubts import notes_on, with_doubts
from citeloom.infrastructure.conversion.pdf.letters import with_letters_decoded
from citeloom.infrastructure.conversion.pdf.losses import recovered
from citeloom.infrastructure.conversion.pdf.preflight import SAVE, check_pdf
from citeloom.infrastructure.conversion.pdfium import PrintedPages, open_pdf, refusal
from citeloom.infrastructure.conversion.versions import LAYOUT_ENGINE, pdf_version
from citeloom_pdf import (
    ImageReader,
    ImageUnreadable,
    PageImage,
    PdfOptions,
    PdfUnreadable,
    RecognisedLine,
    read_pdf,
)
from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.geometry import enclosing
from citeloom_pdf.elements.page import DocumentMetadata
from citeloom_pdf.parsing.metadata import embedded_metadata, page_labels
from citeloom_pdf.parsing.opened_pages import OpenedPage, OpenedPages
from citeloom_pdf.parsing.windows import WindowStore
from citeloom_pdf.reading import ReadPdf

_GARBLED = 0.35  # signal to noise: a text layer below it says nothing


class Pipeline(Protocol):
    """Finds the layout of a PDF in the place of the rules."""

    @property
    def version(self) -> str:
        """Changes whenever a document may."""

    def __call__(self, path: Path, /) -> DoclingDocument:
        """The document; raises `RuntimeError` or `ValueError` if it cannot be read."""


class PdfConverter(FileConverter):
    """Converts PDFs that `check_pdf` accepts by rules, or by a `pipeline` where there is one.

    The pipeline is that of Docling's models, if the options say where these are. It reads no images
    and times no page; after a page stopped it, the rules convert the document. With rules, finished
    page windows of a long document are kept until it is complete, if the options say where: after a
    kill the conversion resumes there.
    """

    def __init__(
        self, options: ConverterOptions = DEFAULT_OPTIONS, pipeline: Pipeline | None = None
    ) -> None:
        super().__init__(options)
        weights = options.layout_weights
        self._pipeline = pipeline or (StockPipeline(weights) if weights else None)
        self._windows = WindowStore(options.windows, pdf_version()) if options.windows else None
        if not logging.getLogger("citeloom").isEnabledFor(logging.DEBUG):
            for name in ("docling", "pypdfium2"):
                logging.getLogger(name).setLevel(logging.CRITICAL)

    def convert(self, source: SourceFile, emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        """Convert the file.

        Of plain pages, and of any that cannot be laid out, only the text is read; a note says
        so. A page without even that, or that is lost, is reported in the result. Raises
        `EmptyDocument` if the document has no text, and `EncryptedDocument` or
        `UnreadableDocument` if it cannot be read as a PDF.
        """
        check_pdf(
            source.path,
            reads_images=source.ocr is not None,
            is_lost=source.plain_pages.is_lost,
            on_page=lambda page: emit(PageBegun(page)),
        )
        emit(PageBegun(0))
        if self._pipeline and source.plain_pages == PlainPages():
            return _by_pipeline(source, self._pipeline)
        choice = choose_engine(self._options.engines, source.ocr)
        languages = ", ".join(source.ocr.languages) if source.ocr else ""
        fingerprint = ocr_fingerprint(self._options.engines, source.ocr)
        again = choice is not None and source.ocr is not None and source.ocr.again
        store = self._windows
        without: set[int] = set()  # pages that are known to have no annotations
        with (
            store.of(source.doc_id, fingerprint) if store else nullcontext() as windows,
            closing(PrintedPages(source.path)) as printed,
        ):

            def look_at(page: OpenedPage) -> None:
                printed.add(page)
                if not has_annotations(page.page):
                    without.add(page.number)

            options = PdfOptions(
                page_window=self._options.limits.page_window,
                on_page=lambda page: emit(PageBegun(page)),
                is_plain=source.plain_pages.__contains__,
                is_lost=source.plain_pages.is_lost,
                look_at=look_at,
                images=_Images(choice, emit) if choice else None,
                unread=f"the page is an image, and no installed OCR engine reads {languages}"
                if source.ocr
                else "the page is an image, and OCR is off",
                is_garbled=lambda text: signal_to_noise(text) < _GARBLED,
                may_be_unreadable=may_be_unreadable,
                prefers_second=prefers_second if again else None,
                is_english=lambda word: word in word_frequencies("en"),
                windows=windows,
            )
            try:
                pdf = read_pdf(source.path, options)
            except PdfUnreadable as error:
                raise refusal(source.path, error.__cause__ or error) from error
            beside = besides(
                source.path,
                is_looked_at=lambda n: n not in without and not source.plain_pages.is_lost(n),
                on_page=lambda page: emit(PageBegun(page)),
            )
            return _result(source, pdf, printed, choice, beside)


def _by_pipeline(source: SourceFile, pipeline: Pipeline) -> ConversionResult:
    path = source.path
    try:
        body = body_of(pipeline(path))
    except (RuntimeError, ValueError) as error:
        raise UnreadableDocument(
            f"'{path.name}' cannot be read by Docling's pipeline: {error}",
            'Set layout = "rules" under [conversion], or exclude the file.',
        ) from error
    if not body.blocks:
        raise EmptyDocument(
            f"'{path.name}' has no text", 'Images are read with layout = "rules" only.'
        )
    with open_pdf(path) as document, closing(OpenedPages(document)) as pages:
        return ConversionResult(
            doc_id=source.doc_id,
            plain_text=body.plain_text,
            blocks=tuple(map(_with_formula_doubted, body.blocks)),
            headings=tuple(body.headings),
            page_map=body.page_map,
            page_count=len(document),
            page_labels=page_labels(document),
            engine=pipeline.version,
            embedded=_embedded(embedded_metadata(pages, path)),
        )


def _with_formula_doubted(block: Block) -> Block:
    """A block of the pipeline: whether its formulas are as they are printed is not known."""
    return replace(block, doubts=(Doubt.FORMULA,)) if block.kind is BlockKind.FORMULA else block


def _result(
    source: SourceFile,
    pdf: ReadPdf,
    printed: PrintedPages,
    choice: OcrChoice | None,
    beside: Besides,
) -> ConversionResult:
    found = recovered(body_of(pdf.document), pdf, printed, beside)
    hidden = list(_hidden(pdf.pages))
    body = with_letters_decoded(found.body)
    layers = tuple(page.number for page in pdf.pages if page.is_layer)
    read = pdf.ocr or (layers and source.ocr is not None and source.ocr.again)
    if not body.blocks and not hidden:
        raise _nothing_in(source, pdf, choice, beside)
    blocks = with_doubts(found, printed, pdf.pages)
    result = ConversionResult(
        doc_id=source.doc_id,
        plain_text=body.plain_text,
        blocks=blocks,
        headings=tuple(body.headings),
        page_map=body.page_map,
        page_count=pdf.page_count,
        page_labels=pdf.page_labels,
        edge_numbers=pdf.edge_numbers,
        ocr_pages=pdf.ocr,
        layer_pages=layers,
        ocr_languages=choice.languages if choice and read else (),
        ocr_engine=choice.engine.version if choice and read else "",
        engine=LAYOUT_ENGINE,
        embedded=_embedded(pdf.metadata),
        page_failures=tuple(PageFailure(page=f.page, reason=f.reason) for f in pdf.failures),
        notes=(*notes_on(pdf, blocks, found.left_out), *beside.notes),
        lost_words={page: lost_words(words.lost_words) for page, words in found.missing.items()},
        left_out=found.left_out,
    )
    return with_hidden(result, hidden)


def _embedded(metadata: DocumentMetadata) -> EmbeddedMetadata:
    return EmbeddedMetadata(
        title=metadata.title,
        author=metadata.author,
        doi=metadata.doi,
        front_text=metadata.front_text,
    )


@dataclass(frozen=True, slots=True)
class _Images(ImageReader):
    """Reads images by the chosen engine, in the languages it knows."""

    choice: OcrChoice
    emit: EmitEvent

    def begin(self, page: int) -> None:
        self.emit(ImageBegun(page))

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
                unsure=line.unsure,
            )
            for line in lines
        ]


def _hidden(pages: Sequence[PageLayout]) -> Iterator[HiddenPassage]:
    for page in pages:
        for passage in page.hidden:
            around = enclosing(passage.boxes)
            box = Box(left=around.left, top=around.top, right=around.right, bottom=around.bottom)
            yield HiddenPassage(text=passage.text, reason=passage.reason, page=page.number, box=box)


def _nothing_in(
    source: SourceFile, pdf: ReadPdf, choice: OcrChoice | None, beside: Besides
) -> EmptyDocument | UnreadableDocument:
    """The error for a document without any text, with the next step."""
    name, failures, count = source.path.name, pdf.failures, pdf.page_count
    if len(failures) == count and not any("image" in failure.reason for failure in failures):
        return UnreadableDocument(
            f"'{name}' cannot be read as a PDF: {failures[0].reason}",
            "Open it in a PDF reader and save it again, or get another copy.",
        )
    pages = "its page" if count == 1 else f"any of its {count} pages"
    apart = "".join(f"; {note}" for note in beside.notes)
    if words := beside.word_count:
        apart = f", but its fields and annotations have words ({words}){apart}"
        advice = "Print it with its annotations to a new PDF and ingest that."
    elif beside.notes:
        advice = SAVE
    elif source.ocr is None:
        advice = "Have its pages read: leave --no-ocr out, or set ocr = true under [conversion]."
    elif choice is None:
        languages = ", ".join(source.ocr.languages)
        advice = (
            f"No installed OCR engine reads {languages}: install Tesseract with the data of that "
            "language (`citeloom models` lists the engines)."
        )
    else:
        advice = f"{choice.engine.version} found no text in its images either; get a better scan."
    return EmptyDocument(f"'{name}' has no text on {pages}{apart}", advice)
