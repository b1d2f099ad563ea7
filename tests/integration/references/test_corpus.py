"""Recognition of real papers in a real library, with and without their own reference."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from rapidfuzz.distance import Indel

from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.reference_matcher import LibraryEntry, ReferenceMatcher
from citeloom.infrastructure.references.file_library import FileReferenceLibrary

CORPUS = os.environ.get("CITELOOM_CORPUS", "")

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="CITELOOM_CORPUS does not name the shared corpus"),
]


@dataclass(frozen=True)
class Paper:
    citekey: str
    name: str
    embedded: EmbeddedMetadata


def embedded_metadata(path: Path) -> EmbeddedMetadata:
    document = pdfium.PdfDocument(path)
    try:
        information = document.get_metadata_dict()
        pages = range(min(3, len(document)))
        front = "\n".join(document[page].get_textpage().get_text_range() for page in pages)
    finally:
        document.close()
    return EmbeddedMetadata(
        title=information.get("Title", ""), author=information.get("Author", ""), front_text=front
    )


@lru_cache(maxsize=1)
def papers() -> tuple[Paper, ...]:
    return tuple(_papers(Path(CORPUS) / "corpus" / "library"))


def _papers(library: Path) -> Iterator[Paper]:
    for line in (library / "groundtruth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        if truth["pdf"]:
            path = library / truth["pdf"]
            yield Paper(truth["citekey"], path.name, embedded_metadata(path))


def references() -> FileReferenceLibrary:
    return FileReferenceLibrary(Path(CORPUS) / "corpus" / "library" / "references.csl.json")


def random_name(paper: Paper) -> str:
    return f"{hashlib.sha256(paper.citekey.encode()).hexdigest()[:12]}.pdf"


@pytest.mark.parametrize("renamed", [False, True])
def test_nearly_every_paper_is_recognised_and_none_wrongly(renamed: bool) -> None:
    library = references()
    assert len(library.references()) == 101
    right, wrong = 0, []
    for paper in papers():
        name = random_name(paper) if renamed else paper.name
        match = library.match(f"library/{name}", paper.embedded)
        if match.citation is None:
            continue
        if match.citation.citekey == paper.citekey:
            right += 1
        else:
            wrong.append((paper.citekey, match))
    assert wrong == []
    assert right >= 0.98 * len(papers())


def test_a_paper_whose_reference_is_missing_matches_nothing() -> None:
    entries = [LibraryEntry(citation=citation) for citation in references().references()]
    wrong = []
    for paper in papers():
        others = [entry for entry in entries if entry.citation.citekey != paper.citekey]
        match = ReferenceMatcher(others, Indel.normalized_similarity).match(
            random_name(paper), paper.embedded
        )
        if match.citation is not None:
            wrong.append((paper.citekey, match))
        assert len(match.candidates) <= 3
    assert wrong == []


def test_the_references_that_share_a_doi_are_reported() -> None:
    told = [flaw for flaw in references().diagnostics() if "is given for 5 references" in flaw]
    assert len(told) == 1


def test_every_better_bibtex_export_is_read_without_loss() -> None:
    for path in sorted((Path(CORPUS) / "zotero" / "csl").glob("*.json")):
        items = json.loads(path.read_text(encoding="utf-8"))
        citations = FileReferenceLibrary(path).references()
        assert [citation.citekey for citation in citations] == [
            item["citation-key"] for item in items
        ]
        assert all(citation.title and "<" not in citation.title for citation in citations)
