"""Citations in styles, references in formats, and what is wrong with either."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError, InvalidReferences, NotFound
from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.manuscript.csl_items import exported, items_of, read_items
from citeloom.infrastructure.manuscript.formatting import citation_style, rendered
from tests.fakes.recorded_requests import Requests

ITEMS = [
    {
        "id": "doe2020",
        "type": "article-journal",
        "title": "Rain on *dry* $5 roofs",
        "author": [{"family": "Doe", "given": "Ada"}, {"literal": "The Rain Group"}],
        "issued": {"date-parts": [[2020]]},
        "container-title": "Journal of Rain",
        "page": "101-110",
        "volume": 7,
    }
]
PLACE = CitedPlace(citekey="doe2020", pages="105")


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        ("apa", "(Doe & The Rain Group, 2020, p. 105)"),
        ("chicago-author-date", "(Doe and The Rain Group 2020, 105)"),
        ("ieee", "[1, p. 105]"),
        ("mla", "(Doe and The Rain Group 105)"),
    ],
)
def test_citations_in_styles(style: str, citation: str) -> None:
    cited, entry = rendered([PLACE], ITEMS, style=style, form="text").split("\n\n")
    assert cited == citation
    assert "*dry* $5 roofs" in entry.replace("Dry", "dry").replace("Roofs", "roofs")


def test_a_footnote_is_printed_as_such() -> None:
    cited, _ = rendered([PLACE], ITEMS, style="chicago-notes", form="text").split("\n\n")
    assert cited.startswith("Ada Doe and The Rain Group, “Rain")
    assert cited.endswith("7 (2020): 105.")


def test_html_and_another_language() -> None:
    html = rendered([PLACE], ITEMS, style="chicago-author-date", form="html", locale="de-DE")
    assert "<em>Journal of Rain</em>" in html
    assert "Doe und The Rain Group 2020, 105" in html


def test_a_dependent_style_is_that_which_it_depends_on(tmp_path: Path) -> None:
    assert citation_style("nature-medicine").file == citation_style("nature").file
    own = _dependent_style(tmp_path / "own.csl", "http://www.zotero.org/styles/apa")
    found = citation_style(str(own))
    assert (found.file, found.language) == (citation_style("apa").file, "fr-FR")
    second = _dependent_style(tmp_path / "second.csl", "own")
    assert citation_style(str(second)).file == found.file
    _dependent_style(own, "http://www.zotero.org/styles/nobody")
    with pytest.raises(ConfigError, match=r"own\.csl depends on the style nobody"):
        citation_style(str(own))
    own.write_text("no style", encoding="utf-8")
    with pytest.raises(ConfigError, match="no citation style"):
        citation_style(str(own))


@pytest.mark.parametrize(
    "link",
    [
        '<link href="{}/parent.csl" rel="independent-parent"/>',
        '<LINK href="{}/parent.csl" rel="independent-parent"/>',
        '<x:link xmlns:x="urn:x" x:href="{}/parent.csl" x:rel="independent-parent"/>',
        '<link href="{}/own" rel="independent-parent"/>',
        '<link href="{}/chain" rel="independent-parent"/>',
        '<link href="{}/" rel="independent-parent"/>',
        '<link rel="independent-parent"/>',
    ],
)
def test_no_style_causes_a_request(
    tmp_path: Path, requests: Requests, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    monkeypatch.setenv("http_proxy", requests.address)
    _dependent_style(tmp_path / "chain.csl", f"{requests.address}/further")
    own = _dependent_style(tmp_path / "own.csl", "", link.format(requests.address))
    with pytest.raises(ConfigError, match="no style is downloaded"):
        rendered([PLACE], ITEMS, style=str(own), form="text")
    assert requests.seen == []


def test_a_style_is_handed_on_without_links_and_must_not_declare_entities(tmp_path: Path) -> None:
    own = tmp_path / "own.csl"
    xml = citation_style("apa").file.read_text(encoding="utf-8")
    own.write_text(xml, encoding="utf-8")
    assert b'rel="documentation"' in xml.encode()
    assert b"<link" not in citation_style(str(own)).xml
    entities = '<!DOCTYPE style [<!ENTITY a "b">]>'
    own.write_text(xml.replace("<style ", f"{entities}<style ", 1), encoding="utf-8")
    with pytest.raises(ConfigError, match="has a DOCTYPE"):
        citation_style(str(own))


def _dependent_style(file: Path, parent: str, link: str = "") -> Path:
    link = link or f'<link href="{parent}" rel="independent-parent"/>'
    space = 'xmlns="http://purl.org/net/xbiblio/csl"'
    file.write_text(
        f'<style {space} default-locale="fr-FR"><info>{link}</info></style>', encoding="utf-8"
    )
    return file


def test_an_unknown_style_names_the_nearest() -> None:
    with pytest.raises(NotFound) as raised:
        citation_style("chicago-author-dates")
    assert "chicago-author-date" in raised.value.hint
    with pytest.raises(ConfigError, match="there is no style"):
        citation_style("missing.csl")
    with pytest.raises(NotFound, match="no citation style is called"):
        citation_style("../../apa")


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        ("bibtex", ["@article{doe2020,", "volume = {7}", "{The Rain Group}"]),
        ("biblatex", ["date = {2020}", "journal = {Journal of Rain}"]),
        ("ris", ["TY  - JOUR", "AU  - Doe, Ada", "AU  - The Rain Group", "SP  - 101", "EP  - 110"]),
        ("csl-json", ['"volume": 7']),
    ],
)
def test_references_are_exported(form: str, parts: list[str]) -> None:
    text = exported(ITEMS, form)
    assert [part for part in parts if part not in text] == []


def test_items_are_found_by_key_doi_and_title_or_made(tmp_path: Path) -> None:
    file = tmp_path / "references.json"
    items = [
        {"id": "1", "citation-key": "doe2020", "title": "A", "volume": "1", "abstract": "long"},
        {"id": "2", "DOI": "10.5555/ROE", "title": "B", "volume": "2"},
        {"id": "3", "title": "Third", "volume": "3"},
    ]
    file.write_text(json.dumps(items), encoding="utf-8")
    references = [
        CitationMeta(citekey="doe2020", title="A"),
        CitationMeta(citekey="roe", title="Other", doi="10.5555/roe"),
        CitationMeta(citekey="third", title="third"),
        CitationMeta(citekey="poe", title="P", authors=("Poe, E",), year=1999, container="J"),
    ]
    found = items_of(references, read_items(file))
    assert [(one["id"], one.get("volume")) for one in found] == [
        ("doe2020", "1"),
        ("roe", "2"),
        ("third", "3"),
        ("poe", None),
    ]
    assert "abstract" not in found[0]
    assert found[3]["author"] == [{"family": "Poe", "given": "E"}]


def test_bibtex_and_ris_are_read_and_broken_files_said_to_be(tmp_path: Path) -> None:
    bib = tmp_path / "a.bib"
    bib.write_text("@book{doe, title={Rain}, publisher={Press}, year=2020}", encoding="utf-8")
    assert read_items(bib)[0]["publisher"] == "Press"
    ris = tmp_path / "a.ris"
    ris.write_text("TY  - JOUR\nTI  - Rain\nVL  - 3\nER  - \n", encoding="utf-8")
    assert str(read_items(ris)[0]["volume"]) == "3"
    broken = tmp_path / "a.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidReferences, match="no JSON"):
        read_items(broken)
    with pytest.raises(InvalidReferences, match="cannot be read"):
        read_items(tmp_path / "missing.json")
