"""Time limits of a document, its pages and its stages, and the memory of a process."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from citeloom.domain.errors import DeadlineExceeded

# How much memory another process holds.


def resident_bytes(pid: int | None) -> int:
    """The bytes a process holds in memory; 0 where the system does not say or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0


# Time limits of a document, its pages and its stages.

WALL_CLOCK_FACTOR = 6  # how many times its processor time limit something may take by the clock
PAGES = 100  # the document limit applies to each so many pages


class _Reading(NamedTuple):
    """Seconds of processor time and of wall clock time."""

    worked: float
    passed: float


class Deadlines:
    """The clocks of one document: its own, and that of the current page.

    Limits are processor time, so that a busy machine fails no document; by the wall clock nothing
    may take more than `WALL_CLOCK_FACTOR` times its limit, so that idle hangs end too. A page's
    clock runs until the next page begins; page 0 is work that belongs to no page and has only the
    document's clock. The document has `document_seconds` for each `PAGES` pages begun, not for the
    number of pages it claims to have. During OCR of a page the document's clock is paused and the
    page has `image_seconds`. A stage after the conversion has only its own clock.
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
        if self._reads_image:
            # the document's start, shifted by the time OCR of the page took
            now = self._now()
            began, image = self._document_began, self._page_began
            self._document_began = _Reading(
                began.worked + now.worked - image.worked, began.passed + now.passed - image.passed
            )
            self._reads_image = False
        self._page = page
        self._farthest = max(self._farthest, page)
        self._page_began = self._now()

    def begin_image(self, page: int) -> None:
        self.begin_page(page)
        self._reads_image = True

    def begin_stage(self, stage: str, seconds: float) -> None:
        """A stage after the conversion begins now, limited to `seconds`."""
        self._stage, self._stage_seconds = stage, seconds
        self._page_began = self._now()

    @property
    def page(self) -> int:
        """The page whose text is being read now; 0 for any other work."""
        return 0 if self._stage or self._reads_image else self._page

    @property
    def page_is_late(self) -> bool:
        """Whether the current page has exceeded its own limit."""
        return bool(self.page and _overrun(self._now(), self._page_began, self._page_seconds))

    def remaining(self) -> float:
        """Seconds until the first deadline can pass; 0 once one has."""
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
        """The error for a passed deadline; None if there is none."""
        now = self._now()
        if self._stage:
            over = _overrun(now, self._page_began, self._stage_seconds)
            late, setting = f"{self._name} took longer than {over:g} s to {self._stage}", "document"
        elif self._reads_image:
            over = _overrun(now, self._page_began, self._image_seconds)
            image = f"the image of page {self._page} of {self._name}"
            late, setting = f"reading {image} took longer than {over:g} s", "ocr"
        elif over := _overrun(now, self._document_began, self._document_limit):
            where = f"; it was at page {self._page}" if self._page else ""
            late, setting = f"{self._name} took longer than {over:g} s{where}", "document"
        else:
            over = _overrun(now, self._page_began, self._page_seconds) if self._page else 0.0
            late, setting = f"page {self._page} of {self._name} took longer than {over:g} s", "page"
        if not over:
            return None
        return DeadlineExceeded(
            late, f"Raise {setting}_timeout_seconds under [conversion], or exclude the file."
        )

    @property
    def _document_limit(self) -> float:
        return self._document_seconds * max(1, math.ceil(self._farthest / PAGES))

    def _now(self) -> _Reading:
        return _Reading(self._worked(), self._passed())


def _left(now: _Reading, began: _Reading, limit: float) -> float:
    return min(
        began.worked + limit - now.worked,
        began.passed + WALL_CLOCK_FACTOR * limit - now.passed,
    )


def _overrun(now: _Reading, began: _Reading, limit: float) -> float:
    """The limit in seconds that was exceeded; 0 if none was."""
    if now.worked >= began.worked + limit:
        return limit
    return (
        WALL_CLOCK_FACTOR * limit if now.passed >= began.passed + WALL_CLOCK_FACTOR * limit else 0.0
    )
