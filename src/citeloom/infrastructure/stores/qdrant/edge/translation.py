"""Points, filters and searches in the terms of Qdrant Edge, the engine in process."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import qdrant_edge as edge

from citeloom.domain.retrieval.filters import SCOPE_KEYS
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.stores.records.metadata_payload import is_number
from citeloom.infrastructure.stores.records.points_index import Point, Record
from citeloom.infrastructure.stores.records.queries import (
    EXACT_BELOW_KB,
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
)

if TYPE_CHECKING:
    from citeloom.domain.project import Collection

_M, _EF_CONSTRUCT = 16, 100  # Qdrant's own defaults

_FLOAT_BYTES = 4
_INDEXING_KB = 1_000  # a segment larger than this opens several times faster once optimised

_SEARCH_THREADS = 2  # a shard has one or two segments, each searched by one thread

_SCORED_ONE_BY_ONE = 500
"""So many chunks of a selection at most are scored without the inverted index, as fast."""

_WEIGHED_BY_STORED = edge.SearchParams(idf=edge.IdfParams(corpus=edge.Filter()))
"""IDF of the points there are: the engine's own counts replaced and deleted ones, too, until it
rewrites their segment.
"""

IndexParams = edge.KeywordIndexParams | edge.IntegerIndexParams | edge.FloatIndexParams


def shard_config(collection: Collection, *, graph: bool = True) -> edge.EdgeConfig:
    """The vectors of a collection, where they are kept, and whether a graph joins them."""
    cold = edge.Memory.Cold if collection.on_disk_vectors else None
    dense = edge.EdgeVectorParams(
        size=collection.dimension, distance=edge.Distance.Cosine, memory=cold
    )
    sparse = edge.EdgeSparseVectorParams(
        modifier=edge.Modifier.Idf, full_scan_threshold=_SCORED_ONE_BY_ONE, memory=cold
    )
    return edge.EdgeConfig(
        vectors={DENSE: dense},
        sparse_vectors={SPARSE: sparse} if collection.hybrid else None,
        hnsw_config=edge.HnswIndexConfig(
            m=_M if graph else 0,
            ef_construct=_EF_CONSTRUCT,
            full_scan_threshold=EXACT_BELOW_KB,
            memory=edge.Memory.Cold if collection.on_disk_hnsw else None,
        ),
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=_INDEXING_KB),
        max_search_threads=_SEARCH_THREADS,
    )


def needs_graph(collection: Collection, points: int) -> bool:
    """Whether there are enough vectors for a graph search instead of an exact one."""
    return points * collection.dimension * _FLOAT_BYTES > EXACT_BELOW_KB * 1024


def payload_indexes() -> dict[str, IndexParams]:
    """The index of each field that filters use.

    None is linked into the graph, which would multiply the time it takes to build.
    """
    return {
        **{key: edge.KeywordIndexParams(enable_hnsw=False) for key in KEYWORD_FIELDS},
        **{key: edge.IntegerIndexParams(enable_hnsw=False) for key in INTEGER_FIELDS},
        **{key: metadata_index(key) for key in sorted(SCOPE_KEYS)},
    }


def metadata_index(key: str) -> IndexParams:
    """The index of a key of metadata."""
    if is_number(key):
        return edge.FloatIndexParams(enable_hnsw=False)
    return edge.KeywordIndexParams(enable_hnsw=False)


def edge_point(point: Point) -> edge.Point:
    """A point to write."""
    vectors: dict[str, edge.NamedVector] = {DENSE: point.dense}
    if point.sparse is not None:
        vectors[SPARSE] = _sparse(point.sparse)
    return edge.Point(id=point.id, vector=vectors, payload=point.payload)


def edge_record(point: edge.Record | edge.ScoredPoint) -> Record:
    """A point that was read, with the requested vectors."""
    record = Record(id=point.id, payload=point.payload or {})
    if isinstance(point, edge.ScoredPoint):
        record.score = point.score
    if isinstance(vectors := point.vector, dict):
        dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
        if isinstance(dense, list):
            record.dense = cast("list[float]", dense)
        if isinstance(sparse, edge.SparseVector):
            indices, values = tuple(sparse.indices), tuple(sparse.values)
            record.sparse = SparseVector(indices=indices, values=values)
    return record


def edge_filter(where: Filter) -> edge.Filter:
    """The conditions on payload and id."""
    must: list[edge.ConditionType] = [_condition(condition) for condition in where.must]
    if where.only is not None:
        must.append(edge.HasIdCondition(set(where.only)))
    must_not: list[edge.ConditionType] = [_condition(condition) for condition in where.must_not]
    if where.never:
        must_not.append(edge.HasIdCondition(set(where.never)))
    return edge.Filter(must=must, must_not=must_not)


def edge_query(search: IndexSearch, limit: int) -> edge.QueryRequest:
    """The request for `limit` points by one side."""
    side = search.sides[0]
    return edge.QueryRequest(
        limit=limit,
        query=_nearest(side),
        filter=edge_filter(search.where),
        params=_WEIGHED_BY_STORED if side.using == SPARSE else None,
        with_payload=list(search.keys) or True,
        with_vector=list(search.vectors) or False,
    )


def _nearest(side: Nearest) -> edge.Query:
    vector = _sparse(side.vector) if isinstance(side.vector, SparseVector) else side.vector
    return edge.Query.Nearest(vector, using=side.using)


def _sparse(vector: SparseVector) -> edge.SparseVector:
    return edge.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _condition(condition: Condition) -> edge.FieldCondition:
    if isinstance(condition, MatchAny):
        match: edge.MatchType = edge.MatchAny(any=list(condition.values))
        if len(condition.values) == 1:  # a list of one would make the search a fifth slower
            match = edge.MatchValue(value=condition.values[0])
        return edge.FieldCondition(key=condition.key, match=match)
    bounds = edge.RangeFloat(gte=condition.lowest, lte=condition.highest)
    return edge.FieldCondition(key=condition.key, range=bounds)
