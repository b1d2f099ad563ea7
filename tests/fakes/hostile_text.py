"""Texts that repeat a mark, and the time that work on them takes."""

from __future__ import annotations

import time
from collections.abc import Callable

CHARACTERS = 50_000


def repeated(text: str) -> str:
    """As many characters of it, again and again."""
    return (text * CHARACTERS)[:CHARACTERS]


def seconds_of(work: Callable[[], object]) -> float:
    """The processor time that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start
