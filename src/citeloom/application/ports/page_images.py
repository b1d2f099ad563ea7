"""Images of a document's pages, as a port."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from citeloom.domain.conversion import Box


class PageImages(Protocol):
    """Draws pages as a reader of the document shows them, cropped and turned. Thread-safe."""

    @abstractmethod
    def draw(self, path: Path, page: int, boxes: Sequence[Box], *, scale: float) -> bytes:
        """A page, counted from 1, as PNG, with `boxes` on it highlighted. A point is `scale`
        pixels, or fewer where the page is very large.

        Raises `NotFound` for a page that there is not, `UnsupportedFormat` for a file that has no
        fixed pages, `EncryptedDocument` and `UnreadableDocument` for one that cannot be opened.
        """
        ...
