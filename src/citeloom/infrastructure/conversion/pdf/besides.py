"""What a PDF has besides the text of its pages: filled fields, annotations and attached files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from ctypes import c_ushort
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pypdfium2
from pypdfium2 import raw

from citeloom.domain.documents.conversion import LeftOutKind
from citeloom.domain.evaluation.page_recall import count_words, words_of
from citeloom.infrastructure.conversion.pdfium import document_at

_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_WITHOUT_WORDS = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
_WRITTEN = (
    raw.FPDF_FORMFIELD_TEXTFIELD,
    raw.FPDF_FORMFIELD_COMBOBOX,
    raw.FPDF_FORMFIELD_LISTBOX,
)
_NAMED = 5

Texts = Sequence[tuple[LeftOutKind, str]]


@dataclass(frozen=True, slots=True)
class Besides:
    """What fields and annotations say by page, the names of attached files, and whether the pages
    are those of a form that only some viewers draw.
    """

    texts: Mapping[int, Texts] = field(default_factory=dict)
    attached: Sequence[str] = ()
    is_drawn_by_viewers: bool = False

    def left_out(self, page: int, known: Iterable[str]) -> list[tuple[LeftOutKind, str]]:
        """The fields and annotations of a page with a word that is in none of the known texts."""
        said = self.texts.get(page, ())
        arrived = {word for text in (known if said else ()) for word in words_of(text)}
        return [(kind, text) for kind, text in said if not arrived.issuperset(words_of(text))]

    @property
    def word_count(self) -> int:
        """How many words fields and annotations have."""
        said = (text for texts in self.texts.values() for _, text in texts)
        return sum(count_words(words_of(text)) for text in said)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader is told of the file."""
        notes = []
        if self.is_drawn_by_viewers:
            notes.append(
                "a form that only some viewers draw (XFA): what it asks and what was filled in is "
                "not read; print it to a new PDF there and ingest that"
            )
        if self.attached:
            names = ", ".join(self.attached[:_NAMED])
            more = len(self.attached) - _NAMED
            others = f" and {more} more" if more > 0 else ""
            notes.append(f"attached files are not read: {names}{others}")
        return tuple(notes)


NOTHING = Besides()


def besides(
    path: Path, *, is_looked_at: Callable[[int], bool], on_page: Callable[[int], None]
) -> Besides:
    """What is besides the text of some pages; `on_page` is called with the number of each first."""
    with closing(document_at(path)) as document:
        kind = document.get_formtype()
        if kind != raw.FORMTYPE_NONE:
            document.init_forms()
        texts: dict[int, Texts] = {}
        files = map(document.get_attachment, range(document.count_attachments()))
        attached = dict.fromkeys(file.get_name() for file in files)
        for number in filter(is_looked_at, range(1, len(document) + 1)):
            on_page(number)
            with suppress(pypdfium2.PdfiumError), closing(document[number - 1]) as page:
                texts[number] = [said for said in _texts(page, document.formenv) if said[1]]
                attached |= dict.fromkeys(_attached_at(page))
        names = [name for name in attached if name.strip()]
        return Besides(texts, names, kind == raw.FORMTYPE_XFA_FULL)


def has_annotations(page: pypdfium2.PdfPage) -> bool:
    """Whether a page has fields or annotations that may have words."""
    kinds = map(raw.FPDFAnnot_GetSubtype, _annotations(page))
    return any(kind not in _WITHOUT_WORDS for kind in kinds)


def _annotations(page: pypdfium2.PdfPage) -> Iterator[Any]:
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        if annotation := raw.FPDFPage_GetAnnot(page, index):
            try:
                yield annotation
            finally:
                raw.FPDFPage_CloseAnnot(annotation)


def _texts(page: pypdfium2.PdfPage, form: Any) -> Iterator[tuple[LeftOutKind, str]]:
    """What each field and annotation that is shown says."""
    for annotation in _annotations(page):
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind in _WITHOUT_WORDS or raw.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            continue
        if kind != raw.FPDF_ANNOT_WIDGET:
            said = _string(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
            yield LeftOutKind.ANNOTATION, said
        elif form and raw.FPDFAnnot_GetFormFieldType(form, annotation) in _WRITTEN:
            yield LeftOutKind.FIELD, _string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)


def _attached_at(page: pypdfium2.PdfPage) -> Iterator[str]:
    """The names of the files that are attached to a place of the page."""
    for annotation in _annotations(page):
        if file := raw.FPDFAnnot_GetFileAttachment(annotation):
            yield _string(raw.FPDFAttachment_GetName, file)


def _string(ask: Callable[..., int], *of: Any) -> str:
    """A string of PDFium, which says first how many bytes it has."""
    size = ask(*of, None, 0)
    units = (c_ushort * (size // 2))()
    ask(*of, units, size)
    text = bytes(units).decode("utf-16-le", errors="replace").rstrip("\0")
    return " ".join(text.split())
