"""Optimising a shard that stays in use: on a copy that is then swapped in."""

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

    A shard with fewer than `least` new points, or that grew by less than a tenth, is left alone:
    optimising rebuilds all of it, and so few points barely slow a query.
    """

    def __init__(self, *, least: int) -> None:
        self._least = least
        self._lock = Lock()
        self._process: OptimizerProcess | None = None
        self._stopping = False
        self.copy: Path | None = None

    def needs_optimizing(self, points: EdgePoints) -> bool:
        """Whether the shard has grown enough since it was optimised."""
        new = points.unoptimized()
        return new >= self._least and new * _SMALL_SHARE >= points.info().points_count

    def optimize(self, points: EdgePoints, copy: Path, swap: Callable[[], bool]) -> None:
        """Optimise a copy of `points` at `copy` and switch to it, if `swap` then returns True.

        Raises `IndexUnavailable` if the optimiser fails; the shard is then unchanged.
        """
        with self._lock:
            if not self.needs_optimizing(points):
                return
            self.copy = copy
            swapped = False
            try:
                points.copy_to(copy)
                self._run(OptimizerProcess(copy, points.collection))
                swapped = points.switch_to(copy, swap)
            finally:
                self.copy = None
                if not swapped:
                    points.stop_recording()
                    shutil.rmtree(copy, ignore_errors=True)

    def stop(self) -> None:
        """Abort a running optimisation, and return once it has ended."""
        self._stopping = True
        if process := self._process:
            process.kill()
        with self._lock:
            self._stopping = False

    def _run(self, process: OptimizerProcess) -> None:
        self._process = process
        if self._stopping:
            process.kill()
        try:
            process.wait()
        finally:
            self._process = None
