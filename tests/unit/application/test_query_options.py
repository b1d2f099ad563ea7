"""Options may be strings, as on the command line."""

from __future__ import annotations

import pytest

from citeloom.application.requests.passages import QueryRequest
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import GroupBy, Mode
from citeloom.domain.retrieval.candidates import StageName


def test_names_stand_for_values() -> None:
    request = QueryRequest("Where?", mode="sparse", kinds=["table"])
    assert request.mode is Mode.SPARSE
    assert request.filters.kinds == (ChunkKind.TABLE,)


def test_one_string_is_one_value() -> None:
    request = QueryRequest(
        "Where?",
        kinds="table",
        tags="tides",
        section="Methods > Sampling",
        years="2019..2023",
        words="rye",
    )
    filters = request.filters
    assert filters.kinds == (ChunkKind.TABLE,)
    assert filters.tags == ("tides",)
    assert filters.section == ("Methods", "Sampling")
    assert (filters.year_from, filters.year_to) == (2019, 2023)
    assert request.words == ("rye",)


def test_groups_are_stages_that_run_or_do_not() -> None:
    assert QueryRequest("Where?", group_by="document").by_document
    assert QueryRequest("Where?", group_by=GroupBy.NONE).without == {StageName.WORKS}


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"mode": "both"}, "there is no mode 'both'", "hybrid, dense, sparse"),
        ({"kinds": ["chart"]}, "there is no kind 'chart'", "table"),
    ],
)
def test_an_unknown_name_is_refused_with_those_there_are(
    options: dict[str, object], message: str, hint: str
) -> None:
    with pytest.raises(InvalidFilter, match=message) as caught:
        QueryRequest("Where?", **options)  # type: ignore[arg-type]
    assert hint in (caught.value.hint or "")
