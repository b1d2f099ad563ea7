"""What is said of a store on a server before anything is done with it."""

from __future__ import annotations

import httpx
import pytest

from citeloom.testing.chunks import EVERYTHING, collection, embedded
from citeloom_qdrant.client import QdrantServer
from citeloom_qdrant.index import QdrantServerIndex
from citeloom_qdrant.settings import ClusterOptions
from tests.fakes.qdrant_server import Fault, LocalQdrant

NAME = "proj-check"


@pytest.fixture
def qdrant() -> LocalQdrant:
    qdrant = LocalQdrant()
    index = qdrant.index()
    index.create(collection(NAME))
    index.upsert(NAME, [embedded("a", doc_id="doc-1")])
    return qdrant


def shard(number: int, state: str, **more: int) -> dict[str, object]:
    return {"shard_id": number, "state": state, "points_count": 0, **more}


def test_a_sound_server_is_said_to_be_with_version_rights_and_size(qdrant: LocalQdrant) -> None:
    state = qdrant.index().check([NAME, "proj-other"])
    assert (state.kind, state.remote, state.is_available) == ("Qdrant server", True, True)
    assert [(one.address, one.version) for one in state.addresses] == [("http://qdrant", "1.18.3")]
    assert (state.may_read, state.may_write, state.problems, state.notes) == (True, True, (), ())
    first, second = state.collections
    assert (first.exists, first.points, first.status) == (True, 1, "green")
    assert not second.exists


def test_a_check_leaves_nothing_behind(qdrant: LocalQdrant) -> None:
    before = set(qdrant.engine.get_collections().collections[0].name)
    index = qdrant.index()
    index.check([NAME])
    LocalQdrant().index().check([NAME])
    assert index.count(NAME, EVERYTHING) == 1
    assert set(qdrant.engine.get_collections().collections[0].name) == before
    assert {method for method, _ in qdrant.requests[-8:]} <= {"GET", "POST"}


def test_without_a_collection_the_right_to_write_is_found_out_too() -> None:
    qdrant = LocalQdrant(key="whole", read_only_key="reader")
    assert qdrant.index(api_key="whole").check([NAME]).may_write is True
    assert qdrant.index(api_key="reader").check([NAME]).may_write is False
    assert qdrant.engine.get_collections().collections == []


def test_a_read_only_key_may_read_and_not_write(qdrant: LocalQdrant) -> None:
    qdrant.key, qdrant.read_only_key = "whole", "reader"
    state = qdrant.index(api_key="reader").check([NAME])
    assert (state.may_read, state.may_write, state.problems) == (True, False, ())
    assert state.is_available


@pytest.mark.parametrize("key", [None, "wrong"])
def test_a_key_that_is_refused_is_a_problem_with_a_hint(qdrant: LocalQdrant, key: str) -> None:
    qdrant.key = "whole"
    state = qdrant.index(api_key=key).check([NAME])
    assert (state.may_read, state.is_available) == (False, False)
    assert "CITELOOM_QDRANT_API_KEY" in state.problems[0]
    assert state.addresses[0].version == "1.18.3"


def test_of_several_addresses_each_that_is_away_is_named(qdrant: LocalQdrant) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "away":
            raise httpx.ConnectError("[Errno 111] Connection refused")
        return qdrant.answer(request)

    server = QdrantServer(["http://away", "http://here"], transport=httpx.MockTransport(answer))
    state = QdrantServerIndex(server).check([NAME])
    assert [bool(one.error) for one in state.addresses] == [True, False]
    assert state.is_available
    assert [("http://away" in one) for one in state.problems] == [True]


def test_a_server_that_is_away_is_said_to_be_and_nothing_is_raised(qdrant: LocalQdrant) -> None:
    qdrant.misbehave(Fault(refused=True))
    state = qdrant.index(retry_for=60).check([NAME])
    assert (state.is_available, state.may_read) == (False, None)
    assert "No Qdrant server answers at http://qdrant" in state.problems[0]


@pytest.mark.parametrize(
    ("version", "problem", "note"),
    [
        ("1.15.5", "too old: 1.16 or newer", ""),
        ("1.16.0", "", ""),
        ("1.19.0", "", "newer than the tested"),
    ],
)
def test_an_old_version_is_a_problem_and_an_unknown_one_is_noted(
    qdrant: LocalQdrant, version: str, problem: str, note: str
) -> None:
    qdrant.version = version
    state = qdrant.index().check([NAME])
    assert state.is_available
    assert (len(state.problems), len(state.notes)) == (bool(problem), bool(note))
    assert problem in "".join(state.problems)
    assert note in "".join(state.notes)


def test_dead_copies_and_nodes_that_are_away_are_problems(qdrant: LocalQdrant) -> None:
    qdrant.parameters = {"shard_number": 2, "replication_factor": 3}
    qdrant.peers = {
        "status": "enabled",
        "peers": {"1": {"uri": "http://one"}, "2": {"uri": "http://two"}},
        "message_send_failures": {"2": {"count": 7}},
        "collection": {
            "shard_count": 2,
            "local_shards": [shard(0, "Active"), shard(1, "Active")],
            "remote_shards": [
                shard(0, "Active", peer_id=2),
                shard(0, "Active", peer_id=3),
                shard(1, "Active", peer_id=2),
                shard(1, "Dead", peer_id=3),
            ],
        },
    }
    state = qdrant.index(cluster=ClusterOptions(replication=3)).check([NAME])
    [found] = state.collections
    assert (found.shards, found.copies, found.copies_configured) == (2, 2, 3)
    assert state.peers == ("http://one", "http://two")
    described = qdrant.index().describe(NAME)
    assert described.details["shards"] == "2"
    assert described.details["copies"] == "2 of 3 active"
    assert described.details["nodes"] == "http://one, http://two"
    assert described.problems == state.problems[:1]
    assert [one.partition(" copies of ")[0] for one in state.problems] == [
        "a shard of collection 'proj-check' has 2 active",
        "the node http://two of the cluster is away",
    ]


@pytest.mark.parametrize("status", ["grey", "red"])
def test_a_standstill_is_a_problem(qdrant: LocalQdrant, status: str) -> None:
    qdrant.status = status
    [problem] = qdrant.index().check([NAME]).problems
    assert qdrant.index().describe(NAME).problems == (problem,)
    assert f"'proj-check' is {status}:" in problem
