"""Citations of a place in the notations of Pandoc, LaTeX and Typst."""

from __future__ import annotations

import pytest

from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.retrieval.locator import Locator


@pytest.mark.parametrize(
    ("text", "pandoc", "latex", "typst"),
    [
        ("doe2020", "[@doe2020]", r"\autocite{doe2020}", "#cite(<doe2020>)"),
        (
            "[@doe2020, p. 45]",
            "[@doe2020, p. 45]",
            r"\autocite[45]{doe2020}",
            "#cite(<doe2020>, supplement: [p. 45])",
        ),
        (
            "@doe2020, 45-47",
            "[@doe2020, pp. 45-47]",
            r"\autocite[45--47]{doe2020}",
            "#cite(<doe2020>, supplement: [pp. 45-47])",
        ),
        (
            "[@{a b}, sec. 2]",
            "[@{a b}, sec. 2]",
            r"\autocite[sec. 2]{a b}",
            '#cite(label("a b"), supplement: [sec. 2])',
        ),
    ],
)
def test_each_notation(text: str, pandoc: str, latex: str, typst: str) -> None:
    place = CitedPlace.read(text)
    assert (place.pandoc(), place.latex(), place.typst()) == (pandoc, latex, typst)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("[@doe, p. 45; @roe]", ["[@doe, p. 45]", "[@roe]"]),
        ("[@doe, @roe, p. 6]", ["[@doe]", "[@roe, p. 6]"]),
        ("[@doe, S. 3; eigene Übersetzung; @roe]", ["[@doe, S. 3; eigene Übersetzung]", "[@roe]"]),
        ("[@doe, ch. 2, p. 45]", ["[@doe, ch. 2, p. 45]"]),
        ("doe", ["[@doe]"]),
    ],
)
def test_each_citation_of_a_bracket_is_read_with_its_place(text: str, cited: list[str]) -> None:
    assert [place.pandoc() for place in CitedPlace.read_all(text)] == cited


def test_the_place_of_a_passage() -> None:
    pages = Locator(page_start=2, page_end=3, page_labels=("12", "13"))
    assert CitedPlace.of("doe", pages).pandoc() == "[@doe, pp. 12-13]"
    paragraph = Paragraph(section="2.3", number=4)
    without = Locator(paragraphs=(paragraph, paragraph))
    assert CitedPlace.of("doe", without).pandoc() == "[@doe, sec. 2.3, para. 4]"
