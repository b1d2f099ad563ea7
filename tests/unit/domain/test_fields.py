"""Fields say what they may hold, and values check themselves by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
from annotated_types import Ge, Le

from citeloom.domain.fields import (
    Count,
    CountOrZero,
    Number,
    Seconds,
    Share,
    check_bounds,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sowing:
    rows: Count = 1
    gaps: CountOrZero = 0
    moist: Share = 0.5
    drying: Seconds = 1.0
    depth: Annotated[int, Ge(2), Le(9)] = 4
    yields: Number | None = None
    widths: tuple[Count, ...] = ()

    def __post_init__(self) -> None:
        check_bounds(self)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"rows": 0}, "rows must be at least 1, not 0"),
        ({"gaps": -1}, "gaps must be at least 0"),
        ({"moist": 1.5}, "moist must be at most 1"),
        ({"drying": 0.0}, "drying must be more than 0"),
        ({"depth": 1}, "depth must be at least 2"),
        ({"depth": 10**400}, "depth must be at most 9"),
        ({"yields": float("nan")}, "yields must be a finite number"),
        ({"drying": float("inf")}, "drying must be a finite number"),
    ],
)
def test_a_number_outside_its_bounds_is_refused(values: dict[str, float], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Sowing(**values)  # type: ignore[arg-type]


def test_the_bounds_themselves_are_allowed_and_so_is_nothing() -> None:
    made = Sowing(rows=1, gaps=0, moist=1.0, depth=9, yields=None)
    assert Sowing(moist=0.0, depth=2, yields=-3.0).depth < made.depth


def test_bounds_of_a_lists_items_are_not_those_of_the_list() -> None:
    assert Sowing(widths=(0,)).widths == (0,)
