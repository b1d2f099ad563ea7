"""The headings and parts of a few real papers of each journal, against what a reader sees."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.corpus_truth.headings import (
    TruePaper,
    found_headings,
    roles_right,
    score,
    true_papers,
)

pytestmark = pytest.mark.corpus

PAPERS = (
    "10.21105.jcon.00069.pdf",
    "10.21105.jcon.00122.pdf",
    "10.21105.jcon.00183.pdf",
    "10.21105.jose.00162.pdf",
    "10.21105.jose.00243.pdf",
    "10.5281_zenodo.3158244.pdf",
    "10.5281_zenodo.3630224.pdf",
)
LEAST_F1 = 0.95
"""All 25 papers are measured by `benchmarks/bench_headings.py`; a few may differ from the mean."""


@pytest.fixture(scope="module")
def papers() -> Mapping[str, tuple[TruePaper, ConversionResult]]:
    corpus = os.environ.get("CITELOOM_CORPUS")
    if not corpus:
        pytest.skip("CITELOOM_CORPUS does not name the shared research corpus")
    folder = Path(corpus) / "corpus" / "library" / "pdf"
    return {
        paper.file: (
            paper,
            PdfConverter().convert(
                SourceFile(path=folder / paper.file, doc_id=paper.file, content_hash="")
            ),
        )
        for paper in true_papers()
        if paper.file in PAPERS
    }


def test_headings_are_found_and_nothing_else(
    papers: Mapping[str, tuple[TruePaper, ConversionResult]],
) -> None:
    scores = [score(paper, found_headings(result)) for paper, result in papers.values()]
    assert len(scores) == len(PAPERS)
    found = sum(one.found for one in scores)
    errors = sum(len(one.missed) + len(one.wrong) for one in scores)
    assert 2 * found / (2 * found + errors) >= LEAST_F1
    assert sum(one.levels for one in scores) >= LEAST_F1 * found
    assert all(one.in_order for one in scores)


@pytest.mark.parametrize("part", ["title", "authors", "references", "appendix"])
def test_the_parts_of_a_paper_are_recognised(
    papers: Mapping[str, tuple[TruePaper, ConversionResult]], part: str
) -> None:
    wrong = [
        name for name, (paper, result) in papers.items() if not roles_right(paper, result)[part]
    ]
    assert wrong == []
