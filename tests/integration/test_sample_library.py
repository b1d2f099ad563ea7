"""The sample library holds what it is meant to show, and is the same wherever it is made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pypdfium2
import pytest
from scripts.make_sample_library import main, make_library

LABELS = {
    "brandt-yilmaz-2020": ["77", "78", "79"],
    "cold-chain-guide-2018": ["i", "ii", "1", "2", "3"],
    "lindqvist-2019": ["41", "42", "43"],
    "marchetti-etal-2022": ["210", "211", "212"],
    "okafor-hale-2021": ["1123", "1124", "1125"],
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    make_library(folder)
    return folder


def first_pages(library: Path) -> dict[str, str]:
    """The text of each paper's first page, its line ends as blanks."""
    pages = {}
    for path in sorted((library / "library").glob("*.pdf")):
        with pypdfium2.PdfDocument(path) as document:
            text = document[0].get_textpage().get_text_bounded()
        pages[path.stem] = " ".join(text.split())
    return pages


def test_printed_page_labels_differ_from_physical_pages(library: Path) -> None:
    labels = {}
    for path in (library / "library").glob("*.pdf"):
        with pypdfium2.PdfDocument(path) as document:
            labels[path.stem] = [document.get_page_label(n) for n in range(len(document))]
    assert labels == LABELS


def test_the_same_sources_give_the_same_bytes(library: Path, tmp_path: Path) -> None:
    def digests(papers: list[Path]) -> dict[str, str]:
        return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in papers}

    again = make_library(tmp_path)
    assert len(again) == len(LABELS)
    assert digests(again) == digests(sorted((library / "library").glob("*.pdf")))


def test_each_paper_has_its_reference_by_doi_or_title_and_one_reference_has_no_paper(
    library: Path,
) -> None:
    references = json.loads((library / "references.json").read_text(encoding="utf-8"))
    pages = first_pages(library)
    found: dict[str, list[str]] = {}
    for reference in references:
        marks = [reference.get("DOI"), reference["title"]]
        found[reference["citation-key"]] = [
            paper
            for paper, text in pages.items()
            if any(mark.lower() in text.lower() for mark in marks if mark)
        ]
    assert sorted(paper for papers in found.values() for paper in papers) == sorted(pages)
    assert [key for key, papers in found.items() if not papers] == [
        "vandermeerFoulingOrganismsNorthern2017"
    ]
    assert sum("10.5555/" in text for text in pages.values()) == 3


def test_a_reference_names_the_pages_its_paper_is_printed_on(library: Path) -> None:
    references = json.loads((library / "references.json").read_text(encoding="utf-8"))
    ranges = {reference["page"] for reference in references if "page" in reference}
    printed = {f"{labels[0]}-{labels[-1]}" for labels in LABELS.values() if labels[0] != "i"}
    assert printed <= ranges


def test_no_folder_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
