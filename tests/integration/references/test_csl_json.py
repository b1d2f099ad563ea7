from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.bibliography import Bibliography
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.references.csl_json import read


def read_items(*items: object) -> Bibliography:
    return read(json.dumps(items), "library.json")


def only(item: dict[str, Any]) -> CitationMeta:
    bibliography = read_items({"id": "key", **item})
    (entry,) = bibliography.entries
    return entry.citation


def test_a_better_csl_item_is_read_whole() -> None:
    citation = only(
        {
            "id": 17,
            "citation-key": "moorTidal2019",
            "type": "article-journal",
            "title": 'Tidal <span class="nocase"><i>mixing</i></span> &amp; salt',
            "author": [{"family": "Moor", "given": "Ada"}, {"literal": "The Tide Group"}],
            "issued": {"date-parts": [["2019", 5, 2]]},
            "DOI": "https://doi.org/10.5555/TIDAL",
            "URL": "https://example.org/tidal",
            "container-title": ["Journal of Water", "J. Water"],
            "page": "4\u201323",
            "keyword": "tides, salt",
            "collections": ["Water", "Coast"],
            "language": "en_US",
            "unheard-of": {"deep": [1]},
        }
    )
    assert citation == CitationMeta(
        item_type="journalArticle",
        citekey="moorTidal2019",
        title="Tidal mixing & salt",
        authors=("Moor, Ada", "The Tide Group"),
        year=2019,
        doi="10.5555/tidal",
        url="https://example.org/tidal",
        container="Journal of Water",
        pages="4\u201323",
        tags=("tides", "salt"),
        collections=("Water", "Coast"),
        language="en-US",
    )


@pytest.mark.parametrize(
    ("item", "citekey"),
    [
        ({"citation-key": "a", "citekey": "b", "id": "c"}, "a"),
        ({"citekey": "b", "id": "c"}, "b"),
        ({"id": "c"}, "c"),
        ({"id": 12}, "12"),
        ({"citation-key": " ", "id": "c"}, "c"),
        ({"id": "", "note": "Citation Key: d"}, "d"),
    ],
)
def test_the_citekey_is_the_best_there_is(item: dict[str, Any], citekey: str) -> None:
    assert read_items({"title": "T", **item}).entries[0].citation.citekey == citekey


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ({"family": "Gogh", "given": "V.", "non-dropping-particle": "van"}, "van Gogh, V."),
        ({"family": "Fern", "given": "A.", "dropping-particle": "von"}, "Fern, A. von"),
        ({"family": "King", "given": "M. L.", "suffix": "Jr."}, "King, M. L., Jr."),
        ({"family": "\u2019t&amp;nbsp;Hart", "given": "B."}, "\u2019t Hart, B."),
        ({"family": "Plato"}, "Plato"),
        ({"literal": "WHO"}, "WHO"),
        ("Moor, Ada", "Moor, Ada"),
    ],
)
def test_a_name_is_written_family_first(name: object, author: str) -> None:
    assert only({"author": [name]}).authors == (author,)


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ({"date-parts": [[2014, 12, 31], [2015, 1, 1]]}, 2014),
        ({"date-parts": [["2014", 12, 31], [0]]}, 2014),
        ({"date-parts": [[2017]], "season": 4}, 2017),
        ({"date-parts": [[987]]}, 987),
        ({"raw": "30 Aug. 2018"}, 2018),
        ({"literal": "circa 1850"}, 1850),
        ("2011-05~/2012", 2011),
        ("1998-2003", 1998),
        ("May 1998 to June 2003", 1998),
        ("2018, 3 May 2018", 2018),
        (2020, 2020),
        (None, None),
    ],
)
def test_a_date_gives_the_year_it_begins_with(issued: object, year: int | None) -> None:
    bibliography = read_items({"id": "key", "issued": issued})
    assert bibliography.entries[0].citation.year == year
    assert not any("usable year" in flaw for flaw in bibliography.diagnostics())


@pytest.mark.parametrize(
    "issued",
    [
        {"date-parts": [["-334"]]},
        {"date-parts": [[0]]},
        {"date-parts": [[20145]]},
        {"raw": "-0044-03-15"},
        {"literal": "13th cent"},
        {"literal": "1200 (repr. 1987)"},
        "forthcoming",
    ],
)
def test_a_date_without_a_usable_year_is_reported(issued: object) -> None:
    bibliography = read_items({"id": "key", "issued": issued})
    assert bibliography.entries[0].citation.year is None
    assert any("'key'" in flaw and "usable year" in flaw for flaw in bibliography.diagnostics())


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("English", "en"),
        ("eng", "en"),
        ("en-us", "en-US"),
        ("en_GB.UTF-8", "en-GB"),
        ("Deutsch", "de"),
        ("Fran\u00e7ais", "fr"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("en; fr", "en"),
        ("grc", "grc"),
    ],
)
def test_a_language_becomes_its_code(language: str, code: str) -> None:
    assert only({"language": language}).language == code


def test_an_unknown_language_is_dropped_and_reported() -> None:
    bibliography = read_items({"id": "key", "language": "Martian dialect"})
    assert bibliography.entries[0].citation.language is None
    assert (
        "Reference 'key' has an unknown language: 'Martian dialect'." in bibliography.diagnostics()
    )


def test_missing_fields_are_taken_from_the_note() -> None:
    note = "Read twice.\nDOI: 10.5555/NOTE\ntex.langid: ngerman\ntex.keywords: a; b"
    citation = only({"note": note, "URL": "https://example.org"})
    assert (citation.doi, citation.language, citation.tags) == ("10.5555/note", "de", ("a", "b"))


def test_a_doi_is_read_from_the_url_of_the_resolver_alone() -> None:
    assert only({"URL": "http://dx.doi.org/10.5555/A"}).doi == "10.5555/a"
    assert only({"URL": "https://press.example/10.5555/A"}).doi is None


@pytest.mark.parametrize(
    "fields",
    [
        {"select": "zotero://select/library/items/ABCD2345"},
        {"uri": "http://zotero.org/users/7/items/ABCD2345"},
        {"id": "http://zotero.org/groups/7/items/ABCD2345"},
        {"item-key": "ABCD2345"},
        {"select": "zotero://select/items/0_ABCD2345"},
    ],
)
def test_the_item_key_is_found(fields: dict[str, str]) -> None:
    assert only(fields).item_key == "ABCD2345"


def test_a_better_bibtex_export_is_read_with_collections_and_files() -> None:
    export = {
        "config": {"label": "BetterBibTeX JSON"},
        "collections": {"C1": {"name": "Coast", "items": [5]}, "C2": {"name": "Sea", "items": []}},
        "items": [
            {
                "itemType": "journalArticle",
                "itemID": 5,
                "itemKey": "ABCD2345",
                "citationKey": "moor",
                "title": "Tides",
                "creators": [
                    {"creatorType": "editor", "lastName": "Else", "firstName": "Zoe"},
                    {"creatorType": "author", "lastName": "Moor", "firstName": "Ada"},
                    {"creatorType": "author", "name": "Tide Group"},
                ],
                "date": "2019-05-02",
                "publicationTitle": "Water",
                "tags": [{"tag": "salt"}, {"tag": "tides"}],
                "attachments": [{"path": "/home/a/storage/XY/t.pdf"}, {"title": "Link"}],
                "extra": "DOI: 10.5555/x",
            },
            {"itemType": "attachment", "path": "/home/a/loose.pdf"},
        ],
    }
    (entry,) = read(json.dumps(export), "library.json").entries
    citation = entry.citation
    assert citation.authors == ("Moor, Ada", "Tide Group")
    assert (citation.citekey, citation.year, citation.doi) == ("moor", 2019, "10.5555/x")
    assert (citation.container, citation.item_key) == ("Water", "ABCD2345")
    assert (citation.tags, citation.collections) == (("salt", "tides"), ("Coast",))
    assert entry.files == ("/home/a/storage/XY/t.pdf",)


def test_flaws_are_told_a_sentence_each_and_no_reference_is_lost() -> None:
    bibliography = read_items(
        {"id": "a", "title": "A", "DOI": "10.5555/x", "author": [{"family": "Moor"}]},
        {"id": "b", "title": "B", "DOI": "10.5555/X"},
        {"id": "a", "title": "Again"},
        {"title": "No key", "author": [{"family": "Fenn"}], "issued": "2020"},
        "stray",
    )
    keys = [entry.citation.citekey for entry in bibliography.entries]
    assert keys == ["a", "b", "fenn2020-4"]
    assert bibliography.entries[0].citation.title == "A"
    expected = {
        "Entry 5 is not a reference and was left out: 'stray'",
        "The citekey 'a' is used more than once; only its first reference is kept.",
        "Entry 4 has no citekey; it was given 'fenn2020-4'.",
        "Reference 'b' has no authors.",
        "The DOI 10.5555/x is given for 2 references: a, b.",
    }
    assert expected <= set(bibliography.diagnostics())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"id": "a",}]', "line 1, column"),
        ('[\n{"id": "a"\n', "line 3"),
        ("", "line 1"),
        ('"text"', "no list of references"),
        ('{"items": 3}', "no list of references"),
        ("[" * 100_000, "library.json"),
    ],
)
def test_what_is_no_list_of_references_is_refused_with_a_way_out(text: str, told: str) -> None:
    with pytest.raises(InvalidReferences, match=r"library\.json") as raised:
        read(text, "library.json")
    assert told in raised.value.message
    assert "xport the library" in raised.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["family", "given", "literal", "date-parts", "raw", "name", "path"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
FIELDS = [
    *("id", "citation-key", "title", "author", "issued", "DOI", "URL", "language", "keyword"),
    *("collections", "container-title", "page", "note", "extra", "file", "attachments", "itemType"),
    *("creators", "tags", "uri", "select", "date", "itemID"),
]


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=8), max_size=3), JSON)
def test_no_entry_whatever_it_holds_crashes_the_reader(
    items: list[dict[str, Any]], collections: object
) -> None:
    for text in (json.dumps(items), json.dumps({"items": items, "collections": collections})):
        bibliography = read(text, "library.json")
        citekeys = [entry.citation.citekey for entry in bibliography.entries]
        assert len(citekeys) == len(set(citekeys)) <= len(items)
