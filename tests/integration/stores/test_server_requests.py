"""What is asked of a Qdrant server, to the letter of the request."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace

import httpx
import pytest
from qdrant_client import models
from structlog.testing import capture_logs

from citeloom.domain.errors import EmbeddingMismatch, IndexUnavailable, InvalidProject
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.filters import SCOPE_KEYS
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector
from citeloom.testing.chunks import EVERYTHING, PROJECT, collection, embedded, rich
from citeloom_qdrant.client import QdrantServer
from citeloom_qdrant.index import QdrantServerIndex
from citeloom_qdrant.settings import ClusterOptions, Quantization
from tests.fakes.qdrant_server import Fault, LocalQdrant, Write, drip, reset, serving
from tests.integration.stores.recording_server import Json, RecordingServer

NAME = "papers"


def index_on(server: RecordingServer, cluster: ClusterOptions | None = None) -> QdrantServerIndex:
    return QdrantServerIndex(server.server(), cluster=cluster)


def creation(made: Collection, cluster: ClusterOptions | None = None) -> Json:
    """The request that creates a collection."""
    server = RecordingServer()
    index_on(server, cluster).create(made)
    [(_, body)] = [
        (path, body)
        for method, path, body in server.requests
        if method == "PUT" and path.count("/") == 2
    ]
    return body


def test_a_hybrid_collection_has_two_named_vectors() -> None:
    body = creation(collection(NAME))
    assert body["vectors"] == {"dense": {"size": 8, "distance": "Cosine", "on_disk": False}}
    assert body["sparse_vectors"] == {"sparse": {"index": {"on_disk": False}, "modifier": "idf"}}


def test_a_dense_collection_has_one() -> None:
    assert "sparse_vectors" not in creation(collection(NAME, hybrid=False))


def test_a_collection_is_spread_as_the_cluster_is_configured() -> None:
    body = creation(
        collection(NAME),
        ClusterOptions(shards=6, replication=3, write_consistency=2),
    )
    assert body["shard_number"] == 6
    assert body["replication_factor"] == 3
    assert body["write_consistency_factor"] == 2


def test_what_is_not_configured_is_left_to_the_server() -> None:
    body = creation(collection(NAME))
    left = {"shard_number", "replication_factor", "write_consistency_factor"}
    assert not (left | {"quantization_config"}) & body.keys()


def test_vectors_and_graph_can_stay_on_disk() -> None:
    body = creation(replace(collection(NAME), on_disk_vectors=True, on_disk_hnsw=True))
    assert body["vectors"] == {"dense": {"size": 8, "distance": "Cosine", "on_disk": True}}
    assert body["sparse_vectors"] == {"sparse": {"index": {"on_disk": True}, "modifier": "idf"}}
    assert body["hnsw_config"] == {"full_scan_threshold": 100_000, "on_disk": True}


def test_vectors_can_be_quantized_to_bytes() -> None:
    body = creation(collection(NAME), ClusterOptions(quantization="scalar"))
    assert body["quantization_config"] == {
        "scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}
    }


def test_vectors_can_be_quantized_to_bits() -> None:
    body = creation(collection(NAME), ClusterOptions(quantization="binary"))
    assert body["quantization_config"] == {"binary": {"always_ram": True}}


@pytest.mark.parametrize(
    ("kind", "dimension", "warned"),
    [("binary", 128, True), ("binary", 256, False), ("scalar", 64, False), (None, 64, False)],
)
def test_bits_of_few_dimensions_are_warned_of(
    kind: Quantization | None, dimension: int, *, warned: bool
) -> None:
    index = LocalQdrant().index(cluster=ClusterOptions(quantization=kind))
    with capture_logs() as logs:
        index.create(replace(collection(NAME), dimension=dimension))
    events = [str(one["event"]) for one in logs]
    assert [f"vectors of {dimension} dimensions" in one for one in events] == [True] * warned


@pytest.mark.parametrize(
    ("kind", "configured", "expected"),
    [("scalar", None, 2.0), ("binary", None, 32.0), ("binary", 8.0, 8.0)],
)
def test_hits_among_quantized_vectors_are_put_in_order_by_the_whole_ones(
    kind: Quantization, configured: float | None, expected: float
) -> None:
    server = RecordingServer()
    index = index_on(server, ClusterOptions(quantization=kind, oversampling=configured))
    index.create(collection(NAME))
    sparse = SparseVector(indices=(3,), values=(1.0,))
    both = IndexQuery(
        selection=EVERYTHING, mode=Mode.HYBRID, limit=5, dense=(1.0,) * 8, sparse=sparse
    )
    index.search(NAME, both)
    index.search(NAME, replace(both, mode=Mode.DENSE))
    [[hybrid, *sides], [dense]] = [
        body["searches"] for body in server.sent("POST", "/points/query/batch")
    ]
    params = {"quantization": {"rescore": True, "oversampling": expected}}
    assert [side.get("params") for side in hybrid["prefetch"]] == [params, None]
    assert [side.get("params") for side in sides] == [params, None]
    assert dense["params"] == params


def test_more_writes_than_replicas_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="write_consistency"):
        ClusterOptions(replication=2, write_consistency=3)
    with pytest.raises(ValueError, match="shards"):
        ClusterOptions(shards=0)


def test_the_binding_goes_into_the_metadata() -> None:
    metadata = creation(collection(NAME))["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["citeloom"]["dense_model"] == "dense-model"
    assert metadata["citeloom"]["name"] == NAME


def test_the_fields_of_filters_are_indexed_outside_the_graph() -> None:
    server = RecordingServer()
    index_on(server).create(collection(NAME))
    indexes = {
        str(body["field_name"]): body["field_schema"] for body in server.sent("PUT", "/index")
    }
    assert indexes["project_id"] == {"type": "keyword", "enable_hnsw": False}
    assert indexes["year"] == {
        "type": "integer",
        "lookup": False,
        "range": True,
        "is_principal": True,
        "enable_hnsw": False,
    }
    assert "chunk_text" not in indexes
    assert len(indexes) == 10 + len(SCOPE_KEYS)


def test_a_successor_is_promoted_with_one_request() -> None:
    server = RecordingServer()
    index = index_on(server)
    index.create(collection(NAME))
    index.stage(collection(NAME, generation="second"))
    old, new = server.aliases[NAME], server.aliases[f"{NAME}@rebuild"]
    server.requests.clear()
    index.promote(NAME)
    assert server.sent("POST", "/aliases") == [
        {
            "actions": [
                {"delete_alias": {"alias_name": NAME}},
                {"create_alias": {"alias_name": NAME, "collection_name": new}},
                {"delete_alias": {"alias_name": f"{NAME}@rebuild"}},
            ]
        }
    ]
    assert server.aliases == {NAME: new}
    assert list(server.collections) == [new] != [old]


def test_what_a_crash_left_is_cleared_and_nothing_of_others() -> None:
    server = RecordingServer()
    left_over: Json = {"metadata": {"citeloom": creation_metadata(NAME)}}
    server.collections = {
        f"{NAME}--left": left_over,
        f"{NAME}--foreign": {},
        f"{NAME}--more--1": {"metadata": {"citeloom": creation_metadata(f"{NAME}--more")}},
    }
    index_on(server).create(collection(NAME))
    assert f"{NAME}--left" not in server.collections
    assert {f"{NAME}--foreign", f"{NAME}--more--1"} < server.collections.keys()


def creation_metadata(name: str) -> Json:
    metadata = creation(collection(name))["metadata"]
    assert isinstance(metadata, dict)
    binding = metadata["citeloom"]
    assert isinstance(binding, dict)
    return binding


def test_a_hybrid_query_carries_the_selection_on_both_sides() -> None:
    server = RecordingServer()
    index = index_on(server)
    index.create(collection(NAME))
    query = IndexQuery(
        selection=Selection(project_id=PROJECT, year_from=2001),
        mode=Mode.HYBRID,
        limit=5,
        dense=(1.0,) * 8,
        sparse=SparseVector(indices=(3, 7), values=(1.0, 0.5)),
        candidates=30,
        rrf_k=10,
    )
    index.search(NAME, query)
    [sent] = server.sent("POST", f"/collections/{NAME}--1/points/query/batch")
    [body, *sides] = sent["searches"]
    where = {
        "must": [
            {"key": "project_id", "match": {"value": PROJECT}},
            {"key": "year", "range": {"gte": 2001.0}},
        ]
    }
    assert body["prefetch"] == [
        {"query": {"nearest": [1.0] * 8}, "using": "dense", "filter": where, "limit": 30},
        {
            "query": {"nearest": {"indices": [3, 7], "values": [1.0, 0.5]}},
            "using": "sparse",
            "filter": where,
            "limit": 30,
        },
    ]
    assert body["query"] == {"rrf": {"k": 11}}
    # by the ids of each side the fused points are put in order, of equal ones too
    assert [(side["using"], side["filter"]) for side in sides] == [
        ("dense", where),
        ("sparse", where),
    ]
    assert [side["with_payload"] for side in sides] == [["chunk_id"]] * 2


def test_a_server_that_keeps_no_metadata_is_too_old() -> None:
    server = RecordingServer(keeps_metadata=False)
    with pytest.raises(IndexUnavailable, match="keeps no metadata") as refused:
        index_on(server).create(collection(NAME))
    assert "1.16" in refused.value.hint


def answering(*answers: httpx.Response, key: str | None = None) -> QdrantServerIndex:
    """An index on a server that gives these answers in turn, the last of them for ever."""
    left = list(answers)

    def answer(_: httpx.Request) -> httpx.Response:
        return left.pop(0) if len(left) > 1 else left[0]

    server = QdrantServer(["http://qdrant"], api_key=key, transport=httpx.MockTransport(answer))
    return QdrantServerIndex(server)


def refusal(status: int, said: str) -> httpx.Response:
    return httpx.Response(status, json={"status": {"error": said}, "time": 0.0})


NO_KEY = httpx.Response(401, text="Must provide an API key or an Authorization bearer token")
WRONG_KEY = httpx.Response(401, text="Invalid API key or JWT")


@pytest.mark.parametrize(
    ("answer", "key", "said", "advice"),
    [
        (NO_KEY, None, "Must provide an API key", "Set the API key in the environment"),
        (WRONG_KEY, "s3cret", "Invalid API key", "not this server's"),
        (refusal(403, "Forbidden: key s3cret"), "s3cret", "Forbidden: key …", "may not do this"),
        (refusal(500, "Service internal error"), None, "Service internal error", "server's log"),
        (httpx.Response(404, text="404 page"), None, "is no Qdrant server", "[qdrant] url"),
        (httpx.Response(404, json={"detail": "no"}), None, "no Qdrant server", "[qdrant] url"),
        (httpx.Response(200, text="<html>hello"), None, "no Qdrant server", "[qdrant] url"),
        (httpx.Response(200, json={"hits": []}), None, "no Qdrant server", "[qdrant] url"),
    ],
)
def test_a_refusal_says_on_one_line_what_the_server_said_and_what_to_do(
    answer: httpx.Response, key: str | None, said: str, advice: str
) -> None:
    with pytest.raises(IndexUnavailable) as refused:
        answering(answer, key=key).binding(NAME)
    assert said in refused.value.message
    assert advice in refused.value.hint
    assert "http://qdrant" in refused.value.message
    assert "\n" not in refused.value.message
    assert "s3cret" not in refused.value.message + refused.value.hint


def test_what_the_server_says_is_cut_at_200_characters() -> None:
    with pytest.raises(IndexUnavailable) as refused:
        answering(refusal(500, "oh\n" * 400)).binding(NAME)
    assert len(refused.value.message) < 280


def test_a_write_that_too_few_copies_confirm_names_the_nodes_that_are_away() -> None:
    server = LocalQdrant(
        peers={
            "peers": {"7": {"uri": "http://node-2:6335/"}, "8": {"uri": "http://node-3:6335/"}},
            "message_send_failures": {"8": {"count": 4}},
        }
    )
    index = server.index()
    index.create(collection(NAME))
    server.misbehave(Fault(said="2 out of 3 shards failed to apply operation"))
    with pytest.raises(IndexUnavailable, match="2 out of 3 shards") as refused:
        index.upsert(NAME, [embedded("a")])
    assert "Away: http://node-3:6335/." in refused.value.hint
    assert "write_consistency" in refused.value.hint


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, "slow"),
        ({"Retry-After": "3"}, "slow"),
        ({"Retry-After": "Fri, 31 Dec 2027 23:59:59 GMT"}, "Retry-After"),
    ],
)
def test_a_busy_server_is_named(headers: dict[str, str], said: str) -> None:
    busy = httpx.Response(429, headers=headers, json={"status": {"error": "slow"}})
    with pytest.raises(IndexUnavailable, match=f"busy: .*{said}") as refused:
        answering(busy).upsert(NAME, [embedded("a")])
    assert refused.value.status == 429


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[]", b'{"result": {"aliases": 3}}'])
def test_an_answer_that_the_client_cannot_read_is_no_qdrant_server(content: bytes) -> None:
    with pytest.raises(IndexUnavailable, match="http://qdrant is no Qdrant server") as refused:
        answering(httpx.Response(200, content=content)).binding(NAME)
    assert "\n" not in refused.value.message


def test_a_collection_of_another_program_is_left_alone() -> None:
    server = LocalQdrant()
    vectors = models.VectorParams(size=8, distance=models.Distance.COSINE)
    server.engine.create_collection(NAME, vectors_config=vectors)
    for use in (
        lambda: server.index().create(collection(NAME)),
        lambda: server.index().bound(NAME),
    ):
        with pytest.raises(InvalidProject, match="was not made by citeloom") as refused:
            use()
        assert "collection =" in refused.value.hint
    assert [path for method, path in server.requests if method in {"PUT", "DELETE"}] == []


def test_a_server_that_does_not_answer_is_named() -> None:
    index = QdrantServerIndex.connect("http://127.0.0.1:9", timeout=2)
    with pytest.raises(IndexUnavailable, match=r"No Qdrant server answers at http://127") as lost:
        index.count(NAME, EVERYTHING)
    assert "[qdrant] url" in lost.value.hint
    index.close()


# --- a server that goes and comes ----------------------------------------------------------------


def test_reads_and_writes_go_on_when_the_server_is_back() -> None:
    server = LocalQdrant()
    index = server.index(retry_for=30)
    index.create(collection(NAME))
    away = (Fault(refused=True), Fault(late=True), Fault(status=503, said="starting"))
    server.misbehave(*away)
    with index.server.patient():
        index.upsert(NAME, [embedded("a")])
        server.misbehave(*away, Fault(refused=True, after=True))
        assert index.delete(NAME, EVERYTHING) == 1
    assert index.count(NAME, EVERYTHING) == 0


def test_a_write_whose_answer_is_lost_has_its_effect_once() -> None:
    server = LocalQdrant()
    index = server.index(retry_for=30)
    server.misbehave(*([None] * 5), Fault(refused=True, after=True))
    index.create(collection(NAME))
    server.misbehave(Fault(refused=True, after=True))
    index.upsert(NAME, [embedded("a")])
    assert index.count(NAME, EVERYTHING) == 1
    assert len(server.engine.get_collections().collections) == 1


def test_an_answer_that_drips_in_is_not_waited_for_longer_than_the_timeout() -> None:
    server, writes = LocalQdrant(), deque[Write]([drip])
    server.index().create(collection(NAME))
    with serving(server, writes=writes) as url:
        index = QdrantServerIndex.connect(url, timeout=0.3)
        started = time.monotonic()
        with pytest.raises(IndexUnavailable, match=r"its answer takes longer than 0\.3 s"):
            index.binding(NAME)
        index.upsert(NAME, [rich(f"chunk {number}") for number in range(30)])
        writes.append(drip)  # of a compressed answer
        with pytest.raises(IndexUnavailable, match=r"its answer takes longer than 0\.3 s"):
            list(index.scroll(NAME, EVERYTHING))
        assert time.monotonic() - started < 4
        assert len(list(index.scroll(NAME, EVERYTHING))) == 30
        index.close()


@pytest.mark.parametrize("write", [drip, reset])
def test_a_write_whose_answer_breaks_off_is_made_again_and_has_its_effect_once(
    write: Write,
) -> None:
    server, writes = LocalQdrant(), deque[Write]()
    with serving(server, writes=writes) as url:
        index = QdrantServerIndex.connect(url, timeout=0.3, retry_for=30)
        index.create(collection(NAME))
        writes.append(write)
        index.upsert(NAME, [embedded("a")])
        writes.append(write)
        assert index.count(NAME, EVERYTHING) == 1
        assert not writes
        index.close()


def test_a_connection_that_is_reset_amid_an_answer_is_said() -> None:
    server = LocalQdrant()
    server.index().create(collection(NAME))
    with serving(server, writes=deque([reset])) as url:
        index = QdrantServerIndex.connect(url, timeout=2)
        with pytest.raises(IndexUnavailable, match=f"No Qdrant server answers at {url}: "):
            index.binding(NAME)
        assert index.binding(NAME) == collection(NAME)
        index.close()


def test_without_time_to_try_again_the_first_failure_is_the_answer() -> None:
    server = LocalQdrant()
    index = server.index()
    server.misbehave(Fault(refused=True))
    with pytest.raises(IndexUnavailable, match="Connection refused"):
        index.binding(NAME)
    assert len(server.requests) == 1


def test_the_next_address_of_a_cluster_is_taken() -> None:
    server, hosts = LocalQdrant(), []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        if request.url.host == "first":
            raise httpx.ConnectError("Connection refused")
        return server.answer(request)

    made = QdrantServer(
        ["http://first:6333", "http://second:6333"], transport=httpx.MockTransport(answer)
    )
    index = QdrantServerIndex(made)
    index.create(collection(NAME))
    assert hosts.count("first") == 1
    assert made.address == "http://second:6333"


def test_of_several_addresses_without_a_server_each_is_named() -> None:
    index = QdrantServerIndex.connect("http://127.0.0.1:9", "http://127.0.0.1:10", timeout=2)
    with pytest.raises(IndexUnavailable, match=r"at http://127.0.0.1:9 or http://127.0.0.1:10: "):
        index.binding(NAME)


# --- several clients -----------------------------------------------------------------------------


def test_a_first_ingest_goes_on_with_the_collection_of_another_client() -> None:
    """Both look before either has made it."""
    server = LocalQdrant()
    one, other = server.index(), server.index()

    def meanwhile(method: str, path: str) -> None:
        if (method, path) == ("PUT", f"/collections/{NAME}--1"):
            server.before = lambda _method, _path: None
            other.create(collection(NAME, generation="other"))
            other.upsert(NAME, [embedded("a")])

    server.before = meanwhile
    one.create(collection(NAME, generation="one"))
    one.upsert(NAME, [embedded("b")])
    bound = one.binding(NAME)
    assert bound is not None
    assert bound.generation == "other"
    assert one.chunk_ids(NAME, EVERYTHING) == {"a", "b"}


def test_a_collection_that_another_client_is_about_to_name_is_no_orphan() -> None:
    server = LocalQdrant()
    index = server.index()
    index.create(collection(NAME))
    index.stage(collection(NAME, generation="second"))
    without_alias = models.DeleteAliasOperation(
        delete_alias=models.DeleteAlias(alias_name=f"{NAME}@rebuild")
    )
    server.engine.update_collection_aliases([without_alias])
    index.optimize(NAME)
    assert server.engine.collection_exists(f"{NAME}--second")


def test_a_rebuild_of_another_client_is_seen_by_the_next_search() -> None:
    server = LocalQdrant()
    reader, writer = server.index(), server.index()
    writer.create(collection(NAME))
    writer.upsert(NAME, [embedded("old")])
    assert reader.chunk_ids(NAME, EVERYTHING) == {"old"}
    staged = writer.stage(collection(NAME, generation="second"))
    writer.upsert(staged, [embedded("new")])
    writer.promote(NAME)
    assert reader.chunk_ids(NAME, EVERYTHING) == {"new"}
    bound = reader.binding(NAME)
    assert bound is not None
    assert bound.generation == "second"


def test_a_rebuild_with_other_models_is_not_searched_with_the_old_ones() -> None:
    server = LocalQdrant()
    reader, writer = server.index(), server.index()
    writer.create(collection(NAME))
    assert reader.count(NAME, EVERYTHING) == 0
    writer.stage(replace(collection(NAME, generation="second"), dense_model="another"))
    writer.promote(NAME)
    with pytest.raises(EmbeddingMismatch, match="another"):
        reader.count(NAME, EVERYTHING)


def test_a_collection_whose_alias_was_removed_gets_its_name_back() -> None:
    server = LocalQdrant()
    index = server.index()
    index.create(collection(NAME))
    index.upsert(NAME, [embedded("a")])
    gone = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=NAME))
    server.engine.update_collection_aliases([gone])
    index = server.index()
    assert index.binding(NAME) is None
    assert index.restore(NAME)
    assert not index.restore(NAME)
    assert index.chunk_ids(NAME, EVERYTHING) == {"a"}


# --- calls ---------------------------------------------------------------------------------------


def test_what_a_collection_is_bound_to_is_read_once() -> None:
    server = LocalQdrant()
    server.index().create(collection(NAME))
    index = server.index()
    index.upsert(NAME, [rich("rich")])
    server.requests.clear()
    for number in range(3):
        index.upsert(NAME, [rich(f"rich-{number}")])
    query = IndexQuery(selection=EVERYTHING, mode=Mode.DENSE, limit=4, dense=(1.0,) * 8)
    index.search_batch(NAME, [query, query], [query])
    index.binding(NAME)
    index.count(NAME, EVERYTHING)
    assert [path.removeprefix(f"/collections/{NAME}--1") for _, path in server.requests] == [
        *["/points"] * 3,
        "/points/query/batch",
        "/points/count",
    ]


def test_metadata_gets_indexes_of_its_types() -> None:
    server = RecordingServer()
    index = index_on(server)
    index.create(collection(NAME))
    before = len(server.sent("PUT", "/index"))
    index.upsert(NAME, [embedded("plain")])
    assert len(server.sent("PUT", "/index")) == before
    index.upsert(NAME, [rich("rich")])
    made = {
        str(body["field_name"]): body["field_schema"]
        for body in server.sent("PUT", "/index")[before:]
    }
    assert made.keys() - SCOPE_KEYS == {
        *("metadata_module", "metadata_topics"),
        *("section_type", "lesson_section_type"),
        *("number_tier", "number_hours", "number_draft", "number_published"),
    }
    assert made["metadata_module"] == {"type": "keyword", "enable_hnsw": False}
    assert made["number_tier"] == {"type": "float", "enable_hnsw": False}
