"""Filters as Milvus expressions; every value is written as a literal of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from citeloom.infrastructure.stores.milvus.fields import COLUMNS, ID, LISTS, PAYLOAD
from citeloom.infrastructure.stores.records.filters import Between, Condition, Filter, OneOf

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_NOTHING = f'{ID} == ""'
"""No point has an empty id."""


def expression(where: Filter) -> str:
    """The filter as an expression that is never empty."""
    parts = [_condition(one) for one in where.must]
    parts += [_never(one) for one in where.must_not]
    if where.only is not None:
        parts.append(f"{ID} in {_array(sorted(where.only))}" if where.only else _NOTHING)
    if where.never:
        parts.append(f"{ID} not in {_array(sorted(where.never))}")
    return " and ".join(f"({part})" for part in parts)


def literal(value: object) -> str:
    """A value as Milvus reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return f'"{str(value).translate(_ESCAPES)}"'


def _condition(condition: Condition) -> str:
    match condition:
        case OneOf(key=key, values=values):
            return _one_of(key, values)
        case Between(key=key, lowest=lowest, highest=highest):
            bounds = ((">=", lowest), ("<=", highest))
            return " and ".join(
                f"{_field(key)} {sign} {literal(bound)}"
                for sign, bound in bounds
                if bound is not None
            )


def _never(condition: Condition) -> str:
    """That a condition does not hold; it does not where the field is missing, either."""
    field = _field(condition.key)
    missing = "" if condition.key in COLUMNS else f"not exists {field} or "
    return f"{missing}not ({_condition(condition)})"


def _one_of(key: str, values: Iterable[str]) -> str:
    if key in LISTS:
        return f"json_contains_any({key}, {_array(values)})"
    if key in COLUMNS:
        return f"{key} in {_array(values)}"
    field = _field(key)
    equal = (f"{field} == {literal(value)}" for value in values)
    return " or ".join([*equal, f"json_contains_any({field}, {_array(values)})"])


def _field(key: str) -> str:
    return key if key in COLUMNS else f"{PAYLOAD}[{literal(key)}]"


def _array(values: Iterable[object]) -> str:
    return f"[{', '.join(map(literal, values))}]"
