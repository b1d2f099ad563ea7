"""Documents typeset by the benchmark arrive whole, and words without a truth are judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.bench_words import Read, faults
from benchmarks.made_documents.documents import made_documents
from benchmarks.made_documents.measure import measured

from citeloom.application.ports.conversion import SourceFile
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.fakes.document_converter import conversion_of

CHOSEN = ("canvas line numbers columns", "canvas margin notes feet")


@pytest.mark.parametrize("name", CHOSEN)
def test_a_made_document_arrives_whole(name: str, tmp_path: Path) -> None:
    (made,) = [one for one in made_documents() if one.name == name]
    path = tmp_path / "made.pdf"
    pages = made.make(path)
    assert pages is not None
    result = PdfConverter().convert(SourceFile(path=path, doc_id=name, content_hash=""))
    figures = measured(made.truth, pages, result)
    assert figures.faults == []


def test_glued_and_broken_words_are_told_from_names_and_rare_words() -> None:
    sentence = "the river carries gravel and sand to the external basin"
    library = [read(str(number), sentence) for number in range(10)]
    wrong = read(
        "wrong",
        "rivercarries gravel to the ex ternal basin; carriesthe sand in the underworld"
        " by gravel_sand, gravelsand() and rivergravel",
        printed="river carries gravel to the external basin; carriesthe sand in the underworld"
        " by gravel_sand, gravelsand() and rivergravel",
    )
    found = faults([*library, wrong])
    assert found.glued == ["wrong: rivercarries", "wrong: carriesthe"]
    assert found.broken == ["wrong: ex ternal"]


def read(name: str, text: str, printed: str = "") -> Read:
    return Read(name, conversion_of(text), [printed or text])
