"""What is asked of a Qdrant server, to the letter of the request."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from qdrant_client import QdrantClient

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.passage import IndexQuery, Selection, SparseVector
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import ClusterOptions
from citeloom.infrastructure.stores.qdrant.server_index import QdrantServerIndex
from tests.fakes.embedded_chunks import EVERYTHING, PROJECT, collection, embedded, rich
from tests.integration.stores.recording_server import Json, RecordingServer

NAME = "papers"


def index_on(server: RecordingServer, cluster: ClusterOptions | None = None) -> QdrantServerIndex:
    return QdrantServerIndex(server.client(), address="http://qdrant", cluster=cluster)


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
        ClusterOptions(shards=6, replication_factor=3, write_consistency_factor=2),
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


def test_more_writes_than_replicas_cannot_be_asked_for() -> None:
    with pytest.raises(ValueError, match="write_consistency_factor"):
        ClusterOptions(replication_factor=2, write_consistency_factor=3)
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
        "lookup": True,
        "range": True,
        "enable_hnsw": False,
    }
    assert "chunk_text" not in indexes
    assert len(indexes) == 10


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
    with pytest.raises(IndexUnavailable):  # this server does not search
        index.search(NAME, query)
    [body] = server.sent("POST", f"/collections/{NAME}/points/query")
    where = {
        "must": [
            {"key": "project_id", "match": {"value": PROJECT}},
            {"key": "year", "range": {"gte": 2001.0}},
        ]
    }
    assert body["prefetch"] == [
        {"query": [1.0] * 8, "using": "dense", "filter": where, "limit": 30},
        {
            "query": {"indices": [3, 7], "values": [1.0, 0.5]},
            "using": "sparse",
            "filter": where,
            "limit": 30,
        },
    ]
    assert body["query"] == {"rrf": {"k": 11}}


def test_a_server_that_keeps_no_metadata_is_too_old() -> None:
    server = RecordingServer(keeps_metadata=False)
    with pytest.raises(IndexUnavailable, match="keeps no metadata") as refused:
        index_on(server).create(collection(NAME))
    assert "1.16" in refused.value.hint


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "CITELOOM_QDRANT__API_KEY"), (403, "API_KEY"), (500, "log")]
)
def test_a_refusal_says_what_to_do(status: int, advice: str) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, text="no"))
    client = QdrantClient(url="http://qdrant", transport=transport, check_compatibility=False)
    with pytest.raises(IndexUnavailable, match="http://qdrant refused") as refused:
        QdrantServerIndex(client, address="http://qdrant").binding(NAME)
    assert advice in refused.value.hint


def test_a_busy_server_is_named() -> None:
    busy = httpx.Response(429, headers={"Retry-After": "3"}, json={"status": {"error": "slow"}})
    transport = httpx.MockTransport(lambda _: busy)
    client = QdrantClient(url="http://qdrant", transport=transport, check_compatibility=False)
    with pytest.raises(IndexUnavailable, match="busy"):
        QdrantServerIndex(client, address="http://qdrant").upsert(NAME, [embedded("a")])


def test_a_server_that_does_not_answer_is_named() -> None:
    index = QdrantServerIndex.connect("http://127.0.0.1:9", timeout=2)
    with pytest.raises(IndexUnavailable, match=r"No Qdrant server answers at http://127") as lost:
        index.count(NAME, EVERYTHING)
    assert "[qdrant] url" in lost.value.hint
    index.close()


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
    assert made.keys() == {
        *("metadata_module", "metadata_topics"),
        *("number_tier", "number_hours", "number_draft", "number_published"),
    }
    assert made["metadata_module"] == {"type": "keyword", "enable_hnsw": False}
    assert made["number_tier"] == {"type": "float", "enable_hnsw": False}
