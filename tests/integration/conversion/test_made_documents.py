"""Documents typeset by the benchmark arrive whole, in order, and on their pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.made_documents.documents import made_documents
from benchmarks.made_documents.measure import measured

from citeloom.infrastructure.conversion.pdf_layout.converter import PdfConverter

CHOSEN = ("canvas line numbers columns", "canvas margin notes feet")


@pytest.mark.parametrize("name", CHOSEN)
def test_a_made_document_arrives_whole(name: str, tmp_path: Path) -> None:
    (made,) = [one for one in made_documents() if one.name == name]
    path = tmp_path / "made.pdf"
    pages = made.make(path)
    assert pages is not None
    result = PdfConverter().convert(path, name, lambda _: None)
    figures = measured(made.truth, pages, result)
    assert figures.faults == []
