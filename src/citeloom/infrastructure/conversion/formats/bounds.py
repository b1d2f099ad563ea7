"""How much a document may hold to be read at all: checked before the work begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import UnreadableDocument

_MEGABYTE = 1 << 20


class TooManyCells(Exception):
    """The tables of a document have more cells than are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The megabytes of text, and the cells of tables, that a document may have.

    What is read of a megabyte of text takes a worker about two seconds, of a thousand cells a
    third of one.
    """

    text_mb: int = 16
    table_cells: int = 50_000

    def check_text(self, path: Path, size: int) -> None:
        """Raise `UnreadableDocument` for text of more bytes."""
        if size > self.text_mb * _MEGABYTE:
            raise UnreadableDocument(
                f"{path.name} has {size // _MEGABYTE} MB of text; no more than {self.text_mb} MB "
                "are read",
                "Split it, or raise max_text_mb under [conversion].",
            )

    def check_cells(self, cells: int) -> None:
        """Raise `TooManyCells` for tables of more cells."""
        if cells > self.table_cells:
            raise TooManyCells

    @contextmanager
    def refusing(self, path: Path) -> Iterator[None]:
        """Turn what reading finds to have too many cells, or parts too deep in one another, into
        `UnreadableDocument`.
        """
        try:
            yield
        except TooManyCells as error:
            raise UnreadableDocument(
                f"{path.name} has tables of more than {self.table_cells} cells",
                "Take the large tables out, or raise max_table_cells under [conversion].",
            ) from error
        except RecursionError as error:
            raise UnreadableDocument(
                f"{path.name} is nested too deeply", "Save it as PDF and ingest that."
            ) from error


DEFAULT_BOUNDS = Bounds()
