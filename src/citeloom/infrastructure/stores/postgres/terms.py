"""The terms of a collection: their numbers, and how many chunks have each."""

from __future__ import annotations

from collections.abc import Collection as Some
from typing import cast

from psycopg import sql

from citeloom.infrastructure.stores.postgres.connections import Connection
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


def numbered(connection: Connection, tables: Tables, terms: Some[int]) -> dict[int, int]:
    """The numbers of terms; new ones get the next."""
    connection.execute(sql.SQL(_ADD).format(terms=tables.terms), (list(terms),))
    found = connection.execute(
        sql.SQL("SELECT term, number FROM {} WHERE term = ANY(%s::bigint[])").format(tables.terms),
        (list(terms),),
    )
    return dict(cast("list[tuple[int, int]]", found.fetchall()))


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
