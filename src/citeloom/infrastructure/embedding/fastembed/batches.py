"""Texts in batches of like length, until a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from citeloom.domain.errors import ModelUnavailable


class Deadline:
    """The time by which a model has to be done."""

    def __init__(self, model_id: str, seconds: float) -> None:
        self._model_id = model_id
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `ModelUnavailable` once the time is over."""
        if time.monotonic() > self._until:
            raise self._passed()

    @contextmanager
    def waiting_for(self, lock: threading.Lock) -> Iterator[None]:
        """Hold a lock. Raises `ModelUnavailable` if the time is over before it is free."""
        if not lock.acquire(timeout=max(0.0, self._until - time.monotonic())):
            raise self._passed()
        try:
            yield
        finally:
            lock.release()

    def _passed(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._model_id} was not done within {self._seconds:g} s",
            "Raise timeout under [rerank], or lower candidates.",
        )


def scored_in_batches(
    texts: Sequence[str],
    together: int,
    deadline: Deadline,
    score: Callable[[Sequence[str]], Sequence[float]],
) -> list[float]:
    """The scores of the texts, so many together, which need little padding being of like length.

    Raises what `score` raises, and `ModelUnavailable` where the deadline passes in between.
    """
    places = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    scores: dict[int, float] = {}
    for start in range(0, len(places), together):
        deadline.check()
        batch = places[start : start + together]
        scores.update(zip(batch, score([texts[place] for place in batch]), strict=True))
    return [scores[place] for place in range(len(texts))]
