"""Connections to PostgreSQL, its failures in plain words, and the write lease."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TypeVar
from urllib.parse import urlsplit

import psycopg
from psycopg import errors, sql

from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.domain.errors import CiteloomError, DiskFull, IndexLocked, IndexUnavailable

# Connections to PostgreSQL, and its failures in plain words.

T = TypeVar("T")
Connection = psycopg.Connection[tuple[object, ...]]

_MOST_IDLE = 8
_ATTEMPTS = 4
_PASSING = (errors.UndefinedTable, errors.DeadlockDetected)
"""What may happen once while a rebuilt collection takes the place of another."""
_SETTINGS = {
    "hnsw.iterative_scan": "strict_order",  # a filter must not starve a search of hits
    "hnsw.ef_search": "100",
    "jit": "off",
}
_GRANTED_LEASES = """
SELECT lease.key FROM unnest(%s::bigint[], %s::int[]) AS lease (key, owner)
JOIN pg_locks AS lock ON lock.pid = lease.owner AND locktype = 'advisory' AND granted
    AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = lease.key"""
_IN_ENVIRONMENT = (
    "Set the password in the environment: PGPASSWORD or CITELOOM_STORE_PASSWORD; or in ~/.pgpass."
)


class Database:
    """A database at a URL, contacted when it is first needed; safe for threads.

    Connections are reused, and one that was lost meanwhile is replaced. While a lease of this
    process is gone with the connection that held it, nothing is changed.
    """

    def __init__(self, url: str, *, password: str | None = None, timeout: float = 10) -> None:
        self.address = _without_password(url)
        self._url = url
        self._password = password
        self._timeout = timeout
        self._idle: deque[Connection] = deque()
        self._guard = Lock()
        self._leases: dict[int, int] = {}

    def read(self, work: Callable[[Connection], T]) -> T:
        """The result of `work`, each statement a transaction of its own, so that readers block
        nobody.

        Repeated if a collection is replaced meanwhile. Raises `IndexUnavailable`.
        """
        return self._run(work)

    def change(self, work: Callable[[Connection], T]) -> T:
        """The result of `work` in one transaction, which is committed as a whole or not at all.

        Repeated if the connection is lost meanwhile. Raises `IndexUnavailable`, also where a lease
        was lost.
        """

        def transaction(connection: Connection) -> T:
            with connection.transaction():
                self._check_leases(connection)
                return work(connection)

        return self._run(transaction)

    def _run(self, work: Callable[[Connection], T]) -> T:
        with answering(self.address):
            for _ in range(_ATTEMPTS):
                known = self._taken()
                connection = known or self.connect()
                try:
                    return self._done(connection, work)
                except _PASSING:
                    continue
                except (psycopg.OperationalError, psycopg.InterfaceError):
                    if known is None or not known.closed:
                        raise
                    self.close()
            return self._done(self.connect(), work)

    @contextmanager
    def leased(self, key: int, owner: Connection) -> Iterator[None]:
        """Change nothing in this context once `owner` has lost its advisory lock of that key."""
        with self._guard:
            self._leases[key] = owner.info.backend_pid
        try:
            yield
        finally:
            with self._guard:
                del self._leases[key]

    def _check_leases(self, connection: Connection) -> None:
        with self._guard:
            leases = dict(self._leases)
        if not leases:
            return
        granted = connection.execute(_GRANTED_LEASES, ([*leases], [*leases.values()])).fetchall()
        if len(granted) < len(leases):
            raise IndexUnavailable(
                f"The connection to {self.address} that held the write lease was lost, so another "
                "process may have changed the project since",
                "Run the same command again: what is stored stays, and it goes on from there.",
            )

    def vacuum(self, table: str) -> None:
        """Update the planner's statistics of a table, and remove its deleted rows."""
        with answering(self.address), self.connect() as connection:
            name = sql.Identifier(*table.split("."))
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(name))

    def connect(self) -> Connection:
        """A separate connection, on which each statement is a transaction."""
        connection = psycopg.connect(
            self._url,
            autocommit=True,
            prepare_threshold=None,  # each question is planned with its own filters
            connect_timeout=max(2, int(self._timeout)),
            tcp_user_timeout=int(self._timeout * 1000),
            application_name=f"process {os.getpid()} on {platform.node()} (citeloom)"[:63],
            password=self._password,
        )
        connection.execute(
            "SELECT set_config(name, value, false) FROM json_each_text(%s) AS setting(name, value)",
            (json.dumps(_SETTINGS),),
        )
        return connection

    def close(self) -> None:
        """Close the connections that are not in use. May be called twice."""
        while (connection := self._taken()) is not None:
            connection.close()

    def _taken(self) -> Connection | None:
        with self._guard:
            return self._idle.pop() if self._idle else None

    def _done(self, connection: Connection, work: Callable[[Connection], T]) -> T:
        try:
            return work(connection)
        finally:
            self._give_back(connection)

    def _give_back(self, connection: Connection) -> None:
        with self._guard:
            if not connection.closed and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


def lock_key(*names: str) -> int:
    """The number of an advisory lock, the same on every machine."""
    digest = hashlib.sha256("\0".join(("citeloom", *names)).encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def lock(connection: Connection, *names: str) -> None:
    """Take an advisory lock on these names until the transaction ends, waiting for other owners."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key(*names),))


def relation_exists(connection: Connection, name: str) -> bool:
    """Whether there is a table of that name."""
    [row] = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (name,)).fetchall()
    return row == (True,)


def execute_all(connection: Connection, statements: tuple[sql.SQL | sql.Composed, ...]) -> None:
    """Execute statements without parameters, in order."""
    for statement in statements:
        connection.execute(statement)


@contextmanager
def answering(address: str) -> Iterator[None]:
    """Turn the database's failures into `IndexUnavailable` or `DiskFull`, with what to do."""
    try:
        yield
    except psycopg.Error as error:
        raise _refusal(address, error) from error


def _refusal(address: str, error: psycopg.Error) -> CiteloomError:
    message = str(error).strip() or type(error).__name__
    if isinstance(error, errors.DiskFull):
        return DiskFull(f"The disk of {address} is full: {message}", "Make room on the server.")
    for kinds, hint in _HINTS:
        if isinstance(error, kinds):
            return IndexUnavailable(f"The database {address} refused: {message}", hint)
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        known = error.pgconn
        if known is not None and (known.needs_password or known.used_password):
            return IndexUnavailable(f"The database {address} refused: {message}", _IN_ENVIRONMENT)
        return IndexUnavailable(
            f"No database answers at {address}: {message}", "Start it, or correct [store] url."
        )
    return IndexUnavailable(f"The database {address} refused: {message}", "See the server's log.")


_NO_EXTENSION = (
    "Install pgvector 0.8 or newer on the server, then let its owner run: CREATE EXTENSION vector;"
)
_HINTS: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    ((errors.InvalidPassword, errors.InvalidAuthorizationSpecification), _IN_ENVIRONMENT),
    ((errors.FeatureNotSupported, errors.UndefinedFile), _NO_EXTENSION),
    (
        (errors.InsufficientPrivilege,),
        "Let the database's owner run: CREATE EXTENSION IF NOT EXISTS vector; CREATE SCHEMA IF NOT "
        "EXISTS citeloom AUTHORIZATION the_user;",
    ),
    ((errors.InvalidCatalogName,), "Create the database, or correct [store] url."),
    (
        (errors.ReadOnlySqlTransaction,),
        "It only answers questions: a replica, perhaps. Ingest through the primary server.",
    ),
    ((errors.TooManyConnections, errors.LockNotAvailable), "Try again later."),
)


def _without_password(url: str) -> str:
    """The database's place, fit to be shown."""
    parts = urlsplit(url)
    hosts = parts.netloc.rpartition("@")[2] or "this machine"
    return f"postgresql://{hosts}{parts.path}"


_OWNER = """
SELECT activity.application_name FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND ((classid::bigint << 32) | objid::bigint) = %s LIMIT 1"""


class DatabaseLease(WriteLease):
    """The write lease of this machine, with an advisory lock that the database releases when its
    connection ends; `database` then refuses changes.

    `begins` is called once both are taken.
    """

    def __init__(
        self, here: WriteLease, database: Database, *, begins: Callable[[], object] = lambda: None
    ) -> None:
        self._here = here
        self._database = database
        self._begins = begins
        self._holds: Counter[str] = Counter()
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
                with suppress(psycopg.Error):  # the database notices a closed connection only later
                    connection.execute("SELECT pg_advisory_unlock_all()")
                connection.close()

    @contextmanager
    def _counted(self, project_id: str) -> Iterator[bool]:
        """Whether this is the outermost lease of this process."""
        with self._guard:
            self._holds[project_id] += 1
            first = self._holds[project_id] == 1
        try:
            yield first
        finally:
            with self._guard:
                self._holds[project_id] -= 1


def _acquire(connection: Connection, project_id: str, key: int, waiting: Waiting | None) -> None:
    [(acquired,)] = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchall()
    if acquired:
        return
    row = connection.execute(_OWNER, (key,)).fetchone()
    owner = str(row[0]) if row else "another process"
    if waiting is None:
        raise IndexLocked(
            f"project '{project_id}' is being changed by {owner}",
            "Try again when it has finished, or wait for it with --wait.",
        )
    waiting(owner)
    connection.execute("SELECT pg_advisory_lock(%s)", (key,))
