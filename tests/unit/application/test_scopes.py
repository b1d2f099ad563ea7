"""Filters by what Zotero knows of a work: its collections, authors, library, type and the like."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.vector_index import Capability
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.references.citation import CitationMeta
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import Library, open_project, paper

RYE, OATS = "papers/rye.txt", "papers/oats.txt"
REFERENCES = (
    CitationMeta(
        citekey="rye2001",
        title="Rye",
        authors=("van der Berg, Émile", "Okafor, Ada B."),
        tags=("Field Work", "rain"),
        collections=(r"Papers/Wet \/ dry", "Reading"),
        collection_keys=("PAPERS23/WETDRY23", "READIN23"),
        libraries=("library/My Library",),
        item_type="journalArticle",
        container="Field Crops",
        language="de-AT",
        added="2024-05-31",
        aliases=("rye01",),
    ),
    CitationMeta(
        citekey="oats2003",
        title="Oats",
        authors=("Okafor, Chidi",),
        tags=("field work",),
        collections=("Papers",),
        collection_keys=("PAPERS23",),
        libraries=("groups/4355231/Cereal Lab",),
        item_type="bookSection",
        container="Cereals",
        language="en",
        added="2023-01-05",
    ),
)


@pytest.fixture(scope="module", params=["counts by values", "only searches"])
def opened(request: pytest.FixtureRequest) -> OpenProject:
    capabilities = frozenset(Capability) if "counts" in request.param else frozenset()
    library = Library({RYE: paper("rye"), OATS: paper("oats")})
    library.references = MemoryReferenceLibrary(
        *REFERENCES, mapping={"rye.txt": "rye2001", "oats.txt": "oats2003"}
    )
    library.ingest()
    library.index.restrict(capabilities)
    return open_project(library)


def one_work(*references: CitationMeta) -> OpenProject:
    library = Library({RYE: paper("rye"), OATS: paper("oats")})
    mapping = dict(zip(("rye.txt", "oats.txt"), (each.citekey for each in references)))
    library.references = MemoryReferenceLibrary(*references, mapping=mapping)
    library.ingest()
    return open_project(library)


def found(opened: OpenProject, **filters: Any) -> set[str]:
    result = query(opened, QueryRequest(text="rainfall", top_k=20, **filters))
    return {passage.stored.source_path for passage in result.passages}


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"collections": "papers"}, {OATS}),
        ({"collections": "/Papers/"}, {OATS}),
        ({"collections": "papers", "subcollections": True}, {RYE, OATS}),
        ({"collections": r"papers/wet \/ dry"}, {RYE}),
        ({"collections": "WETDRY23"}, {RYE}),
        ({"collections": "PAPERS23"}, {OATS}),
        ({"collections": "PAPERS23", "subcollections": True}, {RYE, OATS}),
        ({"collections": ("Reading", "Papers")}, {RYE, OATS}),
        ({"authors": "okafor"}, {RYE, OATS}),
        ({"authors": "Ada Okafor"}, {RYE}),
        ({"authors": "Okafor, A."}, {RYE}),
        ({"authors": "emile VAN DER BERG"}, {RYE}),
        ({"authors": ("Okafor", "Berg")}, {RYE}),
        ({"libraries": "library"}, {RYE}),
        ({"libraries": "my library"}, {RYE}),
        ({"libraries": "groups/4355231"}, {OATS}),
        ({"libraries": "4355231"}, {OATS}),
        ({"libraries": "cereal lab"}, {OATS}),
        ({"item_types": "journalarticle"}, {RYE}),
        ({"item_types": "article-journal"}, {RYE}),
        ({"item_types": "chapter"}, {OATS}),
        ({"item_types": ("incollection", "article")}, {RYE, OATS}),
        ({"containers": "field crops"}, {RYE}),
        ({"languages": "German"}, {RYE}),
        ({"languages": ("de-AT", "en")}, {RYE, OATS}),
        ({"added_since": "2024-05-31"}, {RYE}),
        ({"added_since": "2024-06"}, set()),
        ({"added_since": "2023"}, {RYE, OATS}),
        ({"tags": ("FIELD work", "Rain")}, {RYE}),
        ({"citekey": "rye01"}, {RYE}),
        ({"citekey": "rye2001"}, {RYE}),
    ],
)
def test_each_scope_selects_what_it_names(
    opened: OpenProject, filters: dict[str, Any], paths: set[str]
) -> None:
    assert found(opened, **filters) == paths


@pytest.mark.parametrize(
    ("filters", "message", "hint"),
    [
        ({"tags": "Fieldwork"}, "the project has no tag 'Fieldwork'", "Did you mean field work?"),
        ({"collections": "Raeding"}, "no Zotero collection 'Raeding'", "Did you mean Reading?"),
        (
            {"collections": ("Reading", "Wet")},
            "no Zotero collection 'Wet'",
            r"Papers/Wet \/ dry; Reading.",
        ),
        ({"authors": "Okafro"}, "no author 'Okafro'", "Did you mean Okafor"),
        ({"authors": "Chidi Berg"}, "no author 'Chidi Berg'", ""),
        ({"libraries": "groups/1"}, "no Zotero library 'groups/1'", "groups/4355231/Cereal Lab"),
        (
            {"item_types": "thesis"},
            "no item type 'thesis'",
            "There are: bookSection; journalArticle.",
        ),
        ({"containers": "Cereal"}, "no container 'Cereal'", "Did you mean Cereals?"),
        ({"languages": "fr"}, "no language 'fr'", ""),
    ],
)
def test_an_unknown_value_is_an_error_that_names_the_nearest(
    opened: OpenProject, filters: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(InvalidFilter) as caught:
        found(opened, **filters)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_what_no_passage_has_is_said_with_how_to_add_it(opened: OpenProject) -> None:
    with pytest.raises(InvalidFilter) as caught:
        found(opened, annotation_colors="yellow")
    assert "no annotation colour 'yellow'" in caught.value.message
    assert "`citeloom sync --annotations`" in (caught.value.hint or "")
    with pytest.raises(InvalidFilter) as caught:
        found(one_work(replace(REFERENCES[0], language=None)), languages="de")
    assert "`citeloom sync`, or `citeloom ingest`" in (caught.value.hint or "")
    with pytest.raises(InvalidFilter) as caught:
        found(opened, collections="PAPERS23/WETDRY2")
    assert "Papers" in (caught.value.hint or "")
    assert "PAPERS23" not in (caught.value.hint or "")


def test_a_collection_without_works_of_its_own_says_where_they_are() -> None:
    with pytest.raises(InvalidFilter) as caught:
        found(one_work(REFERENCES[0]), collections="Papers")
    assert "--subcollections" in (caught.value.hint or "")


def test_works_without_a_day_say_how_to_get_it() -> None:
    opened = one_work(replace(REFERENCES[0], added=None))
    notes = query(opened, QueryRequest(text="rainfall", added_since="2020")).notes
    assert [note.startswith("no passage has the day it was added") for note in notes] == [True]


def test_a_citekey_of_a_work_goes_before_an_alias() -> None:
    opened = one_work(replace(REFERENCES[0], aliases=("oats2003",)), REFERENCES[1])
    assert found(opened, citekey="oats2003") == {OATS}
    assert found(one_work(replace(REFERENCES[0], aliases=("oats",))), citekey="oats") == {RYE}


@pytest.mark.parametrize("day", ["yesterday", "2024-13", "2024-05-31-1", ""])
def test_a_day_is_written_as_one(opened: OpenProject, day: str) -> None:
    with pytest.raises(InvalidFilter, match="is no day"):
        found(opened, added_since=day)
