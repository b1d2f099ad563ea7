"""Positions of annotations."""

from __future__ import annotations

import json

Rects = tuple[tuple[float, float, float, float], ...]


def position_of(place: str) -> tuple[int | None, Rects]:
    """The page (from 0) and the rectangles of an annotation; EPUBs and web pages have neither."""
    try:
        position = json.loads(place)
    except ValueError:
        return None, ()
    if not isinstance(position, dict) or not isinstance(position.get("pageIndex"), int):
        return None, ()
    rects = position.get("rects", ())
    whole = (rect for rect in rects if isinstance(rect, list) and len(rect) == 4)
    return position["pageIndex"], tuple((left, low, right, top) for left, low, right, top in whole)
