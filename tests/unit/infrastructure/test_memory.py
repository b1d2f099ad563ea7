"""Free memory goes back to the system."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from citeloom.infrastructure.interfaces.http.http_server import trim, trim_at_rest

MEGABYTE = 1 << 20
PIECE = 100_000
"""Bytes: smaller than what glibc maps by itself, and gives back by itself."""


def resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and glibc")
def test_free_memory_below_what_is_in_use_goes_back() -> None:
    pieces = [bytes(PIECE) for _ in range(600)]
    kept = pieces[-1]
    full = resident()
    del pieces
    trim()
    assert full - resident() > 30 * MEGABYTE
    assert len(kept) == PIECE


def test_it_is_trimmed_until_the_end_alone() -> None:
    ending, answered = Event(), iter(range(3))

    def count() -> int:
        number = next(answered, 3)
        if number == 3:
            ending.set()
        return number

    trimming = Thread(target=trim_at_rest, args=(ending, count, 0.001))
    trimming.start()
    trimming.join(10)
    assert not trimming.is_alive()
