"""What filters select, and what is said where they select nothing."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.application.collection import filter_notes
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.vector_index import Capability
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import Filters
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import Library, open_project, paper

REFERENCES = (
    CitationMeta(citekey="rye2001", title="Rye", year=2001, tags=("Field Work", "rain")),
    CitationMeta(citekey="oats2003", title="Oats", year=2003, tags=("field work",)),
)


@pytest.fixture(scope="module", params=["counts by values", "only searches"])
def opened(request: pytest.FixtureRequest) -> OpenProject:
    capabilities = frozenset(Capability) if "counts" in request.param else frozenset()
    library = Library({"papers/rye.txt": paper("rye"), "papers/oats.txt": paper("oats")})
    library.references = MemoryReferenceLibrary(
        *REFERENCES, mapping={"rye.txt": "rye2001", "oats.txt": "oats2003"}
    )
    library.ingest()
    library.index.restrict(capabilities)
    return open_project(library)


def ask(opened: OpenProject, **filters: Any) -> QueryResult:
    return query(opened, QueryRequest(text="rainfall", top_k=20, **filters))


def sources(result: QueryResult) -> set[str]:
    return {passage.stored.source_path for passage in result.passages}


@pytest.mark.parametrize("tag", ["field work", "Field Work", "FIELD WORK"])
def test_tags_match_in_every_spelling_whatever_the_case(opened: OpenProject, tag: str) -> None:
    assert sources(ask(opened, tags=(tag,))) == {"papers/rye.txt", "papers/oats.txt"}


def test_of_several_tags_a_work_has_all(opened: OpenProject) -> None:
    result = ask(opened, tags=("field work", "Rain"))
    assert sources(result) == {"papers/rye.txt"}
    assert result.notes == ()


@pytest.mark.parametrize(
    ("filters", "note"),
    [
        ({"citekey": "rye2011"}, "the project has no citekey 'rye2011'; nearest: rye2001"),
        ({"citekey": "zzz"}, "the project has no citekey 'zzz'"),
        ({"doc_id": "abc"}, "the project has no document 'abc'"),
        (
            {"section": ("2 Rainfal",)},
            "the project has no section 'rainfal'; nearest: rainfall",
        ),
    ],
)
def test_an_unknown_value_names_the_nearest(
    opened: OpenProject, filters: dict[str, object], note: str
) -> None:
    result = ask(opened, **filters)
    assert result.passages == ()
    assert result.notes == (note,)


def test_an_unknown_source_names_the_nearest(opened: OpenProject) -> None:
    assert filter_notes(opened, Filters(source_path="paper/rye.txt")) == (
        "the project has no source 'paper/rye.txt'; nearest: papers/rye.txt, papers/oats.txt",
    )


def test_of_known_values_that_never_meet_that_is_said(opened: OpenProject) -> None:
    result = ask(opened, citekey="oats2003", tags=("rain",))
    assert result.notes == ("no passage in the project meets all the filters",)
    assert ask(opened, years=(1999, 2000)).notes == result.notes


def test_several_unknown_values_are_all_named(opened: OpenProject) -> None:
    notes = ask(opened, citekey="x", doc_id="y").notes
    assert notes == ("the project has no document 'y'", "the project has no citekey 'x'")


def test_a_question_that_finds_nothing_among_many_has_no_note_on_filters(
    opened: OpenProject,
) -> None:
    assert query(opened, QueryRequest(text="a", citekey="rye2001")).notes == ()
