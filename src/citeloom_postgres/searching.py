"""A search as one statement: filters, both sides, their fusion by ranks, and the weights of
terms.
"""

from __future__ import annotations

import json
from collections.abc import Collection as Some
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from psycopg import sql

from citeloom.domain.retrieval.passage import SparseVector
from citeloom.infrastructure.stores.records.queries import (
    ID_ALONE,
    Condition,
    Filter,
    IndexSearch,
    MatchAny,
    Nearest,
)
from citeloom.infrastructure.stores.records.schema import DENSE, SPARSE
from citeloom_postgres.connections import Connection
from citeloom_postgres.tables import SPARSE_DIMENSIONS, Tables, dense_text

# Filters as SQL: every value is a parameter, none is written into a statement.

COLUMNS = ("project_id", "doc_id", "citekey", "source_path", "kind")
"""The fields that have a column beside the payload, of which the planner has statistics."""


class Parameters:
    """The values of a statement by name."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def add(self, value: object) -> sql.Placeholder:
        """The placeholder of a value."""
        name = f"p{len(self.values)}"
        self.values[name] = value
        return sql.Placeholder(name)


def condition(where: Filter, parameters: Parameters) -> sql.Composable:
    """The condition that a row meets exactly if the filter matches it."""
    parts: list[sql.Composable] = [_condition_of(term, parameters) for term in where.must]
    parts += [sql.SQL(_NOT).format(_condition_of(term, parameters)) for term in where.must_not]
    if where.only is not None:
        only = parameters.add(sorted(where.only))
        parts.append(sql.SQL("chunk_id = ANY({}::text[])").format(only))
    if where.never:
        never = parameters.add(sorted(where.never))
        parts.append(sql.SQL("chunk_id <> ALL({}::text[])").format(never))
    return sql.SQL(" AND ").join(parts) if parts else sql.SQL("true")


def _condition_of(term: Condition, parameters: Parameters) -> sql.Composable:
    if isinstance(term, MatchAny):
        if term.key in COLUMNS:
            values = parameters.add(list(term.values))
            return sql.SQL("{} = ANY({}::text[])").format(sql.Identifier(term.key), values)
        alternatives = [
            json.dumps({term.key: form}) for value in term.values for form in (value, [value])
        ]
        return sql.SQL("fields @> ANY({}::jsonb[])").format(parameters.add(alternatives))
    key = parameters.add(term.key)
    bounds = [
        sql.SQL(sign).format(key=key, bound=parameters.add(bound))
        for sign, bound in ((_AT_LEAST, term.lowest), (_AT_MOST, term.highest))
        if bound is not None
    ]
    inside = sql.SQL(" AND ").join(bounds) if bounds else sql.SQL("true")
    return sql.SQL(_IF_NUMBER).format(key=key, inside=inside)


_NOT = "({}) IS NOT TRUE"
_AT_LEAST = "(fields ->> {key}::text)::numeric >= {bound}"
_AT_MOST = "(fields ->> {key}::text)::numeric <= {bound}"
_IF_NUMBER = "CASE WHEN jsonb_typeof(fields -> {key}::text) = 'number' THEN {inside} ELSE false END"


# The payload of a row.

_SOME_KEYS = (
    "(SELECT jsonb_object_agg(key, (fields || body) -> key) FROM unnest({keys}::text[]) AS key "
    "WHERE (fields || body) ? key)"
)


def payload_of(keys: Sequence[str], parameters: Parameters) -> sql.Composable:
    """These keys of a payload, all of it if none is named."""
    if not keys:
        return sql.SQL("chunks.fields || chunks.body")
    return sql.SQL(_SOME_KEYS).format(keys=parameters.add(list(keys)))


# Searches as one statement: each side under the filter, and their fusion by ranks.

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
FROM best JOIN {rows} AS chunks USING (chunk_id)"""

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
    searches: Sequence[tuple[IndexSearch, int]], tables: Tables, number: int
) -> tuple[sql.Composed, Parameters]:
    """The statement for the best rows of each search up to its limit, in any order, with the place
    of the search before each; and its parameters. `number` is the collection's.

    A last row, of search -1, has the terms of the numbers in the sparse vectors of the others, as
    pairs of both. Of a search for some terms these have pairs of terms and weights instead. A term
    has 32 bits.
    """
    parameters = Parameters()
    writing = _Writing(tables, number, parameters)
    parts = [writing.best(place, *search) for place, search in enumerate(searches)]
    joined = sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(part) for part in parts)
    if any(_whole(search) for search, _ in searches):
        joined = sql.SQL(_ALL).format(parts=joined, known=tables.terms)
    return joined, parameters


def _whole(search: IndexSearch) -> bool:
    """Whether the whole sparse vectors of its hits are requested."""
    return SPARSE in search.vectors and search.terms is None


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes the parts of a statement, whose values it adds to the parameters."""

    tables: Tables
    number: int
    parameters: Parameters

    def best(self, place: int, search: IndexSearch, limit: int) -> sql.Composed:
        """The best rows of a search."""
        sides = [self._side(side, search, limit) for side in search.sides]
        if search.fusion is not None:
            k = self.parameters.add(search.fusion.k)
            sides = [sql.SQL(_RANKED).format(k=k, side=side) for side in sides]
        return sql.SQL(_BEST).format(
            search=sql.Literal(place),
            payload=self._payload(search.keys),
            found=sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(side) for side in sides),
            limit=self.parameters.add(limit),
            dense=sql.SQL("vector_send(dense)" if DENSE in search.vectors else "NULL::bytea"),
            sparse=self._sparse(search),
            numbers=sql.SQL("chunks.terms" if _whole(search) else "NULL::int[]"),
            rows=self.tables.rows,
        )

    def _payload(self, keys: tuple[str, ...]) -> sql.Composable:
        if keys and set(keys) <= set(ID_ALONE):
            return sql.SQL("'{}'::jsonb")  # the id is a column
        return payload_of(keys, self.parameters)

    def _sparse(self, search: IndexSearch) -> sql.Composable:
        if SPARSE not in search.vectors:
            return sql.SQL("NULL::bytea")
        if search.terms is None:
            return sql.SQL("sparsevec_send(chunks.sparse)")
        return sql.SQL(_SOME_TERMS).format(
            known=self.tables.terms,
            terms=self.parameters.add(sorted(search.terms)),
            dimensions=sql.Literal(SPARSE_DIMENSIONS),
        )

    def _side(self, side: Nearest, search: IndexSearch, limit: int) -> sql.Composed:
        depth = self.parameters.add(search.fusion.candidates if search.fusion else limit)
        where = condition(search.where, self.parameters)
        if isinstance(side.vector, SparseVector):
            known, terms = self.tables.terms, self.parameters.add(list(side.vector.indices))
            return self.tables.sparse_side(
                vector=sql.SQL(_WEIGHTED).format(
                    known=known,
                    terms=terms,
                    values=self.parameters.add(list(map(float, side.vector.values))),
                    number=sql.Literal(self.number),
                    dimensions=sql.Literal(SPARSE_DIMENSIONS),
                ),
                terms=sql.SQL(_NUMBERS).format(known=known, terms=terms),
                condition=where,
                limit=depth,
            )
        return sql.SQL(_DENSE).format(
            vector=self.parameters.add(dense_text(side.vector)),
            dimension=sql.Literal(self.tables.dimension),
            rows=self.tables.rows,
            condition=where,
            limit=depth,
        )


# The terms of a collection: their numbers, and how many chunks have each.

_ADD = """
INSERT INTO {terms} (term) SELECT term FROM unnest(%s::bigint[]) AS new(term)
WHERE NOT EXISTS (SELECT FROM {terms} AS known WHERE known.term = new.term)"""
_COUNT = """
WITH changed (terms) AS ({changed}), per_term AS (
    SELECT number, count(*) AS chunks FROM changed, unnest(changed.terms) AS number GROUP BY number
), counted AS (
    UPDATE {terms} AS term SET chunks = term.chunks + {sign} * per_term.chunks
    FROM per_term WHERE term.number = per_term.number)
SELECT count(*) FROM changed"""


def numbered(connection: Connection, tables: Tables, terms: Some[int]) -> dict[int, int]:
    """The numbers of terms; new ones get the next."""
    connection.execute(sql.SQL(_ADD).format(terms=tables.terms), (list(terms),))
    cursor = connection.execute(
        sql.SQL("SELECT term, number FROM {} WHERE term = ANY(%s::bigint[])").format(tables.terms),
        (list(terms),),
    )
    return dict(cast("list[tuple[int, int]]", cursor.fetchall()))


def terms_by_number(connection: Connection, tables: Tables, numbers: Some[int]) -> dict[int, int]:
    """The terms that have these numbers."""
    cursor = connection.execute(
        sql.SQL("SELECT number, term FROM {} WHERE number = ANY(%s::int[])").format(tables.terms),
        (list(numbers),),
    )
    return dict(cast("list[tuple[int, int]]", cursor.fetchall()))


def counting(tables: Tables, changed: sql.Composable, *, sign: int) -> sql.Composed:
    """A statement that changes rows and returns their terms, made to count these as well; its
    result is the number of rows.
    """
    return sql.SQL(_COUNT).format(changed=changed, terms=tables.terms, sign=sql.Literal(sign))
