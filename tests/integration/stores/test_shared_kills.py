"""Owners and clients killed at random moments: nothing acknowledged is lost, nothing doubled."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.fakes.embedded_chunks import EVERYTHING, collection
from tests.fakes.holding import Writer, shared_index

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

NAME = "papers"
_KILLS = 10
_LONGEST_PAUSE = 0.3


def test_no_kill_loses_what_was_acknowledged_or_doubles_anything(memory_folder: Path) -> None:
    random = Random(7)
    seen = shared_index(memory_folder)
    seen.create(collection(NAME))
    seen.close()
    writers = [Writer(memory_folder, NAME, number) for number in range(3)]
    for number in range(3, 3 + _KILLS):
        victim = writers.pop(random.randrange(len(writers)))
        victim.wait()
        time.sleep(random.uniform(0, _LONGEST_PAUSE))
        victim.kill()
        writers.append(Writer(memory_folder, NAME, number, after=victim))
    for writer in writers:
        writer.end()
    acknowledged = {chunk_id for writer in writers for chunk_id in writer.acknowledged()}
    stored = [stored.chunk.id for stored in seen.scroll(NAME, EVERYTHING)]
    seen.close()
    assert len(acknowledged) > 100
    assert acknowledged - set(stored) == set()
    assert len(stored) == len(set(stored))
