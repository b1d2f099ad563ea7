"""Reading all pages of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def read_pages(page: Callable[[str | None], tuple[list[Item], str | None]]) -> Iterator[Item]:
    """Every item of all pages; `page` returns the page from an offset on, and the next offset."""
    after: str | None = None
    while True:
        items, after = page(after)
        yield from items
        if after is None:
            return
