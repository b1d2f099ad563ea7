"""Filters as SQL: every value is a parameter, none is written into a statement."""

from __future__ import annotations

import json

from psycopg import sql

from citeloom.infrastructure.stores.records.filters import Condition, Filter, OneOf

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
    parts: list[sql.Composable] = [_one(one, parameters) for one in where.must]
    parts += [sql.SQL(_NOT).format(_one(one, parameters)) for one in where.must_not]
    if where.only is not None:
        only = parameters.add(sorted(where.only))
        parts.append(sql.SQL("chunk_id = ANY({}::text[])").format(only))
    if where.never:
        never = parameters.add(sorted(where.never))
        parts.append(sql.SQL("chunk_id <> ALL({}::text[])").format(never))
    return sql.SQL(" AND ").join(parts) if parts else sql.SQL("true")


def _one(one: Condition, parameters: Parameters) -> sql.Composable:
    if isinstance(one, OneOf):
        return _one_of(one, parameters)
    key = parameters.add(one.key)
    bounds = [
        sql.SQL(sign).format(key=key, bound=parameters.add(bound))
        for sign, bound in ((_AT_LEAST, one.lowest), (_AT_MOST, one.highest))
        if bound is not None
    ]
    inside = sql.SQL(" AND ").join(bounds) if bounds else sql.SQL("true")
    return sql.SQL(_IF_NUMBER).format(key=key, inside=inside)


def _one_of(one: OneOf, parameters: Parameters) -> sql.Composable:
    if one.key in COLUMNS:
        values = parameters.add(list(one.values))
        return sql.SQL("{} = ANY({}::text[])").format(sql.Identifier(one.key), values)
    wanted = [json.dumps({one.key: form}) for value in one.values for form in (value, [value])]
    return sql.SQL("fields @> ANY({}::jsonb[])").format(parameters.add(wanted))


_NOT = "({}) IS NOT TRUE"
_AT_LEAST = "(fields ->> {key}::text)::numeric >= {bound}"
_AT_MOST = "(fields ->> {key}::text)::numeric <= {bound}"
_IF_NUMBER = "CASE WHEN jsonb_typeof(fields -> {key}::text) = 'number' THEN {inside} ELSE false END"
