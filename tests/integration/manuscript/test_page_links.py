"""Citations that lead to the pages of works, in what Pandoc makes of a draft."""

from __future__ import annotations

import re
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
import pytest

from citeloom.infrastructure.manuscript.page_links import links_filter

LINKS = [
    ("doe2020", "p. 45", "file:///papers/doe.pdf#page=3"),
    ("doe2020", ", pp. 45\u201347", "file:///papers/doe.pdf#page=3"),
    ("a:b", 'p.\xa04 "so"', 'file:///papers/a"b\\c.pdf#page=4'),
]


def linked(text: str, tmp_path: Path, reader: str = "markdown") -> list[str]:
    """The addresses in the HTML of a draft."""
    script = tmp_path / "links.lua"
    script.write_text(links_filter(LINKS), encoding="utf-8")
    options = ["--lua-filter", str(script), "--citeproc", "--quiet"]
    html = pypandoc.convert_text(text, "html", format=reader, extra_args=options)
    return re.findall(r'href="([^"#]*#page=\d+)"', html)


@pytest.mark.parametrize(
    "cited",
    ["[@doe2020, p. 45]", "[see @doe2020, p.\xa045]", "@doe2020 [p. 45]", "[-@doe2020, p. 45]"],
)
def test_a_citation_with_its_page_leads_there(cited: str, tmp_path: Path) -> None:
    assert linked(f"So it is {cited}.", tmp_path) == ["file:///papers/doe.pdf#page=3"]


def test_latex_and_ranges_are_linked_too(tmp_path: Path) -> None:
    assert linked(r"So \autocite[45--47]{doe2020}.", tmp_path, "latex") == []
    assert linked(r"So \autocite[pp.~45--47]{doe2020}.", tmp_path, "latex") == [LINKS[1][2]]
    assert linked("So [@doe2020, pp. 45-47].", tmp_path) == []
    assert linked("So [@doe2020, pp. 45--47].", tmp_path) == [LINKS[1][2]]


def test_others_stay_as_they_are(tmp_path: Path) -> None:
    text = "So [@doe2020, p. 46], [@doe2020], [@doe2020, p. 45; @roe, p. 1], @nobody [p. 45]."
    assert linked(text, tmp_path) == []


def test_signs_in_suffixes_are_kept(tmp_path: Path) -> None:
    assert links_filter(LINKS).count('["a:b p. 4 \\"so\\""] = "file:///papers/a\\"b') == 1
    assert linked("So [@doe2020, p. 45].", tmp_path) == [LINKS[0][2]]


def test_a_draft_without_pages_has_an_empty_filter(tmp_path: Path) -> None:
    assert "links = {\n}" in links_filter([])
