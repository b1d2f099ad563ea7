"""Optimising a shard, and reading one that may be damaged, in processes of their own.

The engine holds the interpreter while it optimises, which may take minutes, and may abort the
process that opens a damaged shard.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.disk_space import no_room_for
from citeloom.domain.errors import IndexUnavailable
from citeloom.infrastructure.stores.records.schema import to_json

if TYPE_CHECKING:
    from citeloom.domain.project import Collection

_LOG = logging.getLogger(__name__)
_PROGRAM = "citeloom.infrastructure.stores.qdrant.edge.optimize_shard"
_PROBE = "citeloom.infrastructure.stores.qdrant.edge.probe_shard"
_HARMLESS = (0, 1)
"""What the probe ends with where the engine opens a shard, or says why it cannot."""
_PROBE_SECONDS = 600
_BUS_ERROR = -7  # by which Linux ends a process that fills a mapped file on a full disk


class OptimizerProcess:
    """One run of the optimiser on a shard that no other process has open."""

    def __init__(self, shard: Path, collection: Collection) -> None:
        self._shard = shard
        self._process = _started(_PROGRAM, shard, collection)

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


def check_shard(shard: Path, collection: Collection) -> None:
    """Read a shard in a separate process, which a damaged shard may abort.

    Raises `IndexUnavailable` if it does; errors that the engine reports are left to the caller that
    opens the shard.
    """
    process = _started(_PROBE, shard, collection)
    try:
        _, output = process.communicate(timeout=_PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        _, output = process.communicate()
    except BaseException:
        process.kill()
        process.communicate()
        raise
    if process.returncode in _HARMLESS:
        return
    _LOG.debug("the engine cannot read %s: %s", shard, output.decode("utf-8", "replace"))
    if process.returncode == _BUS_ERROR:
        raise no_room_for(f"the index in {shard}")
    raise damaged(shard)


def damaged(shard: Path) -> IndexUnavailable:
    """The error of a shard that is not there, or not whole."""
    return IndexUnavailable(
        f"The index in {shard} is {'damaged' if shard.is_dir() else 'gone'}",
        "Restore it from a backup, or fill it anew from the documents: "
        "`citeloom ingest --rebuild`.",
    )


def _started(program: str, shard: Path, collection: Collection) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - this interpreter and our own program
        [
            *(sys.executable, "-m", program),
            *(str(shard), json.dumps(to_json(collection)), str(os.getpid())),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
