"""Threads that are the first to read chunks and messages, all at the same moment."""

from __future__ import annotations

import subprocess
import sys

import pytest

THREADS = """
import sys, threading
sys.setswitchinterval(1e-6)
from citeloom.infrastructure.stores.records.payload import from_payload, to_payload
from citeloom.infrastructure.stores.qdrant.edge import owner_server as messages
from citeloom.testing.chunks import rich

stored = rich("a").stored
payload, answer = to_payload(stored), messages.encode_result([stored])
barrier = threading.Barrier(16)

def first(number):
    barrier.wait()
    if number % 2:
        assert from_payload("a", payload) == stored
    else:
        assert messages.decode_result("fetch", answer) == [stored]

threads = [threading.Thread(target=first, args=(number,)) for number in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("read")
"""


@pytest.mark.parametrize("attempt", range(3))
def test_threads_may_be_the_first_to_read(attempt: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", THREADS],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "read\n"), ended.stderr
