"""A search as one statement: each side under the filter, and their fusion by ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql

from citeloom.domain.passage import SparseVector
from citeloom.domain.term_weights import inverse_document_frequency
from citeloom.infrastructure.stores.postgres.conditions import Parameters, condition
from citeloom.infrastructure.stores.postgres.tables import Tables
from citeloom.infrastructure.stores.postgres.vectors import dense_text, sparse_text
from citeloom.infrastructure.stores.records.queries import Nearest, Search
from citeloom.infrastructure.stores.records.schema import DENSE, SPARSE

_DENSE = """
SELECT chunk_id, 1 - (dense <=> {vector}::vector({dimension})) AS score FROM {rows} AS chunks
WHERE {condition} ORDER BY dense <=> {vector}::vector({dimension}), chunk_id LIMIT {limit}"""

_RANKED = """
SELECT chunk_id, 1.0::float8 / ({k} + row_number() OVER (ORDER BY score DESC, chunk_id)) AS score
FROM ({side}) AS side"""

_BEST = """
WITH found AS MATERIALIZED ({found}), best AS MATERIALIZED (
    SELECT chunk_id, sum(score) AS score FROM found GROUP BY chunk_id
    ORDER BY sum(score) DESC, chunk_id LIMIT {limit})
SELECT {number}, chunk_id, {payload}, best.score, {vectors}
FROM best JOIN {rows} USING (chunk_id)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term of the collection: its number, and how many chunks have it."""

    number: int
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search is made in: the tables, the number of their chunks, and the query's terms."""

    tables: Tables
    chunks: int
    terms: Mapping[int, Term]


def statement(
    searches: Sequence[tuple[Search, int]], where: Searched
) -> tuple[sql.Composed, Parameters]:
    """The statement for the best rows of each search up to its limit, in any order, with the number
    of the search before each; and its parameters.
    """
    parameters = Parameters()
    parts = [
        _best(number, search, limit, where, parameters)
        for number, (search, limit) in enumerate(searches)
    ]
    parameters.values.update(where.tables.values)
    return sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(one) for one in parts), parameters


def _best(
    number: int, search: Search, limit: int, where: Searched, parameters: Parameters
) -> sql.Composed:
    sides = [_side(side, search, limit, where, parameters) for side in search.sides]
    if search.fusion is not None:
        k = parameters.add(search.fusion.k)
        sides = [sql.SQL(_RANKED).format(k=k, side=side) for side in sides]
    vectors = (f"{one}::text" if one in search.vectors else "NULL::text" for one in (DENSE, SPARSE))
    return sql.SQL(_BEST).format(
        number=sql.Literal(number),
        payload=sql.SQL("'{}'::jsonb" if search.keys else "chunks.fields || chunks.body"),
        found=sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(side) for side in sides),
        limit=parameters.add(limit),
        vectors=sql.SQL(", ".join(vectors)),
        rows=where.tables.joined,
    )


def _side(
    side: Nearest, search: Search, limit: int, where: Searched, parameters: Parameters
) -> sql.Composed:
    depth = parameters.add(search.fusion.candidates if search.fusion else limit)
    common = {
        "rows": where.tables.rows,
        "condition": condition(search.where, parameters),
        "limit": depth,
    }
    if isinstance(side.vector, SparseVector):
        weights = _weighted(side.vector, where)
        return sql.SQL(where.tables.sparse_side).format(
            weights=where.tables.weights,
            vector=parameters.add(sparse_text(weights)),
            terms=parameters.add(sorted(weights)),
            **common,
        )
    return sql.SQL(_DENSE).format(
        vector=parameters.add(dense_text(side.vector)),
        dimension=sql.Literal(where.tables.dimension),
        **common,
    )


def _weighted(vector: SparseVector, where: Searched) -> dict[int, float]:
    """The query's weights times the inverse document frequency, by the terms' numbers."""
    return {
        term.number: value * inverse_document_frequency(where.chunks, term.chunks)
        for index, value in zip(vector.indices, vector.values)
        if (term := where.terms.get(index)) is not None
    }
