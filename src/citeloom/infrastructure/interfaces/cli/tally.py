"""How far a run is, and how long it will go on."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

_STEADY = 0.95  # up to this share of the work expected of a document, it counts as it is done
_NEARLY = 0.96  # a document in hand counts for no more, however long it is
_EXPECTED = 200  # pages and chunks of a document, until one is finished
_STORING = 2.0  # seconds: documents that are prepared wait for others to be stored with them


class Tally:
    """Counts what a run has done, in documents and in the pages and chunks of those in hand.

    A document's work is a page converted or a chunk embedded; one in hand counts for as much of a
    document as it has of the work that the finished ones had on average, and every page of a longer
    one for a little more. Time counts from the
    first chunk embedded: before it, models are loaded, which is done once.
    """

    def __init__(self, total: int, clock: Callable[[], float]) -> None:
        self.total = total
        self._clock = clock
        self._began = clock()
        self.pages = self.chunks = self.stored = 0
        self._work: dict[str, int] = {}
        self._finished: dict[str, int] = {}

    def count(self, document: str, *, pages: int = 0, chunks: int = 0) -> None:
        """So many more pages are converted, or chunks embedded."""
        if chunks and not self.chunks:
            self._began = self._clock()
        self.pages += pages
        self.chunks += chunks
        self._work[document] = self._work.get(document, 0) + pages + chunks

    def prepare(self, document: str) -> None:
        """All work on a document is done, save to store it."""
        self._finished[document] = self._work.pop(document, 0)

    def store(self, document: str) -> None:
        """A document is done."""
        self.stored += 1
        if document not in self._finished:
            self.prepare(document)

    @property
    def share(self) -> float:
        """The share of the run's work that is done, from 0 to 1."""
        finished = len(self._finished)
        average = sum(self._finished.values()) / finished if finished else 0.0
        in_hand = sum(_part(done / (average or _EXPECTED)) for done in self._work.values())
        return min(1.0, (finished + in_hand) / self.total) if self.total else 1.0

    def seconds_left(self) -> float | None:
        """How long the run will go on if it goes on as it went; None before a tenth of it, or a
        tenth document, is done.
        """
        share = self.share
        if not len(self._finished) or (share < 0.1 and len(self._finished) < 10):
            return None
        return (self._clock() - self._began) * (1 - share) / share + _STORING


def _part(share: float) -> float:
    """What a document in hand counts for that has done this share of the work expected of it."""
    if share <= _STEADY:
        return share
    return _NEARLY - (_NEARLY - _STEADY) * exp((_STEADY - share) / 4)
