"""The program that optimises a shard: its folder, its collection and the process that started it
are the arguments.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

import qdrant_edge as edge

from citeloom.infrastructure.child_process import lower_priority
from citeloom.infrastructure.stores.qdrant.edge.translation import needs_graph, shard_config
from citeloom.infrastructure.stores.records.schema import from_json

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def main(shard: str, collection: str, parent: str) -> None:
    """Optimise the shard, at a lower priority than the processes that use the index."""
    end_with_parent(int(parent))
    lower_priority()
    bound = from_json(json.loads(collection))
    points = edge.EdgeShard.load(shard)
    graph = needs_graph(bound, points.info().points_count)
    points.close()
    points = edge.EdgeShard.load(shard, shard_config(bound, graph=graph))
    points.optimize()
    points.flush()
    points.close()


def end_with_parent(parent: int) -> None:
    """Where the system supports it, end this process together with the one that started it.

    That one may have been killed while this one was still starting: it must not touch a shard
    that another owner has opened since.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if sys.platform != "win32" and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
