"""Word documents and presentations, simplified and then read by Docling, as other formats are."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from typing import NamedTuple

import docx
import pptx
from docling.backend.html_backend import HTMLDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.backend.noop_backend import NoOpBackend
from docling.datamodel.backend_options import HTMLBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.document import DoclingDocument
from docx.opc.coreprops import CoreProperties
from docx.oxml.ns import qn
from lxml import etree
from pptx.presentation import Presentation

from citeloom.application.ports.conversion import FileConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent
from citeloom.domain.documents.conversion import ConversionResult, LeftOutKind
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.infrastructure.conversion.docling_document import DocumentBody, body_of
from citeloom.infrastructure.conversion.formats.archive import (
    Bounds,
    TooManyCells,
    damaged,
    read_archive,
)
from citeloom.infrastructure.conversion.formats.markup import (
    KEPT_SPACE,
    Declared,
    embedded_metadata,
)
from citeloom.infrastructure.conversion.formats.printed_text import script_of
from citeloom.infrastructure.conversion.formats.word_text import (
    add_notes,
    left_out_of_word,
    make_plain,
    unread,
    words_in,
)
from citeloom.infrastructure.conversion.hidden_passages import left_out_of, note_of_lost
from citeloom.infrastructure.conversion.versions import FORMATS_ENGINE

# Docling's format backends without its pipelines.

_MARKS = range(0x2010, 0x2028)
_SHIELDED = {mark: mark + 0x10DF00 for mark in _MARKS}
_BARE = {shielded: mark for mark, shielded in (_SHIELDED | KEPT_SPACE).items()}


def document_of_html(html: str) -> DoclingDocument:
    """Docling's document of an HTML page; nothing is fetched.

    Dashes and quotation marks, which Docling would turn into ASCII, are kept.
    """
    stream = BytesIO(
        html.translate(_SHIELDED).encode("utf-8-sig")
    )  # without a BOM the encoding is guessed
    options = HTMLBackendOptions.model_validate({"add_title": False, "infer_furniture": False})
    backend = HTMLDocumentBackend(described(stream, InputFormat.HTML), stream, options)
    document = backend.convert()
    for item in document.texts:
        item.text = item.text.translate(_BARE)
    for cell in (cell for table in document.tables for cell in table.data.table_cells):
        cell.text = cell.text.translate(_BARE)
    return document


def described(stream: BytesIO, kind: InputFormat) -> InputDocument:
    """The input description that a backend needs beside the bytes."""
    return InputDocument(
        path_or_stream=stream, format=kind, backend=NoOpBackend, filename=f"document.{kind.value}"
    )


_OFF = ("0", "false", "off")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_LINE = f"{_DRAWING}p"
_SLIDE_TABLE, _SLIDE_CELL = f"{_DRAWING}tbl", f"{_DRAWING}tc"
_PICTURE = "{http://schemas.openxmlformats.org/presentationml/2006/main}pic"
_TOO_DEEP, _TOO_LONG = "Excessive depth", "XML_PARSE_HUGE"  # as libxml2 says it
_SPANS = ("w:gridSpan", "w:gridBefore", "w:gridAfter")


def result_of(
    source: SourceFile,
    body: DocumentBody,
    declared: Declared,
    *,
    pages: int = 0,
    notes: tuple[str, ...] = (),
    labels: Sequence[str] = (),
) -> ConversionResult:
    """The conversion of a file with this body, on `pages` or on those of a page list with `labels`;
    raises `EmptyDocument` if it has no text.
    """
    if not body.blocks:
        raise EmptyDocument(
            f"{source.path.name} has no text", "It may hold images only, and those are not read."
        )
    return ConversionResult(
        doc_id=source.doc_id,
        plain_text=body.plain_text,
        blocks=tuple(body.blocks),
        headings=tuple(body.headings),
        page_map=body.page_map,
        page_count=len(labels) or pages,
        page_labels=dict(enumerate(labels, start=1)),
        has_page_list=bool(labels),
        engine=FORMATS_ENGINE,
        embedded=embedded_metadata(declared, body.plain_text),
        notes=notes,
    )


class _OfficeFile(NamedTuple):
    """Docling's document of the file, the file's metadata, what it leaves out on purpose, and the
    words that are to arrive, where they are known.
    """

    document: DoclingDocument
    properties: CoreProperties
    pages: int = 0
    notes: tuple[str, ...] = ()
    left_out: tuple[tuple[LeftOutKind, str], ...] = ()
    text: str = ""


class OfficeConverter(FileConverter):
    """Converts archives of Office Open XML."""

    @abstractmethod
    def read(self, content: BytesIO, bounds: Bounds) -> _OfficeFile:
        """What Docling reads in the file; a damaged part may raise anything."""

    def convert(self, source: SourceFile, _emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        path, bounds = source.path, Bounds(self._options.limits)
        content = read_archive(path, bounds)
        with bounds.refusing(path):
            try:
                file = self.read(content, bounds)
            except (MemoryError, TooManyCells, RecursionError):
                raise
            except Exception as error:
                if _TOO_DEEP in str(error):
                    raise RecursionError from error
                if _TOO_LONG in str(error):
                    raise UnreadableDocument(
                        f"{path.name} has a paragraph of more than 10 MB", "Split it."
                    ) from error
                raise damaged(path, "one of its parts does not follow the format") from error
        properties = file.properties
        declared = Declared(
            title=properties.title,
            authors=tuple(filter(None, [properties.author])),
            doi=" ".join([properties.identifier, properties.subject, properties.keywords]),
            shown=False,
        )
        body = body_of(file.document, marked=True)
        notes = (*file.notes, *note_of_lost(file.text, body.plain_text))
        result = result_of(source, body, declared, pages=file.pages, notes=notes)
        return replace(result, left_out=left_out_of(file.left_out))


class WordConverter(OfficeConverter):
    """Converts Word documents; hidden and deleted text is left out, footnotes go to the end."""

    def read(self, content: BytesIO, bounds: Bounds) -> _OfficeFile:
        document = docx.Document(content)
        bounds.check_cells(sum(map(_word_grid, document.element.iter(qn("w:tbl")))))
        left_out = tuple(left_out_of_word(document))
        notes = make_plain(document.element)
        add_notes(document)
        text = words_in(document.element)
        plain = BytesIO()
        document.save(plain)
        backend = MsWordDocumentBackend(described(plain, InputFormat.DOCX), plain)
        backend.docx_to_pdf_converter_init = True  # starts no other program to render pictures
        return _OfficeFile(
            backend.convert(), document.core_properties, notes=notes, left_out=left_out, text=text
        )


def _word_grid(table: etree._Element) -> int:
    """The cells of a table's grid, where a cell that spans columns counts for each of them."""
    rows = table.findall(qn("w:tr"))
    declared = len(table.findall(f"{qn('w:tblGrid')}/{qn('w:gridCol')}"))
    return len(rows) * max([declared, *map(_word_columns, rows)])


def _word_columns(row: etree._Element) -> int:
    spans = (span.get(qn("w:val"), "") for span in row.iter(*map(qn, _SPANS)))
    return len(row.findall(qn("w:tc"))) + sum(int(span) for span in spans if span.isdecimal())


class SlidesConverter(OfficeConverter):
    """Converts presentations, each slide a page that ends with its speaker notes; hidden slides are
    left out with theirs.
    """

    def read(self, content: BytesIO, bounds: Bounds) -> _OfficeFile:
        slides = pptx.Presentation(content)
        tables = (table for slide in slides.slides for table in slide._element.iter(_SLIDE_TABLE))
        bounds.check_cells(sum(len(list(table.iter(_SLIDE_CELL))) for table in tables))
        notes = _simplify_slides(slides)
        plain = BytesIO()
        slides.save(plain)
        backend = MsPowerpointDocumentBackend(described(plain, InputFormat.PPTX), plain)
        backend.pptx_to_pdf_converter_init = True  # starts no other program to render pictures
        document = backend.convert()
        # notes of slides that are shown count as text of the body; comments stay apart
        spoken = dict(_speaker_notes(slides))
        for item in document.texts:
            page = item.prov[0].page_no if item.prov else 0
            if item.content_layer == ContentLayer.NOTES and item.text == spoken.get(page):
                item.content_layer = ContentLayer.BODY
        return _OfficeFile(
            document,
            slides.core_properties,
            len(slides.slides),
            notes,
            left_out=tuple(_hidden_slides(slides)),
        )


def _simplify_slides(slides: Presentation) -> tuple[str, ...]:
    """Write scripts as Unicode has them, and remove pictures; notes count what is not read."""
    kinds: Counter[str] = Counter()
    for slide in slides.slides:
        for paragraph in slide._element.iter(f"{_DRAWING}p"):
            before = ""
            for run in paragraph.iterfind(f"{_DRAWING}r"):
                text = run.find(f"{_DRAWING}t")
                looks = run.find(f"{_DRAWING}rPr")
                shift = looks.get("baseline", "0") if looks is not None else "0"
                if text is None or not text.text:
                    continue
                if shift.lstrip("-").isdecimal() and int(shift):
                    text.text = script_of(text.text, before, raised=int(shift) > 0)
                before = text.text
        kinds.update(
            data.get("uri", "").rpartition("/")[2]
            for data in slide._element.iter(f"{_DRAWING}graphicData")
        )
        for picture in list(slide._element.iter(_PICTURE)):
            kinds["picture"] += 1
            picture.getparent().remove(picture)
    return unread(picture=kinds["picture"], chart=kinds["chart"], diagram=kinds["diagram"])


def _hidden_slides(slides: Presentation) -> Iterator[tuple[LeftOutKind, str]]:
    """The text of each slide that is not shown, and its notes."""
    for slide in slides.slides:
        if slide._element.get("show") in _OFF:
            notes = [slide.notes_slide._element] if slide.has_notes_slide else []
            lines = [line for part in (slide._element, *notes) for line in part.iter(_LINE)]
            yield LeftOutKind.UNSEEN, "\n".join(map(_letters, lines))


def _letters(line: etree._Element) -> str:
    return "".join(text.text or "" for text in line.iter(f"{_DRAWING}t"))


def _speaker_notes(slides: Presentation) -> Iterator[tuple[int, str]]:
    """The notes of each slide that is shown, with its page."""
    for page, slide in enumerate(slides.slides, start=1):
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if frame is not None and slide._element.get("show") not in _OFF:
            yield page, frame.text.strip()
