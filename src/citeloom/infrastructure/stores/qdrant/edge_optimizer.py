"""Optimising a shard in a process of its own.

The engine holds the interpreter while it optimises, which may take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from citeloom.application.disk_room import no_room_for
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.binding import to_json

_PROGRAM = "citeloom.infrastructure.stores.qdrant.optimize_shard"
_BUS_ERROR = -7  # by which Linux ends a process that fills a mapped file on a full disk


class OptimizerProcess:
    """One run of the optimiser on a shard that no other process has open."""

    def __init__(self, shard: Path, collection: Collection) -> None:
        self._shard = shard
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and our own program
            [sys.executable, "-m", _PROGRAM, str(shard), json.dumps(to_json(collection))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def wait(self) -> None:
        """Return once the shard is optimised. Raises `IndexUnavailable` if that fails, and
        `DiskFull` if it was for want of room.
        """
        _, output = self._process.communicate()
        if self._process.returncode == _BUS_ERROR:
            raise no_room_for(f"optimising {self._shard.parent.name}")
        if self._process.returncode != 0:
            last = output.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise IndexUnavailable(
                f"Optimising {self._shard.parent.name} failed: "
                f"{last or f'status {self._process.returncode}'}",
                "The index is intact and can be queried; the next ingest tries again.",
            )

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
