"""Write leases that hold on every machine that writes to a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from citeloom.application.ports.write_lease import Waiting, WriteLease
from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.stores.postgres.connections import (
    Connection,
    Database,
    answering,
    lock_key,
)

_OWNER = """
SELECT activity.application_name FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND ((classid::bigint << 32) | objid::bigint) = %s LIMIT 1"""


class DatabaseLease(WriteLease):
    """The lease of this machine, and with it a lock that the database gives up when the connection
    that holds it ends; `database` then changes nothing more. `begins` is called when it is held.
    """

    def __init__(
        self, here: WriteLease, database: Database, *, begins: Callable[[], object] = lambda: None
    ) -> None:
        self._here = here
        self._database = database
        self._begins = begins
        self._held: Counter[str] = Counter()
        self._guard = Lock()

    @contextmanager
    def hold(self, project_id: str, *, waiting: Waiting | None = None) -> Iterator[None]:
        with self._here.hold(project_id, waiting=waiting), self._counted(project_id) as first:
            if not first:
                yield
                return
            with answering(self._database.address):
                connection = self._database.connect()
            try:
                key = lock_key("lease", project_id)
                with answering(self._database.address):
                    _acquire(connection, project_id, key, waiting)
                self._begins()
                with self._database.leased(key, connection):
                    yield
            finally:
                connection.close()

    @contextmanager
    def _counted(self, project_id: str) -> Iterator[bool]:
        """Whether this is the outermost holder."""
        with self._guard:
            self._held[project_id] += 1
            first = self._held[project_id] == 1
        try:
            yield first
        finally:
            with self._guard:
                self._held[project_id] -= 1


def _acquire(connection: Connection, project_id: str, key: int, waiting: Waiting | None) -> None:
    [(taken,)] = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchall()
    if taken:
        return
    owner = _owner(connection, key)
    if waiting is None:
        raise IndexLocked(
            f"project '{project_id}' is being changed by {owner}",
            "Try again when it has finished, or wait for it with --wait.",
        )
    waiting(owner)
    connection.execute("SELECT pg_advisory_lock(%s)", (key,))


def _owner(connection: Connection, key: int) -> str:
    found = connection.execute(_OWNER, (key,)).fetchone()
    return str(found[0]) if found else "another process"
