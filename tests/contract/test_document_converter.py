"""What every `DocumentConverter` promises."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.document_converter import Converted, DocumentConverter, Source
from citeloom.domain.errors import EmptyDocument, UnreadableDocument, UnsupportedFormat
from citeloom.infrastructure.conversion.by_suffix import SUFFIXES, AnyConversion
from citeloom.infrastructure.conversion.cache.cached_converter import CachedConverter
from citeloom.infrastructure.conversion.pdf_layout.factory import PdfConversion
from citeloom.infrastructure.conversion.version import converter_version
from citeloom.infrastructure.conversion.workers.pool import ConversionPool
from tests.fakes.document_converter import FakeDocumentConverter
from tests.fakes.in_process_converter import InProcessConverter
from tests.fakes.many_formats import WRITERS
from tests.fakes.scripted_conversion import ScriptedStart
from tests.fakes.sources import source_of, write_source
from tests.fakes.spawning import spawn_without_main

__all__ = ["spawn_without_main"]  # a fixture of every test here

Write = Callable[[Path, str], Source]

TEXT = frozenset({".txt"})


@dataclass(frozen=True)
class Subject:
    """A converter, and how to write a file for it that says a given text."""

    converter: DocumentConverter
    write: Write
    suffix: str

    def sources(self, folder: Path, *texts: str) -> list[Source]:
        """A file for each text; an empty text makes a file of zero bytes."""
        return [self.source(folder / f"{n}", text) for n, text in enumerate(texts)]

    def source(self, path: Path, text: str) -> Source:
        """The file at `path`, with the suffix the converter reads."""
        path = path.with_suffix(self.suffix)
        return self.write(path, text) if text else write_source(path, "")


def write_pdf(path: Path, text: str) -> Source:
    canvas = Canvas(str(path), invariant=True)
    canvas.drawString(72, 700, text)
    canvas.save()
    return source_of(path)


def scripted_pool() -> ConversionPool:
    return ConversionPool(factory=ScriptedStart(), version="scripted-1", suffixes=TEXT, workers=2)


def fake(_: Path) -> Subject:
    return Subject(FakeDocumentConverter(), write_source, ".txt")


def pool(_: Path) -> Subject:
    return Subject(scripted_pool(), write_source, ".txt")


def pool_of_pdf_converters(_: Path) -> Subject:
    converter = ConversionPool(factory=PdfConversion(), version=converter_version())
    return Subject(converter, write_pdf, ".pdf")


def of_format(write: Callable[[Path, str], Path]) -> Callable[[Path], Subject]:
    """A converter of one of the other formats, in this process."""

    def subject(folder: Path) -> Subject:
        written = write(folder / "probe", "Probe.")

        def write_format(path: Path, text: str) -> Source:
            return source_of(write(path, text))

        return Subject(InProcessConverter(), write_format, written.suffix)

    return subject


def pool_of_any_converters(_: Path) -> Subject:
    converter = ConversionPool(
        factory=AnyConversion(pdf=PdfConversion()),
        version=converter_version(),
        suffixes=SUFFIXES,
    )
    return Subject(converter, write_source, ".md")


def cached_fake(folder: Path) -> Subject:
    converter = CachedConverter(FakeDocumentConverter(), folder / "cache")
    return Subject(converter, write_source, ".txt")


def cached_pool(folder: Path) -> Subject:
    return Subject(CachedConverter(scripted_pool(), folder / "cache"), write_source, ".txt")


@pytest.fixture(
    params=[
        fake,
        pool,
        pytest.param(pool_of_pdf_converters, marks=pytest.mark.slow),
        cached_fake,
        cached_pool,
        *(pytest.param(of_format(write), id=name) for name, write in WRITERS.items()),
        pytest.param(pool_of_any_converters, marks=pytest.mark.slow),
    ]
)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    make: Callable[[Path], Subject] = request.param
    return make(tmp_path)


def texts_of(outcomes: list[Converted]) -> list[str | None]:
    return [outcome.result.plain_text if outcome.result else None for outcome in outcomes]


def test_it_names_its_version_and_what_it_reads(subject: Subject) -> None:
    assert subject.converter.version == subject.converter.version != ""
    assert subject.suffix in subject.converter.suffixes
    assert all(suffix.islower() and suffix[0] == "." for suffix in subject.converter.suffixes)


def test_each_source_has_one_outcome_in_order_and_bad_ones_do_not_raise(
    subject: Subject, tmp_path: Path
) -> None:
    first, empty, gone, third = subject.sources(tmp_path, "First.", "", "Second.", "Third.")
    gone.path.unlink()
    odd = write_source(tmp_path / "paper.odd", "A format nobody reads.")
    sources = [first, empty, gone, odd, third, first]
    outcomes = list(subject.converter.convert(sources))
    assert [outcome.source for outcome in outcomes] == sources
    assert texts_of(outcomes) == ["First.", None, None, None, "Third.", "First."]
    errors = [type(outcome.error) for outcome in outcomes if outcome.error]
    assert errors == [EmptyDocument, UnreadableDocument, UnsupportedFormat]
    assert all(outcome.error.message for outcome in outcomes if outcome.error)
    assert all(outcome.seconds >= 0 for outcome in outcomes)


def test_the_same_bytes_give_the_same_result(subject: Subject, tmp_path: Path) -> None:
    here = subject.source(tmp_path / "here", "The same words.")
    (tmp_path / "elsewhere").mkdir()
    there = subject.source(tmp_path / "elsewhere" / "there", "The same words.")
    assert here.doc_id == there.doc_id
    once, moved, again = subject.converter.convert([here, there, here])
    assert once.result is not None
    assert once.result == moved.result == again.result
    assert once.result.doc_id == here.doc_id


def test_sources_are_taken_as_they_are_needed_and_in_the_consumers_thread(
    subject: Subject, tmp_path: Path
) -> None:
    taken: set[int] = set()
    threads: set[int] = set()

    def sources() -> Iterator[Source]:
        for n in range(50):
            taken.add(n)
            threads.add(threading.get_ident())
            yield subject.source(tmp_path / f"{n}", f"Paper {n}.")

    with closing(subject.converter.convert(sources())) as outcomes:
        assert texts_of([next(outcomes)]) == ["Paper 0."]
        assert len(taken) < 25
    assert threads == {threading.get_ident()}


def test_closing_early_ends_it_and_another_run_may_follow(subject: Subject, tmp_path: Path) -> None:
    sources = subject.sources(tmp_path, "One.", "Two.", "Three.", "Four.", "Five.")
    outcomes = subject.converter.convert(sources)
    next(outcomes)
    outcomes.close()
    assert list(outcomes) == []
    assert texts_of(list(subject.converter.convert(sources[3:]))) == ["Four.", "Five."]


def test_no_sources_no_outcomes(subject: Subject) -> None:
    assert list(subject.converter.convert([])) == []
