"""An in-memory `WriteLease`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.domain.errors import IndexLocked


class InMemoryLeases:
    """Who holds what, shared by the leases of several processes."""

    def __init__(self) -> None:
        self.holders: dict[str, InMemoryLease] = {}
        self.changed = Condition()


class InMemoryLease(WriteLease):
    """The lease of one process; `taken` lists the projects it was taken for, in order."""

    def __init__(self, leases: InMemoryLeases | None = None, *, name: str = "process 1") -> None:
        self._leases = leases or InMemoryLeases()
        self._name = name
        self._depth: Counter[str] = Counter()
        self.taken: list[str] = []

    @contextmanager
    def hold(self, project_id: str, *, waiting: Waiting | None = None) -> Iterator[None]:
        self._acquire(project_id, waiting)
        self._depth[project_id] += 1
        self.taken.append(project_id)
        try:
            yield
        finally:
            self._depth[project_id] -= 1
            if self._depth[project_id] == 0:
                with self._leases.changed:
                    del self._leases.holders[project_id]
                    self._leases.changed.notify_all()

    def _acquire(self, project_id: str, waiting: Waiting | None) -> None:
        leases = self._leases
        with leases.changed:
            holder = leases.holders.get(project_id)
            if holder not in (None, self):
                who = holder._name if holder else ""
                if waiting is None:
                    raise IndexLocked(f"project '{project_id}' is being changed by {who}")
                waiting(who)
                leases.changed.wait_for(lambda: project_id not in leases.holders)
            leases.holders[project_id] = self
