"""Reading what comes in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def read_on(page: Callable[[str | None], tuple[list[Item], str | None]]) -> Iterator[Item]:
    """Every item of every part, where `page` gives the part from a place on, and the next place."""
    after: str | None = None
    while True:
        items, after = page(after)
        yield from items
        if after is None:
            return
