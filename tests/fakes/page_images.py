"""Page images in memory."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from citeloom.application.ports.conversion import PageGeometry, PageImages
from citeloom.domain.chunks.chunk import Rect
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import CiteloomError, NotFound, UnreadableDocument


class InMemoryPageImages(PageImages):
    """Blank pages of the sizes told by a file's name, or the error it raises; boxes are yellow.
    `words` are those that were looked for; they stand in the boxes of `lines`.
    """

    def __init__(
        self,
        told: Mapping[str, Sequence[tuple[int, int]] | CiteloomError] | None = None,
        lines: Mapping[str, Sequence[Box]] | None = None,
    ) -> None:
        self.told = dict(told or {})
        self.lines = dict(lines or {})
        self.words: list[str] = []

    def draw(
        self, path: Path, page: int, boxes: Sequence[Box], *, scale: float, words: str = ""
    ) -> bytes:
        self.words.append(words)
        width, height = self._size(path, page)
        image = Image.new("RGB", (round(width * scale), round(height * scale)), "white")
        for box in boxes:
            corners = (box.left, box.top, box.right, box.bottom)
            ImageDraw.Draw(image).rectangle([scale * one for one in corners], fill="yellow")
        stream = io.BytesIO()
        image.save(stream, "PNG")
        return stream.getvalue()

    def geometry(
        self,
        path: Path,
        page: int,
        *,
        words: str = "",
        within: Sequence[Box] = (),
        rectangles: Sequence[Rect] = (),
    ) -> PageGeometry:
        self.words.append(words)
        width, height = self._size(path, page)
        return PageGeometry(
            width=width,
            height=height,
            words=tuple(
                line
                for line in self.lines.get(words, ())
                if not within or any(_is_in(line, box) for box in within)
            ),
            rectangles=tuple(
                Box(left=left, top=height - top, right=right, bottom=height - bottom)
                for left, bottom, right, top in rectangles
            ),
        )

    def _size(self, path: Path, page: int) -> tuple[int, int]:
        sizes = self.told.get(path.name, UnreadableDocument(f"{path.name} is not there"))
        if isinstance(sizes, CiteloomError):
            raise sizes
        if not 1 <= page <= len(sizes):
            raise NotFound(f"no page {page}")
        return sizes[page - 1]


def _is_in(line: Box, box: Box) -> bool:
    return box.left <= line.left and box.right >= line.right and box.top <= line.bottom
