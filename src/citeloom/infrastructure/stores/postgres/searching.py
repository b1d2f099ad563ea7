"""Searches as one statement: each side under the filter, and their fusion by ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import sql

from citeloom.domain.passage import SparseVector
from citeloom.infrastructure.stores.postgres.conditions import Parameters, condition
from citeloom.infrastructure.stores.postgres.tables import Tables
from citeloom.infrastructure.stores.postgres.vectors import SPARSE_DIMENSIONS, dense_text
from citeloom.infrastructure.stores.records.queries import Nearest, Search
from citeloom.infrastructure.stores.records.schema import DENSE, SPARSE

_DENSE = """
SELECT chunk_id, 1 - (dense <=> {vector}::vector({dimension})) AS score FROM {rows} AS chunks
WHERE {condition} ORDER BY dense <=> {vector}::vector({dimension}), chunk_id LIMIT {limit}"""

# The inverse document frequency is that of `inverse_document_frequency`.
_WEIGHTED = """(
SELECT ('{{' || coalesce(string_agg(known.number || ':' || (asked.value * ln(1 +
        (whole.chunks - known.chunks + 0.5::float8) / (known.chunks + 0.5::float8))),
        ',' ORDER BY known.number), '') || '}}/' || {dimensions})::sparsevec
FROM unnest({terms}::bigint[], {values}::float8[]) AS asked(term, value)
JOIN {known} AS known USING (term),
    (SELECT chunks FROM citeloom.collections WHERE number = {number}) AS whole)"""
_NUMBERS = "ARRAY(SELECT number FROM {known} WHERE term = ANY({terms}::bigint[]))"

_RANKED = """
SELECT chunk_id, 1.0::float8 / ({k} + row_number() OVER (ORDER BY score DESC, chunk_id)) AS score
FROM ({side}) AS side"""

_BEST = """
WITH found AS MATERIALIZED ({found}), best AS MATERIALIZED (
    SELECT chunk_id, sum(score) AS score FROM found GROUP BY chunk_id
    ORDER BY sum(score) DESC, chunk_id LIMIT {limit})
SELECT {search} AS search, chunk_id, {payload} AS payload, best.score AS score, {dense} AS vector,
    {sparse} AS weights, {numbers} AS numbers
FROM best JOIN {rows} USING (chunk_id)"""

# A chunk's weight of one term is its product with the vector that has this term alone.
_SOME_TERMS = """(
SELECT string_agg(
    substr(int8send(term), 5) || float4send((-(chunks.sparse <#> alone))::float4), ''::bytea)
FROM (SELECT term, ('{{' || number || ':1}}/' || {dimensions})::sparsevec AS alone
    FROM {known} WHERE term = ANY({terms}::bigint[]) OFFSET 0) AS wanted
WHERE chunks.sparse <#> alone <> 0)"""

_ALL = """
WITH hits AS MATERIALIZED ({parts})
SELECT search, chunk_id, payload, score, vector, weights FROM hits
UNION ALL
SELECT -1, NULL, NULL, 0, NULL, string_agg(int4send(number) || substr(int8send(term), 5), ''::bytea)
FROM {known} WHERE number = ANY(ARRAY(SELECT unnest(numbers) FROM hits))"""


def statement(
    searches: Sequence[tuple[Search, int]], tables: Tables, number: int
) -> tuple[sql.Composed, Parameters]:
    """The statement for the best rows of each search up to its limit, in any order, with the place
    of the search before each; and its parameters. `number` is the collection's.

    A last row, of search -1, has the terms of the numbers in the sparse vectors of the others, as
    pairs of both. Of a search for some terms these have pairs of terms and weights instead. A term
    has 32 bits.
    """
    parameters = Parameters()
    writing = _Writing(tables, number, parameters)
    parts = [writing.best(place, *one) for place, one in enumerate(searches)]
    parameters.values.update(tables.values)
    joined = sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(one) for one in parts)
    if any(_whole(search) for search, _ in searches):
        joined = sql.SQL(_ALL).format(parts=joined, known=tables.terms)
    return joined, parameters


def _whole(search: Search) -> bool:
    """Whether the whole sparse vectors of its hits are requested."""
    return SPARSE in search.vectors and search.terms is None


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes the parts of a statement, whose values it adds to the parameters."""

    tables: Tables
    number: int
    parameters: Parameters

    def best(self, place: int, search: Search, limit: int) -> sql.Composed:
        """The best rows of a search."""
        sides = [self._side(side, search, limit) for side in search.sides]
        if search.fusion is not None:
            k = self.parameters.add(search.fusion.k)
            sides = [sql.SQL(_RANKED).format(k=k, side=side) for side in sides]
        return sql.SQL(_BEST).format(
            search=sql.Literal(place),
            payload=sql.SQL("'{}'::jsonb" if search.keys else "chunks.fields || chunks.body"),
            found=sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(side) for side in sides),
            limit=self.parameters.add(limit),
            dense=sql.SQL("vector_send(dense)" if DENSE in search.vectors else "NULL::bytea"),
            sparse=self._sparse(search),
            numbers=sql.SQL("chunks.terms" if _whole(search) else "NULL::int[]"),
            rows=self.tables.joined,
        )

    def _sparse(self, search: Search) -> sql.Composable:
        if SPARSE not in search.vectors:
            return sql.SQL("NULL::bytea")
        if search.terms is None:
            return sql.SQL("sparsevec_send(chunks.sparse)")
        return sql.SQL(_SOME_TERMS).format(
            known=self.tables.terms,
            terms=self.parameters.add(sorted(search.terms)),
            dimensions=sql.Literal(SPARSE_DIMENSIONS),
        )

    def _side(self, side: Nearest, search: Search, limit: int) -> sql.Composed:
        depth = self.parameters.add(search.fusion.candidates if search.fusion else limit)
        common = {
            "rows": self.tables.rows,
            "condition": condition(search.where, self.parameters),
            "limit": depth,
        }
        if isinstance(side.vector, SparseVector):
            known, terms = self.tables.terms, self.parameters.add(list(side.vector.indices))
            return sql.SQL(self.tables.sparse_side).format(
                weights=self.tables.weights,
                vector=sql.SQL(_WEIGHTED).format(
                    known=known,
                    terms=terms,
                    values=self.parameters.add(list(map(float, side.vector.values))),
                    number=sql.Literal(self.number),
                    dimensions=sql.Literal(SPARSE_DIMENSIONS),
                ),
                terms=sql.SQL(_NUMBERS).format(known=known, terms=terms),
                **common,
            )
        return sql.SQL(_DENSE).format(
            vector=self.parameters.add(dense_text(side.vector)),
            dimension=sql.Literal(self.tables.dimension),
            **common,
        )
