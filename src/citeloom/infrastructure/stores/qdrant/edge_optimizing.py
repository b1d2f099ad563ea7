"""Optimising a shard that goes on being used: on a copy that takes its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from citeloom.infrastructure.stores.qdrant.edge_optimizer import OptimizerProcess
from citeloom.infrastructure.stores.qdrant.edge_points import EdgePoints

_SMALL_SHARE = 10


class CopyOptimizer:
    """Optimises the shards of one index, one at a time.

    A shard with fewer than `least` new points stays as it is, and one that did not grow by a
    tenth: optimising builds all of it anew, and so few cost a query next to nothing.
    """

    def __init__(self, *, least: int) -> None:
        self._least = least
        self._one_at_a_time = Lock()
        self._process: OptimizerProcess | None = None
        self._stopping = False
        self.copy: Path | None = None

    def is_worth_it(self, points: EdgePoints) -> bool:
        """Whether the shard has grown enough since it was optimised."""
        new = points.unoptimized()
        return new >= self._least and new * _SMALL_SHARE >= points.info().points_count

    def optimize(self, points: EdgePoints, copy: Path, put_in_place: Callable[[], bool]) -> None:
        """Optimise `points` at `copy` and let them go on there, if `put_in_place` then agrees.

        Raises `IndexUnavailable` where the optimiser fails; the shard is then as it was.
        """
        with self._one_at_a_time:
            if not self.is_worth_it(points):
                return
            self.copy = copy
            moved = False
            try:
                points.copy_to(copy)
                self._run(OptimizerProcess(copy, points.collection))
                moved = points.move_to(copy, put_in_place)
            finally:
                self.copy = None
                if not moved:
                    points.stop_recording()
                    shutil.rmtree(copy, ignore_errors=True)

    def stop(self) -> None:
        """End what is running, and return once it has ended."""
        self._stopping = True
        if process := self._process:
            process.kill()
        with self._one_at_a_time:
            self._stopping = False

    def _run(self, process: OptimizerProcess) -> None:
        self._process = process
        if self._stopping:
            process.kill()
        try:
            process.wait()
        finally:
            self._process = None
