"""What every write lease promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.application.ports.runtime import WriteLease
from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.leases import FileWriteLease
from citeloom_qdrant.lease import ServerLease
from tests.fakes.postgres import server
from tests.fakes.qdrant_server import LocalQdrant
from tests.fakes.write_lease import InMemoryLease, InMemoryLeases

Makers = tuple[Callable[[], WriteLease], Callable[[], WriteLease]]


def in_memory(_: Path) -> Makers:
    leases = InMemoryLeases()
    return lambda: InMemoryLease(leases), lambda: InMemoryLease(leases, name="process 2")


def on_disk(folder: Path) -> Makers:
    return lambda: FileWriteLease(folder / "leases"), lambda: FileWriteLease(folder / "leases")


def in_database(folder: Path) -> Makers:
    """Of two machines, whose folders know nothing of one another."""
    url = server().url
    from citeloom_postgres.connections import (  # noqa: PLC0415 - an extra  # noqa: PLC0415 - an extra
        Database,
        DatabaseLease,
    )

    return (
        lambda: DatabaseLease(FileWriteLease(folder / "here"), Database(url)),
        lambda: DatabaseLease(FileWriteLease(folder / "there"), Database(url)),
    )


def on_a_server(folder: Path) -> Makers:
    """Of two machines, whose folders know nothing of one another."""
    server = LocalQdrant()

    def of(machine: str) -> WriteLease:
        return ServerLease(FileWriteLease(folder / machine), server.index().server, lambda: machine)

    return lambda: of("here"), lambda: of("there")


@pytest.fixture(
    params=[in_memory, on_disk, in_database, on_a_server],
    ids=["memory", "file", "database", "server"],
)
def leases(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[WriteLease, WriteLease]:
    """The leases of two processes."""
    first, second = request.param(tmp_path)
    return first(), second()


def test_another_is_refused_at_once_and_told_who_works(
    leases: tuple[WriteLease, WriteLease],
) -> None:
    one, other = leases
    with (
        one.hold("lab/rye"),
        pytest.raises(IndexLocked, match=r"'lab/rye' .* process"),
        other.hold("lab/rye"),
    ):
        pass


def test_once_it_is_given_back_another_has_it(leases: tuple[WriteLease, WriteLease]) -> None:
    one, other = leases
    for lease, waits in ((one, other), (other, one), (one, other)):
        with lease.hold("lab/rye"), pytest.raises(IndexLocked), waits.hold("lab/rye"):
            pass


def test_an_error_gives_it_back(leases: tuple[WriteLease, WriteLease]) -> None:
    one, other = leases
    with pytest.raises(KeyError), one.hold("lab/rye"):
        raise KeyError
    with other.hold("lab/rye"):
        pass


def test_its_holder_may_take_it_again(leases: tuple[WriteLease, WriteLease]) -> None:
    one, other = leases
    with one.hold("lab/rye"):
        with one.hold("lab/rye"):
            pass
        with pytest.raises(IndexLocked), other.hold("lab/rye"):
            pass


def test_projects_are_held_apart(leases: tuple[WriteLease, WriteLease]) -> None:
    one, other = leases
    with (
        one.hold("lab/rye"),
        other.hold("Lab/rye"),
        other.hold("lab/oats"),
        pytest.raises(IndexLocked, match="'lab/oats'"),
        one.hold("lab/oats"),
    ):
        pass


def test_who_waits_is_told_for_whom_and_then_has_it(leases: tuple[WriteLease, WriteLease]) -> None:
    one, other = leases
    told: list[str] = []
    has_it, waits = threading.Event(), threading.Event()

    def wait(who: str) -> None:
        told.append(who)
        waits.set()

    def take() -> None:
        with other.hold("lab/rye", waiting=wait):
            has_it.set()

    thread = threading.Thread(target=take)
    with one.hold("lab/rye"):
        thread.start()
        assert waits.wait(10)
        assert not has_it.is_set()
    assert has_it.wait(10)
    thread.join(10)
    assert len(told) == 1
    assert "process" in told[0]


def test_nobody_is_waited_for_where_nobody_works(leases: tuple[WriteLease, WriteLease]) -> None:
    told: list[str] = []
    with leases[0].hold("lab/rye", waiting=told.append):
        assert told == []
