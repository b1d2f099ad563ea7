from __future__ import annotations

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.stores.records.queries import Between, Filter, MatchAny, selecting


def test_the_project_is_always_a_condition() -> None:
    assert selecting(Selection(project_id="p")) == Filter((MatchAny("project_id", ("p",)),))


def test_every_given_condition_must_hold() -> None:
    selection = Selection(
        project_id="p",
        doc_id="d",
        citekey="c",
        scopes=(("tags", ("x",)), ("tags", ("y", "Y"))),
        year_from=2001,
        year_to=2005,
        kinds=(ChunkKind.TEXT, ChunkKind.TABLE),
        section=("2 Methods", "Sampling"),
        source_path="a.pdf",
    )
    assert selecting(selection).must == (
        MatchAny("project_id", ("p",)),
        MatchAny("doc_id", ("d",)),
        MatchAny("citekey", ("c",)),
        MatchAny("source_path", ("a.pdf",)),
        MatchAny("tags", ("x",)),
        MatchAny("tags", ("y", "Y")),
        Between("year", 2001, 2005),
        MatchAny("kind", ("text", "table")),
        MatchAny("section_keys", ("methods > sampling",)),
    )


def test_a_kind_may_be_left_out() -> None:
    without = selecting(Selection(project_id="p", without_kinds=(ChunkKind.REFERENCE,)))
    assert without == Filter((MatchAny("project_id", ("p",)),), (MatchAny("kind", ("reference",)),))


def test_years_may_be_open_on_one_side() -> None:
    assert Between("year", None, 2005) in selecting(Selection(project_id="p", year_to=2005)).must
    assert Between("year", 1, None) in selecting(Selection(project_id="p", year_from=1)).must


def test_ids_narrow_a_filter_without_changing_it() -> None:
    where = selecting(Selection(project_id="p"))
    narrowed = where.among(frozenset({"a"})).without(frozenset({"b"}))
    assert narrowed == Filter(where.must, only=frozenset({"a"}), never=frozenset({"b"}))
    assert where.only is None
