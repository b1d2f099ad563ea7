"""The port to the raw text of a document's pages, by a reader that is not the converter's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class PageTexts(Protocol):
    """Reads pages as they are: running heads, figures and all, in whatever order they are drawn."""

    @abstractmethod
    def pages(self, path: Path) -> Sequence[str]:
        """The text of every page, the first page first; empty for one that has none.

        Raises `UnsupportedFormat` for a file that has no fixed pages, `EncryptedDocument` and
        `UnreadableDocument` for one that cannot be opened.
        """
        ...
