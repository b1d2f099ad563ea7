"""What a reader left in Zotero beside the words that are embedded: an annotation or a note."""

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
    """The annotation or note a chunk is made of, by its key in Zotero.

    `quotes` says that the chunk's text is the work's own, highlighted there; else it is the
    reader's own. `comment` is what the reader said of that highlight. `rects` are as Zotero has
    them: left, bottom, right, top in PDF points with the origin at the bottom left. `fingerprint`
    changes with whatever the mark's chunks are made of; `parts` is how many there are.
    """

    key: str
    fingerprint: str = ""
    parts: int = 1
    quotes: bool = False
    comment: str = ""
    color: str = ""
    tags: tuple[str, ...] = ()
    rects: tuple[Rect, ...] = ()

    @property
    def color_name(self) -> str:
        """What Zotero calls the colour; empty for one it does not offer."""
        return _COLORS.get(self.color.lower(), "")
