"""The annotation or note of Zotero that a chunk was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Rect = tuple[float, float, float, float]

_COLORS: Mapping[str, str] = {
    "#ffd400": "yellow",
    "#ff6666": "red",
    "#5fb236": "green",
    "#2ea8e5": "blue",
    "#a28ae5": "purple",
    "#e56eee": "magenta",
    "#f19837": "orange",
    "#aaaaaa": "gray",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An annotation or note by its key in Zotero.

    `quotes` says that the chunk's text is a highlight of the work; else it is the reader's own.
    `comment` is the reader's comment on the highlight. `rects` are as in Zotero: left, bottom,
    right, top in PDF points with the origin at the bottom left. `fingerprint` changes with the
    content of the mark; `parts` is the number of its chunks. `annotation` is the key of the
    annotation that a quotation in a note was made of.
    """

    key: str
    fingerprint: str = ""
    parts: int = 1
    quotes: bool = False
    comment: str = ""
    color: str = ""
    tags: tuple[str, ...] = ()
    rects: tuple[Rect, ...] = ()
    annotation: str = ""

    @property
    def color_name(self) -> str:
        """Zotero's name of the colour; empty for a colour it does not offer."""
        return _COLORS.get(self.color.lower(), "")
