"""Owners and clients killed at random moments: nothing acknowledged is lost, nothing doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from random import Random

import pytest

from citeloom.infrastructure.stores.records.schema import to_json
from citeloom.testing.chunks import EVERYTHING, collection, embedded
from tests.fakes.holding import SOURCES, Writer, python, shared_index

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


def test_a_probe_that_outlives_its_process_leaves_the_shard_alone(memory_folder: Path) -> None:
    index = shared_index(memory_folder)
    index.create(collection(NAME))
    (shard,) = (memory_folder / NAME).glob("shard-*")
    killed = python("")
    killed.communicate()
    probe = subprocess.Popen(
        [
            *(sys.executable, "-m", "citeloom.infrastructure.stores.qdrant.edge.probe_shard"),
            *(str(shard), json.dumps(to_json(collection(NAME))), str(killed.pid)),
        ],
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
    )
    chunks = (embedded(str(number)) for number in count())
    while probe.poll() is None:
        index.upsert(NAME, [next(chunks)])
        index.flush(NAME)
    index.upsert(NAME, [next(chunks)])
    index.flush(NAME)
    index.close()
    assert probe.returncode == -signal.SIGKILL
