"""How long a document and each of its pages may take, and which of them overran."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from citeloom.domain.errors import DeadlineExceeded

PATIENCE = 6  # times its limit something may take while it waits for a processor
PAGES = 100  # a document has its limit for each so many pages it has come to


class _Reading(NamedTuple):
    """The seconds worked and the seconds passed."""

    worked: float
    passed: float


class Deadlines:
    """The clocks of one document: its own, and that of the page under way.

    A limit is one of processor time, so that a busy machine fails no good document; but nothing
    may take more than `PATIENCE` times its limit, so that what hangs idle ends too. A page's
    clock runs from its beginning to that of the next; work that is no page's is page 0 and has
    no clock but the document's. The document's limit is `document_seconds` for each `PAGES` pages
    begun, so that a book has the time it needs, and no more for the pages it only claims to have.
    While the image of a page is read the document's clock stands still, and the page has
    `image_seconds`. A stage behind the conversion has its own clock and no other.
    """

    def __init__(
        self,
        name: str,
        *,
        document_seconds: float,
        page_seconds: float,
        image_seconds: float,
        worked: Callable[[], float],
        passed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._document_seconds = document_seconds
        self._page_seconds = page_seconds
        self._image_seconds = image_seconds
        self._worked = worked
        self._passed = passed
        self._page = self._farthest = 0
        self._reads_image = False
        self._stage, self._stage_seconds = "", 0.0
        self._document_began = self._page_began = self._now()

    def begin_page(self, page: int) -> None:
        """The work on `page` begins now."""
        if self._reads_image:
            self._document_began = self._document_clock(self._now())
            self._reads_image = False
        self._page = page
        self._farthest = max(self._farthest, page)
        self._page_began = self._now()

    def begin_image(self, page: int) -> None:
        """The reading of the image of `page` begins now."""
        self.begin_page(page)
        self._reads_image = True

    def begin_stage(self, stage: str, seconds: float) -> None:
        """A stage behind the conversion begins now, and may take so many seconds."""
        self._stage, self._stage_seconds = stage, seconds
        self._page_began = self._now()

    def remaining(self) -> float:
        """Seconds in which no deadline passes if the process works all the time, 0 once one has."""
        now = self._now()
        if self._stage:
            return max(0.0, _left(now, self._page_began, self._stage_seconds))
        if self._reads_image:
            return max(0.0, _left(now, self._page_began, self._image_seconds))
        left = _left(now, self._document_began, self._document_limit)
        if self._page:
            left = min(left, _left(now, self._page_began, self._page_seconds))
        return max(0.0, left)

    def exceeded(self) -> DeadlineExceeded | None:
        """The error that names what overran, once something has."""
        now = self._now()
        if self._stage:
            return self._stage_exceeded(now)
        if self._reads_image:
            return self._image_exceeded(now)
        if over := _overrun(now, self._document_began, self._document_limit):
            where = f"; it was at page {self._page}" if self._page else ""
            return DeadlineExceeded(
                f"{self._name} took longer than {over:g} s{where}",
                "Raise document_timeout_seconds under [conversion], or leave the file out.",
            )
        if self._page and (over := _overrun(now, self._page_began, self._page_seconds)):
            return DeadlineExceeded(
                f"page {self._page} of {self._name} took longer than {over:g} s",
                "Raise page_timeout_seconds under [conversion], or leave the file out.",
            )
        return None

    def _image_exceeded(self, now: _Reading) -> DeadlineExceeded | None:
        if over := _overrun(now, self._page_began, self._image_seconds):
            return DeadlineExceeded(
                f"reading the image of page {self._page} of {self._name} took longer than "
                f"{over:g} s",
                "Raise ocr_timeout_seconds under [conversion], or leave the file out.",
            )
        return None

    def _stage_exceeded(self, now: _Reading) -> DeadlineExceeded | None:
        if over := _overrun(now, self._page_began, self._stage_seconds):
            return DeadlineExceeded(
                f"{self._name} took longer than {over:g} s to {self._stage}",
                "Raise document_timeout_seconds under [conversion], or leave the file out.",
            )
        return None

    def _document_clock(self, now: _Reading) -> _Reading:
        """When the document would have begun had no image been read since the page began."""
        began, image = self._document_began, self._page_began
        return _Reading(
            began.worked + now.worked - image.worked, began.passed + now.passed - image.passed
        )

    @property
    def _document_limit(self) -> float:
        return self._document_seconds * max(1, math.ceil(self._farthest / PAGES))

    def _now(self) -> _Reading:
        return _Reading(self._worked(), self._passed())


def _left(now: _Reading, began: _Reading, limit: float) -> float:
    return min(
        began.worked + limit - now.worked,
        began.passed + PATIENCE * limit - now.passed,
    )


def _overrun(now: _Reading, began: _Reading, limit: float) -> float:
    """The seconds of the limit that was passed, 0 while none was."""
    if now.worked >= began.worked + limit:
        return limit
    return PATIENCE * limit if now.passed >= began.passed + PATIENCE * limit else 0.0
