"""Points, filters, searches and collections in the models of Qdrant's client."""

from __future__ import annotations

from typing import Any, cast

from citeloom.domain.project import Collection
from citeloom.domain.retrieval.filters import SCOPE_KEYS
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.stores.records.metadata_payload import is_number
from citeloom.infrastructure.stores.records.points_index import Point, Record
from citeloom.infrastructure.stores.records.queries import (
    EXACT_BELOW_KB,
    RANK_BASE,
    Condition,
    Filter,
    IndexSearch,
    MatchAny,
    Nearest,
)
from citeloom.infrastructure.stores.records.schema import (
    DENSE,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    SPARSE,
    to_json,
)
from citeloom_qdrant.official_client import models
from citeloom_qdrant.settings import ClusterOptions, Quantization

METADATA_KEY = "citeloom"
MADE_AT = "citeloom_made_at"
"""The key of the metadata with the time, in seconds since 1970, at which a collection was made."""


def collection_request(
    collection: Collection, cluster: ClusterOptions, made_at: float
) -> dict[str, Any]:
    """How a collection is created; its binding goes into the metadata."""
    on_disk = collection.on_disk_vectors
    dense = models.VectorParams(
        size=collection.dimension, distance=models.Distance.COSINE, on_disk=on_disk
    )
    sparse = models.SparseVectorParams(
        index=models.SparseIndexParams(on_disk=on_disk), modifier=models.Modifier.IDF
    )
    return {
        "vectors_config": {DENSE: dense},
        "sparse_vectors_config": {SPARSE: sparse} if collection.hybrid else None,
        "hnsw_config": models.HnswConfigDiff(
            full_scan_threshold=EXACT_BELOW_KB, on_disk=collection.on_disk_hnsw
        ),
        "shard_number": cluster.shards,
        "replication_factor": cluster.replication,
        "write_consistency_factor": cluster.write_consistency,
        "quantization_config": _quantization(cluster.quantization),
        "metadata": {METADATA_KEY: to_json(collection), MADE_AT: made_at},
    }


def payload_indexes() -> dict[str, models.PayloadSchemaParams]:
    """The index of each field that filters use.

    None is linked into the graph, which would multiply the time it takes to build. Points of a year
    lie together, which makes a filter on years a tenth cheaper (`benchmarks.bench_year_filter`).
    """
    keyword = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
    integer = models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER,
        lookup=False,
        range=True,
        is_principal=True,
        enable_hnsw=False,
    )
    return {
        **dict.fromkeys(KEYWORD_FIELDS, keyword),
        **dict.fromkeys(INTEGER_FIELDS, integer),
        **{key: metadata_index(key) for key in sorted(SCOPE_KEYS)},
    }


def metadata_index(key: str) -> models.PayloadSchemaParams:
    """The index of a key of metadata."""
    if is_number(key):
        return models.FloatIndexParams(type=models.FloatIndexType.FLOAT, enable_hnsw=False)
    return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)


def server_point(point: Point) -> models.PointStruct:
    """A point to write."""
    vectors: dict[str, Any] = {DENSE: point.dense}
    if point.sparse is not None:
        vectors[SPARSE] = _sparse(point.sparse)
    return models.PointStruct(id=point.id, vector=vectors, payload=dict(point.payload))


def server_record(point: models.Record | models.ScoredPoint) -> Record:
    """A point that was read, with the requested vectors."""
    vectors = cast("dict[str, Any]", point.vector or {})
    return Record(
        id=str(point.id),
        payload=point.payload or {},
        score=point.score if isinstance(point, models.ScoredPoint) else 0.0,
        dense=vectors.get(DENSE),
        sparse=_terms(vectors.get(SPARSE)),
    )


def _terms(vector: models.SparseVector | None) -> SparseVector | None:
    if vector is None:
        return None
    return SparseVector(indices=tuple(vector.indices), values=tuple(vector.values))


def server_filter(where: Filter) -> models.Filter:
    """The conditions on payload and id."""
    must: list[models.Condition] = [_condition(condition) for condition in where.must]
    if where.only is not None:
        must.append(has_id(*sorted(where.only)))
    must_not: list[models.Condition] = [_condition(condition) for condition in where.must_not]
    if where.never:
        must_not.append(has_id(*sorted(where.never)))
    return models.Filter(must=must, must_not=must_not or None)


def has_id(*ids: str) -> models.HasIdCondition:
    """The condition that a point has one of the ids."""
    return models.HasIdCondition(has_id=list(ids))


def has_value(key: str, *values: str) -> models.FieldCondition:
    """The condition that a field has one of the values."""
    if len(values) == 1:  # a list of one would make the search a fifth slower
        return models.FieldCondition(key=key, match=models.MatchValue(value=values[0]))
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))


def server_query(
    search: IndexSearch, limit: int, oversampling: float | None = None
) -> models.QueryRequest:
    """A search; each side of a fusion carries the filter itself. Hits among quantised vectors are
    put in order by the whole ones, of `oversampling` times as many.
    """
    where = server_filter(search.where)
    returned: dict[str, Any] = {
        "limit": limit,
        "with_payload": list(search.keys) or True,
        "with_vector": list(search.vectors) or False,
    }
    if search.fusion is None:
        side = search.sides[0]
        return models.QueryRequest(
            query=_nearest(side),
            using=side.using,
            filter=where,
            params=_params(side, oversampling),
            **returned,
        )
    sides = [
        models.Prefetch(
            query=_nearest(side),
            using=side.using,
            filter=where,
            limit=search.fusion.candidates,
            params=_params(side, oversampling),
        )
        for side in search.sides
    ]
    fusion = models.RrfQuery(rrf=models.Rrf(k=search.fusion.k + RANK_BASE))
    return models.QueryRequest(prefetch=sides, query=fusion, **returned)


def _params(side: Nearest, oversampling: float | None) -> models.SearchParams | None:
    if oversampling is None or side.using != DENSE:
        return None
    quantization = models.QuantizationSearchParams(rescore=True, oversampling=oversampling)
    return models.SearchParams(quantization=quantization)


def _nearest(side: Nearest) -> models.NearestQuery:
    vector = _sparse(side.vector) if isinstance(side.vector, SparseVector) else side.vector
    return models.NearestQuery(nearest=vector)


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _condition(condition: Condition) -> models.FieldCondition:
    if isinstance(condition, MatchAny):
        return has_value(condition.key, *condition.values)
    bounds = models.Range(gte=condition.lowest, lte=condition.highest)
    return models.FieldCondition(key=condition.key, range=bounds)


def _quantization(kind: Quantization | None) -> models.QuantizationConfig | None:
    if kind == "scalar":
        scalar = models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
        return models.ScalarQuantization(scalar=scalar)
    if kind == "binary":
        return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    return None
