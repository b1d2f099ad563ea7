"""How often a Qdrant server is called by each operation, and how much it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.policies import Mode
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.qdrant_server import LocalQdrant
from tests.unit.application.answering.project import large_project, project, query_on
from tests.unit.application.library import open_project

KNOWN = "Which rainfall was measured before sowing, and by which of the gauges?"
STRANGE = "Why does Zeppelin rainfall fly to Mongolia?"

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


def asked_of(server: LocalQdrant, texts: Mapping[str, str] | None = None) -> OpenProject:
    """A query of a project whose chunks are on the server."""
    opened = query_on(server.index(), project(texts))
    return replace(opened, index=server.index())


REQUESTS: dict[str, Callable[[Mode], QueryRequest]] = {
    "plain": lambda mode: QueryRequest(text=KNOWN, mode=mode),
    "years": lambda mode: QueryRequest(text=KNOWN, mode=mode, years=(1990, None)),
    "strange": lambda mode: QueryRequest(text=STRANGE, mode=mode),
    "with neighbours": lambda mode: QueryRequest(text=KNOWN, mode=mode, context=2),
    "explained": lambda mode: QueryRequest(text=KNOWN, mode=mode, explain=True),
    "by document": lambda mode: QueryRequest(text=KNOWN, mode=mode, by_document=True),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("request_of", REQUESTS.values(), ids=REQUESTS)
def test_a_question_takes_at_most_three_calls(
    request_of: Callable[[Mode], QueryRequest], mode: Mode
) -> None:
    server = LocalQdrant()
    opened = asked_of(server)
    first = query(opened, request_of(mode))
    server.requests.clear()
    again = query(opened, request_of(mode))
    assert len(server.requests) <= 3
    assert [one.stored for one in again.passages] == [one.stored for one in first.passages]
    assert all(path.endswith(("/query", "/query/batch")) for _, path in server.requests)


def test_the_neighbours_of_all_chunks_that_may_hold_half_a_quotation_are_read_at_once() -> None:
    half = "the gauge on plot nine was read every morning by the younger of the two keepers"
    texts = {f"papers/{n}.txt": f"# Part {n}\n\n{half.capitalize()}, {n} times." for n in range(9)}
    server = LocalQdrant()
    opened = asked_of(server, texts)
    request = QueryRequest(text=f"{half} and their sons while the rain went on and on all summer")
    query(opened, request)
    server.requests.clear()
    assert len(query(opened, request).passages) > 3
    assert len(server.requests) <= 4


@pytest.mark.parametrize("mode", Mode)
def test_a_question_of_rare_names_brings_at_most_200_kilobytes(mode: Mode) -> None:
    server = LocalQdrant()
    opened = query_on(server.index(), *large_project())
    request = QueryRequest(text="Which bar7, ran8, tol9 and wes10 are of kim11?", mode=mode)
    assert len(query(opened, request).passages) == 6
    for text in ("Where are ran8 and tol12?", "Which bar7 of kim50 or kim60 is a tol77 or ran150?"):
        server.sent_bytes = 0
        server.requests.clear()
        query(opened, replace(request, text=text))
        assert server.sent_bytes <= 200_000
        # hundreds of passages score alike: those whose ids come first may be none the server chose
        assert len(server.requests) <= 3 + (mode is Mode.HYBRID)


def test_the_first_question_of_a_process_reads_besides_what_the_collection_is_bound_to() -> None:
    server = LocalQdrant()
    opened = asked_of(server)
    server.requests.clear()
    query(opened, QueryRequest(text=KNOWN))
    paths = [path.rpartition("/")[2] for _, path in server.requests]
    assert paths[:2] == ["aliases", f"{opened.settings.collection}--1"]
    assert len(paths) <= 5


def test_a_question_gives_what_it_gives_in_memory() -> None:
    library = project()
    for text in (KNOWN, STRANGE, "A copper collar kept the window of the logger"):
        here = query(open_project(library), QueryRequest(text=text, explain=True))
        there = query(asked_of(LocalQdrant()), QueryRequest(text=text, explain=True))
        assert [one.stored for one in there.passages] == [one.stored for one in here.passages]
        strengths = [one.fit and one.fit.strength for one in there.passages]
        assert strengths == [one.fit and one.fit.strength for one in here.passages]


def test_a_verdict_takes_one_call_more() -> None:
    server = LocalQdrant()
    opened = asked_of(server)
    judge = JudgeRelevance(project=opened, calibrations=InMemoryCalibrations())

    def ask() -> None:
        judge(KNOWN, query(opened, QueryRequest(text=KNOWN, explain=True)).passages)

    ask()
    server.requests.clear()
    ask()
    assert len(server.requests) <= 4
