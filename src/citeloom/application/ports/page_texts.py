"""The raw text of a document's pages, from a reader independent of the converter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class PageTexts(Protocol):
    """Reads all text of each page, running heads and figures included, in drawing order."""

    @abstractmethod
    def pages(self, path: Path) -> Sequence[str]:
        """The text of every page, the first page first; empty for one that has none.

        Raises `UnsupportedFormat` for a file that has no fixed pages, `EncryptedDocument` and
        `UnreadableDocument` for one that cannot be opened.
        """
        ...
