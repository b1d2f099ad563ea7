"""The terms of a collection: their numbers, and how many chunks have each."""

from __future__ import annotations

from collections.abc import Collection as Some
from typing import cast

from psycopg import sql

from citeloom.infrastructure.stores.postgres.connections import Connection
from citeloom.infrastructure.stores.postgres.searching import Term
from citeloom.infrastructure.stores.postgres.tables import Tables

_ADD = """
INSERT INTO {terms} (term) SELECT term FROM unnest(%s::bigint[]) AS new(term)
WHERE NOT EXISTS (SELECT FROM {terms} AS known WHERE known.term = new.term)"""
_COUNT = """
WITH changed AS ({changed} RETURNING {column} AS terms), per_term AS (
    SELECT number, count(*) AS chunks FROM changed, unnest(changed.terms) AS number GROUP BY number
), counted AS (
    UPDATE {terms} AS term SET chunks = term.chunks + {sign} * per_term.chunks
    FROM per_term WHERE term.number = per_term.number)
SELECT count(*) FROM changed"""


def known_terms(connection: Connection, tables: Tables, terms: Some[int]) -> dict[int, Term]:
    """Those of the terms that the collection has, or once had."""
    found = connection.execute(
        sql.SQL("SELECT term, number, chunks FROM {} WHERE term = ANY(%s::bigint[])").format(
            tables.terms
        ),
        (list(terms),),
    )
    rows = cast("list[tuple[int, int, int]]", found.fetchall())
    return {term: Term(number=number, chunks=chunks) for term, number, chunks in rows}


def searched(
    connection: Connection, tables: Tables, terms: Some[int], number: int
) -> tuple[dict[int, Term], int]:
    """Those of the terms that the collection of that number has, and its number of chunks."""
    found = connection.execute(
        sql.SQL(
            "SELECT term, number, chunks FROM {} WHERE term = ANY(%s::bigint[]) UNION ALL "
            "SELECT NULL, 0, chunks FROM citeloom.collections WHERE number = %s"
        ).format(tables.terms),
        (list(terms), number),
    )
    rows = cast("list[tuple[int | None, int, int]]", found.fetchall())
    known = {term: Term(number=at, chunks=chunks) for term, at, chunks in rows if term is not None}
    return known, next((chunks for term, _, chunks in rows if term is None), 0)


def numbered(connection: Connection, tables: Tables, terms: Some[int]) -> dict[int, int]:
    """The numbers of terms; new ones get the next."""
    connection.execute(sql.SQL(_ADD).format(terms=tables.terms), (list(terms),))
    known = known_terms(connection, tables, terms)
    return {term: found.number for term, found in known.items()}


def terms_by_number(connection: Connection, tables: Tables, numbers: Some[int]) -> dict[int, int]:
    """The terms that have these numbers."""
    found = connection.execute(
        sql.SQL("SELECT number, term FROM {} WHERE number = ANY(%s::int[])").format(tables.terms),
        (list(numbers),),
    )
    return dict(cast("list[tuple[int, int]]", found.fetchall()))


def counting(tables: Tables, changed: sql.Composable, *, sign: int) -> sql.Composed:
    """A statement that changes rows, made to count their terms as well; its result is the number
    of rows.
    """
    return sql.SQL(_COUNT).format(
        changed=changed, column=tables.terms_column, terms=tables.terms, sign=sql.Literal(sign)
    )
