"""A selection of chunks as conditions on point payloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, nextafter

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.passage import Selection
from citeloom.domain.sections import section_key
from citeloom.domain.where import Operator, Where
from citeloom.infrastructure.stores.records.metadata_payload import METADATA, NUMBER


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field has one of these values, or an array field holds one."""

    key: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The number lies within the bounds, both included."""

    key: str
    lowest: float | None
    highest: float | None


Condition = OneOf | Between


@dataclass(frozen=True, slots=True)
class Filter:
    """All `must` conditions hold and no `must_not` condition; the point's id is in `only` (None is
    any) and not in `never`.
    """

    must: tuple[Condition, ...]
    must_not: tuple[Condition, ...] = ()
    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()

    def among(self, point_ids: frozenset[str]) -> Filter:
        """This filter, limited to these points."""
        return replace(self, only=point_ids)

    def without(self, point_ids: frozenset[str]) -> Filter:
        """This filter without these points."""
        return replace(self, never=point_ids)


def selecting(selection: Selection) -> Filter:
    """The filter that matches exactly the selected chunks."""
    project = OneOf("project_id", (selection.project_id,))
    unequal = {one for one in selection.where if one.operator is Operator.NOT_EQUAL}
    holding = [_on_metadata(one) for one in selection.where if one not in unequal]
    must = (project, *_conditions(selection), *holding)
    never = [_on_metadata(one) for one in selection.where if one in unequal]
    if selection.without_kinds:
        never.append(_kind_among(selection.without_kinds))
    return Filter(must, tuple(never))


def _conditions(selection: Selection) -> Iterator[Condition]:
    for key in ("doc_id", "citekey", "source_path"):
        value = getattr(selection, key)
        if value is not None:
            yield OneOf(key, (value,))
    for spellings in selection.tags:
        yield OneOf("tags", spellings)
    if selection.year_from is not None or selection.year_to is not None:
        yield Between("year", selection.year_from, selection.year_to)
    if selection.kinds:
        yield _kind_among(selection.kinds)
    if selection.section:
        yield OneOf("section_keys", (section_key(selection.section),))
    if selection.chunks is not None:
        yield Between("chunk_idx", *selection.chunks)


def _on_metadata(where: Where) -> Condition:
    """The condition on the field; that of `!=` is the one of `=`, which must not hold."""
    if isinstance(where.value, tuple):
        return OneOf(where.field if where.on_chunk else METADATA + where.field, where.value)
    number = float(where.value)
    lowest = {Operator.MORE: nextafter(number, inf)}.get(where.operator, number)
    highest = {Operator.LESS: nextafter(number, -inf)}.get(where.operator, number)
    return Between(
        NUMBER + where.field,
        None if where.operator in (Operator.LESS, Operator.AT_MOST) else lowest,
        None if where.operator in (Operator.MORE, Operator.AT_LEAST) else highest,
    )


def _kind_among(kinds: tuple[ChunkKind, ...]) -> OneOf:
    return OneOf("kind", tuple(kind.value for kind in kinds))
