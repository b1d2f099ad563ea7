"""Points, filters, searches and collections in the JSON of Qdrant's REST interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.store_options import ClusterOptions, Quantization
from citeloom.infrastructure.stores.records.metadata_payload import NUMBER
from citeloom.infrastructure.stores.records.points_index import Point, Record
from citeloom.infrastructure.stores.records.queries import (
    EXACT_BELOW_KB,
    RANK_BASE,
    Condition,
    Filter,
    IndexSearch,
    Nearest,
    OneOf,
)
from citeloom.infrastructure.stores.records.schema import (
    DENSE,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    SPARSE,
    to_json,
)

METADATA_KEY = "citeloom"
MADE_AT = "citeloom_made_at"
"""The key of the metadata with the time, in seconds since 1970, at which a collection was made."""

Json = dict[str, Any]


def collection_request(collection: Collection, cluster: ClusterOptions, made_at: float) -> Json:
    """How a collection is created; its binding goes into the metadata."""
    on_disk = collection.on_disk_vectors
    body: Json = {
        "vectors": {
            DENSE: {"size": collection.dimension, "distance": "Cosine", "on_disk": on_disk}
        },
        "hnsw_config": {
            "full_scan_threshold": EXACT_BELOW_KB,
            "on_disk": collection.on_disk_hnsw,
        },
        "metadata": {METADATA_KEY: to_json(collection), MADE_AT: made_at},
    }
    if collection.hybrid:
        body["sparse_vectors"] = {SPARSE: {"index": {"on_disk": on_disk}, "modifier": "idf"}}
    configured = {
        "shard_number": cluster.shards,
        "replication_factor": cluster.replication,
        "write_consistency_factor": cluster.write_consistency,
        "quantization_config": _quantization(cluster.quantization),
    }
    return body | {key: value for key, value in configured.items() if value is not None}


def payload_indexes() -> dict[str, Json]:
    """The index of each field that filters use.

    None is linked into the graph, which would multiply the time it takes to build. Points of a year
    lie together, which makes a filter on years a tenth cheaper (`benchmarks.bench_year_filter`).
    """
    keyword: Json = {"type": "keyword", "enable_hnsw": False}
    integer: Json = {
        "type": "integer",
        "lookup": False,
        "range": True,
        "is_principal": True,
        "enable_hnsw": False,
    }
    return {**dict.fromkeys(KEYWORD_FIELDS, keyword), **dict.fromkeys(INTEGER_FIELDS, integer)}


def metadata_index(key: str) -> Json:
    """The index of a key of metadata."""
    return {"type": "float" if key.startswith(NUMBER) else "keyword", "enable_hnsw": False}


def server_point(point: Point) -> Json:
    """A point to write."""
    vectors: Json = {DENSE: point.dense}
    if point.sparse is not None:
        vectors[SPARSE] = _sparse(point.sparse)
    return {"id": point.id, "vector": vectors, "payload": point.payload}


def server_record(point: Mapping[str, Any]) -> Record:
    """A point that was read, with the requested vectors."""
    vectors = point.get("vector") or {}
    sparse = vectors.get(SPARSE)
    return Record(
        id=str(point["id"]),
        payload=point.get("payload") or {},
        score=float(point.get("score") or 0.0),
        dense=vectors.get(DENSE),
        sparse=sparse
        and SparseVector(indices=tuple(sparse["indices"]), values=tuple(sparse["values"])),
    )


def server_filter(where: Filter) -> Json:
    """The conditions on payload and id."""
    must = [_condition(condition) for condition in where.must]
    if where.only is not None:
        must.append({"has_id": sorted(where.only)})
    must_not = [_condition(condition) for condition in where.must_not]
    if where.never:
        must_not.append({"has_id": sorted(where.never)})
    return {"must": must, "must_not": must_not} if must_not else {"must": must}


def server_query(search: IndexSearch, limit: int, oversampling: float | None = None) -> Json:
    """A search; each side of a fusion carries the filter itself. Hits among quantised vectors are
    put in order by the whole ones, of `oversampling` times as many.
    """
    where = server_filter(search.where)
    returned: Json = {
        "limit": limit,
        "with_payload": list(search.keys) or True,
        "with_vector": list(search.vectors) or False,
    }
    if search.fusion is None:
        side = search.sides[0]
        query = {"query": _vector(side), "using": side.using, "filter": where}
        return query | _params(side, oversampling) | returned
    sides = [
        {
            "query": _vector(side),
            "using": side.using,
            "filter": where,
            "limit": search.fusion.candidates,
            **_params(side, oversampling),
        }
        for side in search.sides
    ]
    fusion = {"rrf": {"k": search.fusion.k + RANK_BASE}}
    return {"prefetch": sides, "query": fusion, **returned}


def _params(side: Nearest, oversampling: float | None) -> Json:
    if oversampling is None or side.using != DENSE:
        return {}
    return {"params": {"quantization": {"rescore": True, "oversampling": oversampling}}}


def _vector(side: Nearest) -> list[float] | Json:
    return _sparse(side.vector) if isinstance(side.vector, SparseVector) else side.vector


def _sparse(vector: SparseVector) -> Json:
    return {"indices": vector.indices, "values": vector.values}


def _condition(condition: Condition) -> Json:
    if isinstance(condition, OneOf):
        return {"key": condition.key, "match": _match(condition.values)}
    bounds = {"gte": condition.lowest, "lte": condition.highest}
    limits = {key: value for key, value in bounds.items() if value is not None}
    return {"key": condition.key, "range": limits}


def _match(values: tuple[str, ...]) -> Json:
    if len(values) == 1:  # a list of one would make the search a fifth slower
        return {"value": values[0]}
    return {"any": values}


def _quantization(kind: Quantization | None) -> Json | None:
    if kind == "scalar":
        return {"scalar": {"type": "int8", "quantile": 0.99, "always_ram": True}}
    if kind == "binary":
        return {"binary": {"always_ram": True}}
    return None
