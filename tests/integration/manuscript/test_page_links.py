"""Citations that lead to the pages of works, in what Pandoc makes of a draft."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
import pytest

from citeloom.infrastructure.manuscript.formatting import citation_style, links_filter

LINKS = [
    ("doe2020", "p. 45", "file:///papers/doe.pdf#page=3"),
    ("doe2020", ", pp. 45\u201347", "file:///papers/doe.pdf#page=3"),
    ("a:b", 'p.\xa04 "so"', 'file:///papers/a"b\\c.pdf#page=4'),
]


BEFORE = ["--lua-filter", "links.lua", "--citeproc"]
BEHIND = ["--citeproc", "-M", "link-citations=true", "--lua-filter", "links.lua"]
WORKS = [
    {"id": "doe2020", "type": "book", "title": "T", "author": [{"family": "Doe"}]},
    {"id": "roe", "type": "book", "title": "U", "author": [{"family": "Aoe"}]},
]
FOOTNOTES = "chicago-notes"


def html_of(
    text: str,
    tmp_path: Path,
    reader: str = "markdown",
    order: Sequence[str] = BEHIND,
    style: str | None = None,
) -> str:
    """A draft as HTML, with the filter."""
    script, works = tmp_path / "links.lua", tmp_path / "works.json"
    script.write_text(links_filter(LINKS), encoding="utf-8")
    works.write_text(json.dumps(WORKS), encoding="utf-8")
    options = [str(script) if one == "links.lua" else one for one in order]
    options += ["--bibliography", str(works), "--quiet", "--wrap=none"]
    options += ["--csl", str(citation_style(style).file)] if style else []
    html: str = pypandoc.convert_text(text, "html", format=reader, extra_args=options)
    return html


def linked(
    text: str, tmp_path: Path, reader: str = "markdown", order: Sequence[str] = BEHIND
) -> list[str]:
    """The addresses of pages in the HTML of a draft."""
    return re.findall(r'href="([^"#]*#page=\d+)"', html_of(text, tmp_path, reader, order))


@pytest.mark.parametrize(
    "cited",
    ["[@doe2020, p. 45]", "[see @doe2020, p.\xa045]", "@doe2020 [p. 45]", "[-@doe2020, p. 45]"],
)
@pytest.mark.parametrize("order", [BEFORE, BEHIND, BEHIND[:1] + BEHIND[3:]])
def test_a_citation_with_its_page_leads_there(
    cited: str, order: Sequence[str], tmp_path: Path
) -> None:
    found = linked(f"So it is {cited}.", tmp_path, order=order)
    assert found == ["file:///papers/doe.pdf#page=3"]


MANY = "So [@roe, p. 9; @doe2020, p. 45; @doe2020, p. 7; @doe2020, pp. 45--47]."


@pytest.mark.parametrize("style", [None, "ieee", FOOTNOTES])
def test_each_work_of_a_bracket_leads_to_its_own_page(style: str | None, tmp_path: Path) -> None:
    html = html_of(MANY, tmp_path, style=style)
    found = re.findall(r'href="(#ref-[a-z0-9]+|[^"#]*#page=\d+)"', html)
    assert sorted(found) == sorted(["#ref-roe", LINKS[0][2], "#ref-doe2020", LINKS[1][2]])
    texts = re.findall(r'page=3"[^>]*>(.*?)</a>', html)
    assert [re.findall(r"[\d\u2013]+", text)[-1] for text in texts] == ["45", "45\u201347"]


def test_before_citeproc_a_bracket_of_several_works_stays_as_it_is(tmp_path: Path) -> None:
    assert linked(MANY, tmp_path, order=BEFORE) == []


def test_latex_and_ranges_are_linked_too(tmp_path: Path) -> None:
    assert linked(r"So \autocite[45--47]{doe2020}.", tmp_path, "latex") == []
    assert linked(r"So \autocite[pp.~45--47]{doe2020}.", tmp_path, "latex") == [LINKS[1][2]]
    assert linked("So [@doe2020, pp. 45-47].", tmp_path) == []
    assert linked("So [@doe2020, pp. 45--47].", tmp_path) == [LINKS[1][2]]


@pytest.mark.parametrize("order", [BEFORE, BEHIND])
def test_others_stay_as_they_are(order: Sequence[str], tmp_path: Path) -> None:
    text = "So [@doe2020, p. 46], [@doe2020], [@doe2020; @roe, p. 1], @nobody [p. 45]."
    assert linked(text, tmp_path, order=order) == []


def test_signs_in_suffixes_are_kept(tmp_path: Path) -> None:
    assert links_filter(LINKS).count('["a:b p. 4 \\"so\\""] = "file:///papers/a\\"b') == 1
    assert linked("So [@doe2020, p. 45].", tmp_path) == [LINKS[0][2]]


def test_a_draft_without_pages_has_an_empty_filter(tmp_path: Path) -> None:
    assert "links = {\n}" in links_filter([])
