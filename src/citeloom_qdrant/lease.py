"""Write leases that hold on every machine that writes to a Qdrant server.

A lease is a point of the collection `citeloom-leases`, which is only ever replaced by its holder,
or by whoever knows its token (`update_filter`). Its holder gives it another token every 20 seconds;
one that stands still for a minute is taken over: machines need not have the same time.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import structlog

from citeloom.application.ports.runtime import Waiting, WriteLease
from citeloom.domain.errors import CiteloomError, IndexLocked, IndexUnavailable
from citeloom_qdrant.client import QdrantServer
from citeloom_qdrant.official_client import models
from citeloom_qdrant.translation import has_id, has_value

LEASES = "citeloom-leases"

_FORBIDDEN, _NOT_FOUND, _CONFLICT = 403, 404, 409
_STRONG, _MAJORITY = models.WriteOrdering.STRONG, models.ReadConsistencyType.MAJORITY
_log = structlog.get_logger("citeloom.store")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseTimes:
    """Seconds: a lease is renewed every `renewed`, and taken over once it has stood still for
    `expires`, which is looked at every `polled`.
    """

    renewed: float = 20.0
    expires: float = 60.0
    polled: float = 1.0


class ServerLease(WriteLease):
    """The lease of this machine, and one on the server. `begins` is called once both are held;
    while they are, a server that is away is waited for longer.

    `machine` gives the id of the data folder, whose own leases on the server are never waited for:
    its process is gone. Where the key may not store leases, the lease holds on this machine alone,
    with a warning.
    """

    def __init__(
        self,
        here: WriteLease,
        server: QdrantServer,
        machine: Callable[[], str],
        times: LeaseTimes | None = None,
        *,
        begins: Callable[[], object] = lambda: None,
    ) -> None:
        self._here = here
        self._server = server
        self._begins = begins
        self._machine = machine
        self._times = times or LeaseTimes()
        self._held: dict[str, int] = {}
        self._guard = RLock()

    @contextmanager
    def hold(self, project_id: str, *, waiting: Waiting | None = None) -> Iterator[None]:
        with self._here.hold(project_id, waiting=waiting), ExitStack() as stack:
            stack.enter_context(self._server.patient())
            if stack.enter_context(self._counted(project_id)):
                point = _LeasePoint(self._server, project_id, self._machine(), self._times)
                stack.enter_context(point.held(waiting))
            self._begins()
            yield

    @contextmanager
    def _counted(self, project_id: str) -> Iterator[bool]:
        """Whether this is the outermost lease of this process."""
        with self._guard:
            self._held[project_id] = self._held.get(project_id, 0) + 1
            first = self._held[project_id] == 1
        try:
            yield first
        finally:
            with self._guard:
                self._held[project_id] -= 1


@dataclass(slots=True)
class _LeasePoint:
    """The lease of a project, as a point on the server."""

    server: QdrantServer
    project_id: str
    machine: str
    times: LeaseTimes
    _holder: str = field(default_factory=lambda: uuid4().hex)
    _ended: Event = field(default_factory=Event)

    @contextmanager
    def held(self, waiting: Waiting | None) -> Iterator[None]:
        """Hold the lease, and renew it meanwhile."""
        try:
            self._acquire(waiting)
        except IndexUnavailable as refusal:
            if refusal.status != _FORBIDDEN:
                raise
            _log.warning(
                f"the key may not write to the collection '{LEASES}': while this runs, only this "
                "machine is kept from changing the project, too"
            )
            yield
            return
        renewal = Thread(target=self._keep, name="citeloom-lease", daemon=True)
        renewal.start()
        try:
            yield
        finally:
            self._ended.set()
            renewal.join()
            self.server.lost_leases.pop(self.project_id, None)
            with suppress(IndexUnavailable):  # it expires
                ours = models.Filter(must=[has_id(self._id), has_value("holder", self._holder)])
                self.server.ask(lambda qdrant: qdrant.delete(LEASES, ours, ordering=_STRONG))

    def _acquire(self, waiting: Waiting | None) -> None:
        """Take the lease, when nobody has it or whoever had it is gone.

        Raises `IndexLocked` while another machine has it, unless `waiting` is given.
        """
        seen, since, announced = "", time.monotonic(), False
        while (owner := self._read()) is not None:
            if owner["machine"] == self.machine != "":
                break
            if owner["token"] != seen:
                if seen and not waiting:
                    raise self._locked(owner)
                seen, since = owner["token"], time.monotonic()
            elif time.monotonic() - since >= self.times.expires:
                break
            if waiting is None and _is_recent(owner, self.times.expires):
                raise self._locked(owner)
            if not announced:
                (waiting or _announce)(str(owner["owner"]))
                announced = True
            time.sleep(self.times.polled)
        if not self._replaced("token", owner["token"] if owner else ""):
            self._acquire(waiting)  # another was faster

    def _keep(self) -> None:
        """Renew the lease until it is given back; say that it is lost where it is."""
        while not self._ended.wait(self.times.renewed):
            try:
                if self._replaced("holder", self._holder):
                    continue
                owner = self._read()
            except CiteloomError:  # the server is away; nobody else gets the lease meanwhile
                continue
            self.server.lost_leases[self.project_id] = self._locked(owner or {})
            return

    def _read(self) -> Mapping[str, Any] | None:
        """What is stored of the lease; None where nobody has it."""
        try:
            points = self.server.ask(
                lambda qdrant: qdrant.retrieve(LEASES, [self._id], consistency=_MAJORITY)
            )
        except IndexUnavailable as refusal:
            if refusal.status != _NOT_FOUND:
                raise
            self._make_collection()
            return None
        return points[0].payload if points else None

    def _replaced(self, key: str, value: str) -> bool:
        """Whether this process has the lease after replacing one that has the value, or none."""
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
        payload = {
            "project_id": self.project_id,
            "holder": self._holder,
            "token": uuid4().hex,
            "machine": self.machine,
            "owner": (f"process {os.getpid()} on {platform.node()} (`{command}`)"),
            "renewed": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        }
        point = models.PointStruct(id=self._id, vector={}, payload=payload)
        replaced = models.Filter(must=[has_value(key, value)])
        self.server.ask(
            lambda qdrant: qdrant.upsert(LEASES, [point], ordering=_STRONG, update_filter=replaced)
        )
        stored = self._read()
        return stored is not None and stored["holder"] == self._holder

    def _make_collection(self) -> None:
        try:
            self.server.ask(lambda qdrant: qdrant.create_collection(LEASES, vectors_config={}))
        except IndexUnavailable as refusal:
            if refusal.status != _CONFLICT:  # another makes it at the same time
                raise

    @property
    def _id(self) -> str:
        return str(uuid5(NAMESPACE_URL, self.project_id))

    def _locked(self, owner: Mapping[str, Any]) -> IndexLocked:
        return IndexLocked(
            f"project '{self.project_id}' is being changed by "
            f"{owner.get('owner', 'another process')}",
            "Try again when it has finished, or wait for it with --wait.",
        )


def _announce(owner: str) -> None:
    _log.warning(f"waiting a minute, to see whether {owner}, which has the project, is still there")


def _is_recent(owner: Mapping[str, Any], seconds: float) -> bool:
    """Whether a lease was renewed just now, as far as clocks agree."""
    age = datetime.now(tz=UTC) - datetime.fromisoformat(owner["renewed"])
    return abs(age.total_seconds()) < seconds
