"""Page images in memory."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from citeloom.application.ports.conversion import PageImages
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import CiteloomError, NotFound, UnreadableDocument


class InMemoryPageImages(PageImages):
    """Blank pages of the sizes told by a file's name, or the error it raises; boxes are yellow.
    `words` are those that were looked for.
    """

    def __init__(
        self, told: Mapping[str, Sequence[tuple[int, int]] | CiteloomError] | None = None
    ) -> None:
        self.told = dict(told or {})
        self.words: list[str] = []

    def draw(
        self, path: Path, page: int, boxes: Sequence[Box], *, scale: float, words: str = ""
    ) -> bytes:
        self.words.append(words)
        sizes = self.told.get(path.name, UnreadableDocument(f"{path.name} is not there"))
        if isinstance(sizes, CiteloomError):
            raise sizes
        if not 1 <= page <= len(sizes):
            raise NotFound(f"no page {page}")
        width, height = sizes[page - 1]
        image = Image.new("RGB", (round(width * scale), round(height * scale)), "white")
        for box in boxes:
            corners = (box.left, box.top, box.right, box.bottom)
            ImageDraw.Draw(image).rectangle([scale * one for one in corners], fill="yellow")
        stream = io.BytesIO()
        image.save(stream, "PNG")
        return stream.getvalue()
