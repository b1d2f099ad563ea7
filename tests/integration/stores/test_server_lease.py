"""Write leases on a Qdrant server, of machines that stop, stand still or may not write."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest
from structlog.testing import capture_logs

from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.leases import FileWriteLease
from citeloom.testing.chunks import PROJECT, collection, embedded
from citeloom_qdrant.index import QdrantServerIndex
from citeloom_qdrant.lease import LEASES, LeaseTimes, ServerLease
from tests.fakes.qdrant_server import Fault, LocalQdrant

NAME = "papers"
NEVER = LeaseTimes(renewed=3600, expires=0.3, polled=0.02)
"""Of a machine that stands still, and of one that finds that out soon."""


def lease_of(
    folder: Path, index: QdrantServerIndex, machine: str, times: LeaseTimes | None = None
) -> ServerLease:
    files = FileWriteLease(folder / machine)
    return ServerLease(files, index.server, lambda: machine, times, begins=index.refresh)


def records(server: LocalQdrant) -> list[str]:
    """The owners of the leases on the server."""
    points, _ = server.engine.scroll(LEASES)
    return [str(point.payload and point.payload["machine"]) for point in points]


def test_the_lease_of_a_machine_that_stands_still_is_taken_over_and_its_writes_are_refused(
    tmp_path: Path,
) -> None:
    server = LocalQdrant()
    asleep, awake = server.index(), server.index()
    asleep.create(collection(NAME))
    sleeper = lease_of(tmp_path, asleep, "asleep", LeaseTimes(renewed=1.0))
    with sleeper.hold(PROJECT):
        asleep.upsert(NAME, [embedded("a")])
        other = LeaseTimes(renewed=3600, expires=0.1, polled=0.02)
        with lease_of(tmp_path, awake, "awake", other).hold(PROJECT, waiting=lambda _: None):
            assert records(server) == ["awake"]
            noticed = Event()
            while not asleep.server.lost_leases:
                noticed.wait(0.05)
            with pytest.raises(IndexLocked, match="is being changed by process"):
                asleep.upsert(NAME, [embedded("b")])
            awake.upsert(NAME, [embedded("c")])
    assert records(server) == []
    with sleeper.hold(PROJECT):
        asleep.upsert(NAME, [embedded("b")])


def test_a_lease_that_is_renewed_is_not_taken_over(tmp_path: Path) -> None:
    server = LocalQdrant()
    busy = lease_of(tmp_path, server.index(), "busy", LeaseTimes(renewed=0.02))
    other = lease_of(tmp_path, server.index(), "other", NEVER)
    with busy.hold(PROJECT), pytest.raises(IndexLocked), other.hold(PROJECT):
        pass


def test_the_lease_of_a_killed_process_of_the_same_machine_is_not_waited_for(
    tmp_path: Path,
) -> None:
    server = LocalQdrant()
    with ExitStack() as killed:
        killed.enter_context(lease_of(tmp_path / "1", server.index(), "here").hold(PROJECT))
        with lease_of(tmp_path / "2", server.index(), "here").hold(PROJECT):
            assert records(server) == ["here"]
        assert records(server) == []


def test_a_lease_whose_answer_is_lost_is_held_once(tmp_path: Path) -> None:
    server = LocalQdrant()
    lease = lease_of(tmp_path, server.index(retry_for=30), "here")
    lost = Fault(refused=True, after=True)
    server.misbehave(lost, lost, None, lost)  # read, make the collection, made already, take it
    with lease.hold(PROJECT):
        assert records(server) == ["here"]
    assert records(server) == []


def test_with_a_key_for_some_collections_the_lease_holds_on_this_machine(tmp_path: Path) -> None:
    server = LocalQdrant()
    lease = lease_of(tmp_path, server.index(), "here")
    server.misbehave(Fault(status=403, said="Forbidden: Access to collection is required"))
    with capture_logs() as logs, lease.hold(PROJECT):
        pass
    [warning] = [str(entry["event"]) for entry in logs]
    assert f"may not write to the collection '{LEASES}'" in warning
