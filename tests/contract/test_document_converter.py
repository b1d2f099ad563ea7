"""What every `DocumentConverter` promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import DEFAULT_OPTIONS, DocumentConverter, SourceFile
from citeloom.application.ports.runtime import PageBegun
from citeloom.domain.errors import (
    EmptyDocument,
    SourceChanged,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.infrastructure.conversion.cache import CachedConverter
from citeloom.infrastructure.conversion.file_conversion import FileConversion
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdfium import page_texts
from citeloom.infrastructure.wiring.conversion import converter_versions, open_file_converter
from tests.fakes.document_converter import FakeDocumentConverter
from tests.fakes.many_formats import WRITERS
from tests.fakes.scripted_conversion import ScriptedConversion
from tests.fakes.sources import source_of, write_source

Write = Callable[[Path, str], SourceFile]


@dataclass(frozen=True)
class Subject:
    """A converter, and how to write a file for it that says a given text."""

    converter: DocumentConverter
    write: Write
    suffix: str

    def sources(self, folder: Path, *texts: str) -> list[SourceFile]:
        """A file for each text; an empty text makes a file of zero bytes."""
        return [self.source(folder / f"{n}", text) for n, text in enumerate(texts)]

    def source(self, path: Path, text: str) -> SourceFile:
        """The file at `path`, with the suffix the converter reads."""
        path = path.with_suffix(self.suffix)
        return self.write(path, text) if text else write_source(path, "")


def write_pdf(path: Path, text: str) -> SourceFile:
    canvas = Canvas(str(path), invariant=True)
    canvas.drawString(72, 700, text)
    canvas.save()
    return source_of(path)


def fake(_: Path) -> Subject:
    return Subject(FakeDocumentConverter(), write_source, ".txt")


def file_conversion(_: Path) -> Subject:
    return Subject(scripted(), write_source, ".txt")


def scripted() -> FileConversion:
    return FileConversion(lambda _: ScriptedConversion(), {".txt": "scripted-1"})


def any_conversion() -> FileConversion:
    return FileConversion(
        lambda suffix: open_file_converter(suffix, DEFAULT_OPTIONS), converter_versions()
    )


def pdf_conversion(_: Path) -> Subject:
    return Subject(any_conversion(), write_pdf, ".pdf")


def read_by_pipeline(path: Path) -> DoclingDocument:
    """What Docling's pipeline returns, from the text of each page."""
    document = DoclingDocument(name=path.stem)
    for number, text in enumerate(page_texts(path), start=1):
        document.add_page(page_no=number, size=Size(width=600, height=800))
        box = BoundingBox(l=72, t=700, r=500, b=690, coord_origin=CoordOrigin.BOTTOMLEFT)
        place = ProvenanceItem(page_no=number, bbox=box, charspan=(0, len(text)))
        document.add_text(label=DocItemLabel.TEXT, text=text, prov=place)
    return document


@dataclass(frozen=True)
class StandIn:
    """A pipeline in the place of Docling's."""

    read: Callable[[Path], DoclingDocument]
    version: str = "models-1"

    def __call__(self, path: Path, /) -> DoclingDocument:
        return self.read(path)


def docling_layout(_: Path) -> Subject:
    """Docling's pipeline in the place of the layout rules."""
    pdf = PdfConverter(pipeline=StandIn(read_by_pipeline))
    return Subject(FileConversion(lambda _: pdf, {".pdf": "models-1"}), write_pdf, ".pdf")


def of_format(write: Callable[[Path, str], Path]) -> Callable[[Path], Subject]:
    """A converter of one of the other formats, in this process."""

    def subject(folder: Path) -> Subject:
        written = write(folder / "probe", "Probe.")

        def write_format(path: Path, text: str) -> SourceFile:
            return source_of(write(path, text))

        return Subject(any_conversion(), write_format, written.suffix)

    return subject


def cached_fake(folder: Path) -> Subject:
    converter = CachedConverter(FakeDocumentConverter(), folder / "cache")
    return Subject(converter, write_source, ".txt")


def cached_conversion(folder: Path) -> Subject:
    return Subject(CachedConverter(scripted(), folder / "cache"), write_source, ".txt")


@pytest.fixture(
    params=[
        fake,
        file_conversion,
        pytest.param(pdf_conversion, marks=pytest.mark.slow),
        docling_layout,
        cached_fake,
        cached_conversion,
        *(pytest.param(of_format(write), id=name) for name, write in WRITERS.items()),
    ]
)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    make: Callable[[Path], Subject] = request.param
    return make(tmp_path)


def text_of(subject: Subject, source: SourceFile) -> str:
    return subject.converter.convert(source, silent).result.plain_text


def silent(_event: object) -> None: ...


def test_it_names_its_version_and_what_it_reads(subject: Subject) -> None:
    version = subject.converter.version_of(subject.suffix)
    assert subject.converter.version_of(subject.suffix) == version != ""
    assert subject.suffix in subject.converter.suffixes
    assert all(suffix.islower() and suffix[0] == "." for suffix in subject.converter.suffixes)


def test_it_converts_one_file_after_another(subject: Subject, tmp_path: Path) -> None:
    first, second = subject.sources(tmp_path, "First.", "Second.")
    texts = [text_of(subject, source) for source in (first, second, first)]
    assert texts == ["First.", "Second.", "First."]


def test_what_is_cached_is_what_it_converts(subject: Subject, tmp_path: Path) -> None:
    (source,) = subject.sources(tmp_path, "First.")
    assert subject.converter.cached_result(source) is None
    result = subject.converter.convert(source, silent).result
    assert subject.converter.cached_result(source) in (None, result)


def test_a_file_that_cannot_be_converted_raises_what_is_wrong_with_it(
    subject: Subject, tmp_path: Path
) -> None:
    empty, gone, good = subject.sources(tmp_path, "", "Gone.", "Good.")
    gone.path.unlink()
    odd = write_source(tmp_path / "paper.odd", "A format nobody reads.")
    for source, error in (
        (empty, EmptyDocument),
        (gone, UnreadableDocument),
        (odd, UnsupportedFormat),
    ):
        with pytest.raises(error) as raised:
            subject.converter.convert(source, silent)
        assert raised.value.message
    assert text_of(subject, good) == "Good."


def test_the_same_bytes_give_the_same_result(subject: Subject, tmp_path: Path) -> None:
    here = subject.source(tmp_path / "here", "The same words.")
    (tmp_path / "elsewhere").mkdir()
    there = subject.source(tmp_path / "elsewhere" / "there", "The same words.")
    assert here.doc_id == there.doc_id
    once, moved, again = (
        subject.converter.convert(source, silent).result for source in (here, there, here)
    )
    assert once == moved == again
    assert once.doc_id == here.doc_id


def test_other_bytes_than_those_asked_for_are_never_converted(
    subject: Subject, tmp_path: Path
) -> None:
    source = subject.source(tmp_path / "paper", "Before.")
    subject.source(tmp_path / "paper", "Behind.")
    with pytest.raises(SourceChanged):
        subject.converter.convert(source, silent)
    subject.source(tmp_path / "paper", "Before.")
    assert text_of(subject, source) == "Before."
    subject.source(tmp_path / "paper", "Behind.")
    with pytest.raises(SourceChanged):
        subject.converter.convert(source, silent)


def test_what_is_wanted_afresh_gives_the_same_result(subject: Subject, tmp_path: Path) -> None:
    source = subject.source(tmp_path / "paper", "Words.")
    kept = subject.converter.convert(source, silent)
    ignore_cache = subject.converter.convert(replace(source, ignore_cache=True), silent)
    assert ignore_cache.result == kept.result
    assert not ignore_cache.cached


def test_pages_are_told_as_they_begin(subject: Subject, tmp_path: Path) -> None:
    told: list[object] = []
    source = subject.source(tmp_path / "paper", "Words.")
    subject.converter.convert(source, told.append)
    assert told[0] == PageBegun(0)
    assert all(isinstance(event, PageBegun) for event in told)
