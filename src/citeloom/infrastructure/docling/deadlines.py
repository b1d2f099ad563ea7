"""How long a document and each of its pages may take, and which of them overran."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from citeloom.domain.errors import DeadlineExceeded


class Deadlines:
    """The clocks of one document: its own, and that of the page under way.

    A page's clock runs from its beginning to that of the next; work that is no page's is page 0
    and has no clock but the document's.
    """

    def __init__(
        self,
        path: Path,
        *,
        document_seconds: float,
        page_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._document_seconds = document_seconds
        self._page_seconds = page_seconds
        self._clock = clock
        self._page = 0
        self._document_end = clock() + document_seconds
        self._page_end = self._document_end

    def begin_page(self, page: int) -> None:
        """The work on `page` begins now."""
        self._page = page
        self._page_end = self._clock() + self._page_seconds if page else self._document_end

    def remaining(self) -> float:
        """Seconds to the nearest deadline, 0 once it has passed."""
        return max(0.0, min(self._page_end, self._document_end) - self._clock())

    def exceeded(self) -> DeadlineExceeded | None:
        """The error that names what overran, once something has."""
        now = self._clock()
        if now >= self._document_end:
            where = f"; it was at page {self._page}" if self._page else ""
            return DeadlineExceeded(
                f"{self._path.name} took longer than {self._document_seconds:g} s{where}",
                "Raise document_timeout_seconds under [conversion], or leave the file out.",
            )
        if now >= self._page_end:
            return DeadlineExceeded(
                f"page {self._page} of {self._path.name} took longer than {self._page_seconds:g} s",
                "Raise page_timeout_seconds under [conversion], or leave the file out.",
            )
        return None
