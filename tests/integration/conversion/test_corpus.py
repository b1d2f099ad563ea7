"""Expectations of real papers and books that any good conversion meets."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def corpus() -> Path:
    folder = os.environ.get("CITELOOM_CORPUS")
    if not folder:
        pytest.skip("CITELOOM_CORPUS does not name the shared research corpus")
    return Path(folder) / "corpus"


@cache
def convert(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id=path.stem, content_hash=""))


def bare(text: str) -> str:
    """The text without anything that differs between faithful renderings of it."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\s\-\u00ad\u2010-\u2015\u2212]+", "", folded)


def pages_of(result: ConversionResult, sentence: str) -> set[int]:
    """The pages that the characters of a sentence stand on; none where it is not found."""
    characters = [
        (character, fragment.page)
        for block in result.blocks
        for fragment in block.fragments
        for character in bare(result.plain_text[fragment.start : fragment.end])
    ]
    start = "".join(character for character, _ in characters).find(bare(sentence))
    if start < 0:
        return set()
    return {page for _, page in characters[start : start + len(bare(sentence))] if page}


HEADINGS = {
    "10.21105.jose.00140": ["Summary", "Bin Packing", "Origin of the Application"],
    "10.21105.jcon.00068": ["ABSTRACT", "1. Introduction", "1.1 History", "3.1 Functionality"],
    "10.5281_zenodo.3886739": ["1 Getting the Source Code", "2 Building the Source Code"],
}


@pytest.mark.parametrize("paper", HEADINGS)
def test_headings_of_a_paper_from_each_journal(paper: str, corpus: Path) -> None:
    result = convert(corpus / "library" / "pdf" / f"{paper}.pdf")
    titles = [heading.title for heading in result.headings]
    assert [title for title in titles if title in HEADINGS[paper]] == HEADINGS[paper]


def test_the_margin_of_a_first_page_stays_out_of_the_body(corpus: Path) -> None:
    result = convert(corpus / "library" / "pdf" / "10.21105.jose.00140.pdf")
    assert "Authors of papers retain" not in result.plain_text
    assert [result.text_of(b)[:23] for b in result.blocks if b.kind is BlockKind.TITLE] == [
        "Interactive Bin Packing"
    ]


@pytest.mark.parametrize("paper", ["10.21105.jose.00140", "10.21105.jcon.00068"])
def test_known_sentences_stand_on_their_pages(paper: str, corpus: Path) -> None:
    library = corpus / "library"
    works = map(json.loads, (library / "groundtruth.jsonl").read_text().splitlines())
    citekeys = {work["citekey"] for work in works if work.get("pdf") == f"pdf/{paper}.pdf"}
    known = map(json.loads, (library / "locators.jsonl").read_text().splitlines())
    sentences = [entry for entry in known if entry["citekey"] in citekeys]
    result = convert(library / "pdf" / f"{paper}.pdf")
    assert sentences
    for entry in sentences:
        assert pages_of(result, entry["sentence"]) == {entry["page"]}, entry["sentence"]
