"""Points, filters, searches and collections in the terms of qdrant-client."""

from __future__ import annotations

from typing import TypedDict

from qdrant_client import models

from citeloom.domain.passage import SparseVector
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.qdrant.cluster import ClusterOptions, Quantization
from citeloom.infrastructure.stores.qdrant.engine import EXACT_BELOW_KB, RANK_BASE
from citeloom.infrastructure.stores.records.binding import to_json
from citeloom.infrastructure.stores.records.filters import Condition, Filter, OneOf
from citeloom.infrastructure.stores.records.metadata_payload import NUMBER
from citeloom.infrastructure.stores.records.points import Point, Record
from citeloom.infrastructure.stores.records.queries import Nearest, Search
from citeloom.infrastructure.stores.records.schema import (
    DENSE,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    SPARSE,
)

METADATA_KEY = "citeloom"

IndexParams = models.KeywordIndexParams | models.IntegerIndexParams | models.FloatIndexParams
QuantizationConfig = models.ScalarQuantization | models.BinaryQuantization


class CollectionRequest(TypedDict):
    """The arguments a collection is created with."""

    vectors_config: dict[str, models.VectorParams]
    sparse_vectors_config: dict[str, models.SparseVectorParams] | None
    hnsw_config: models.HnswConfigDiff
    shard_number: int | None
    replication_factor: int | None
    write_consistency_factor: int | None
    quantization_config: QuantizationConfig | None
    metadata: dict[str, object]


class QueryArguments(TypedDict, total=False):
    """The arguments a search is made with."""

    query: list[float] | models.SparseVector | models.RrfQuery
    using: str
    query_filter: models.Filter
    prefetch: list[models.Prefetch]


def collection_request(collection: Collection, cluster: ClusterOptions) -> CollectionRequest:
    """How a collection is created; its binding goes into the metadata."""
    dense = models.VectorParams(
        size=collection.dimension,
        distance=models.Distance.COSINE,
        on_disk=collection.on_disk_vectors,
    )
    sparse = models.SparseVectorParams(
        modifier=models.Modifier.IDF,
        index=models.SparseIndexParams(on_disk=collection.on_disk_vectors),
    )
    return CollectionRequest(
        vectors_config={DENSE: dense},
        sparse_vectors_config={SPARSE: sparse} if collection.hybrid else None,
        hnsw_config=models.HnswConfigDiff(
            full_scan_threshold=EXACT_BELOW_KB, on_disk=collection.on_disk_hnsw
        ),
        shard_number=cluster.shards,
        replication_factor=cluster.replication_factor,
        write_consistency_factor=cluster.write_consistency_factor,
        quantization_config=_quantization(cluster.quantization),
        metadata={METADATA_KEY: to_json(collection)},
    )


def payload_indexes() -> dict[str, IndexParams]:
    """The index of each field that filters use.

    None is linked into the graph, which would multiply the time it takes to build.
    """
    keyword = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
    integer = models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    )
    return {**dict.fromkeys(KEYWORD_FIELDS, keyword), **dict.fromkeys(INTEGER_FIELDS, integer)}


def metadata_index(key: str) -> IndexParams:
    """The index of a key of metadata."""
    if key.startswith(NUMBER):
        return models.FloatIndexParams(type=models.FloatIndexType.FLOAT, enable_hnsw=False)
    return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)


def server_point(point: Point) -> models.PointStruct:
    """A point to write."""
    vectors: dict[str, models.Vector] = {DENSE: point.dense}
    if point.sparse is not None:
        vectors[SPARSE] = _sparse(point.sparse)
    return models.PointStruct(id=point.id, vector=vectors, payload=point.payload)


def server_record(found: models.Record | models.ScoredPoint) -> Record:
    """A point that was read, with the requested vectors."""
    vectors = found.vector if isinstance(found.vector, dict) else {}
    dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
    return Record(
        id=str(found.id),
        payload=found.payload or {},
        score=found.score if isinstance(found, models.ScoredPoint) else 0.0,
        dense=[float(x) for x in dense if isinstance(x, float)]
        if isinstance(dense, list)
        else None,
        sparse=SparseVector(indices=tuple(sparse.indices), values=tuple(sparse.values))
        if isinstance(sparse, models.SparseVector)
        else None,
    )


def server_filter(where: Filter) -> models.Filter:
    """The conditions on payload and id."""
    must: list[models.Condition] = [_condition(condition) for condition in where.must]
    if where.only is not None:
        must.append(models.HasIdCondition(has_id=sorted(where.only)))
    must_not: list[models.Condition] = [_condition(condition) for condition in where.must_not]
    if where.never:
        must_not.append(models.HasIdCondition(has_id=sorted(where.never)))
    return models.Filter(must=must, must_not=must_not or None)


def server_query(search: Search) -> QueryArguments:
    """The arguments of a search; each side of a fusion carries the filter itself."""
    where = server_filter(search.where)
    if search.fusion is None:
        side = search.sides[0]
        return QueryArguments(query=_vector(side), using=side.using, query_filter=where)
    sides = [
        models.Prefetch(
            query=_vector(side), using=side.using, limit=search.fusion.candidates, filter=where
        )
        for side in search.sides
    ]
    fusion = models.RrfQuery(rrf=models.Rrf(k=search.fusion.k + RANK_BASE))
    return QueryArguments(prefetch=sides, query=fusion)


def _vector(side: Nearest) -> list[float] | models.SparseVector:
    return _sparse(side.vector) if isinstance(side.vector, SparseVector) else side.vector


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _condition(condition: Condition) -> models.FieldCondition:
    if isinstance(condition, OneOf):
        return models.FieldCondition(key=condition.key, match=_match(condition.values))
    bounds = models.Range(gte=condition.lowest, lte=condition.highest)
    return models.FieldCondition(key=condition.key, range=bounds)


def _match(values: tuple[str, ...]) -> models.MatchValue | models.MatchAny:
    if len(values) == 1:  # a list of one would make the search a fifth slower
        return models.MatchValue(value=values[0])
    return models.MatchAny(any=list(values))


def _quantization(kind: Quantization | None) -> QuantizationConfig | None:
    if kind == "scalar":
        scalar = models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
        return models.ScalarQuantization(scalar=scalar)
    if kind == "binary":
        return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    return None
