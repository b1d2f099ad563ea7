from __future__ import annotations

import gc
import threading
from threading import Event

import pytest

from citeloom.domain.errors import DiskFull
from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards
from tests.fakes.clock import SetClock

pytestmark = pytest.mark.filterwarnings("ignore:Exception in thread open shards")


class FakeShard:
    """A shard that is open until it is released, unless it is `busy`."""

    def __init__(self, shards: OpenShards, *, busy: bool = False, unflushed: bool = False) -> None:
        self._shards = shards
        self.busy = busy
        self.unflushed = unflushed
        self.is_open = False
        self.call()

    def call(self) -> None:
        self.last_used = self._shards.now()
        if not self.is_open:
            self.is_open = True
            self._shards.opened(self)

    def release(self, *, unflushed: bool) -> bool:
        if self.busy or (self.unflushed and not unflushed):
            return False
        self.is_open = False
        return True


class FullDisk(FakeShard):
    """A shard that cannot be written."""

    def release(self, *, unflushed: bool) -> bool:
        raise DiskFull("no room for the index", "Make room.")


@pytest.fixture
def clock() -> SetClock:
    return SetClock(tick=1)


def end_the_thread(_seconds: float) -> None:
    raise SystemExit


def shards_of(clock: SetClock, *, most: int = 0, idle_seconds: float = 0) -> OpenShards:
    """Open shards whose thread never looks."""
    return OpenShards(
        most=most, idle_seconds=idle_seconds, now=clock.monotonic, pause=end_the_thread
    )


def test_those_used_longest_ago_are_closed(clock: SetClock) -> None:
    shards = shards_of(clock, most=2)
    first, second = FakeShard(shards), FakeShard(shards)
    first.call()
    third = FakeShard(shards)
    assert [one.is_open for one in (first, second, third)] == [True, False, True]
    second.call()
    assert [one.is_open for one in (first, second, third)] == [False, True, True]


def test_no_limit_closes_nothing(clock: SetClock) -> None:
    shards = shards_of(clock)
    all_of_them = [FakeShard(shards) for _ in range(30)]
    clock.pass_seconds(1e9)
    shards.close_unused()
    assert all(one.is_open for one in all_of_them)


def test_what_is_in_use_or_being_written_stays_open(clock: SetClock) -> None:
    shards = shards_of(clock, most=1)
    busy, written = FakeShard(shards, busy=True), FakeShard(shards, unflushed=True)
    last = FakeShard(shards)
    assert [one.is_open for one in (busy, written, last)] == [True, True, True]
    busy.busy = written.unflushed = False
    shards.close_unused()
    assert [one.is_open for one in (busy, written, last)] == [False, False, True]


def test_idle_ones_are_closed_and_their_writes_flushed(clock: SetClock) -> None:
    shards = shards_of(clock, idle_seconds=600)
    idle, written, used = FakeShard(shards), FakeShard(shards, unflushed=True), FakeShard(shards)
    clock.pass_seconds(500)
    used.call()
    clock.pass_seconds(200)
    shards.close_unused()
    assert [one.is_open for one in (idle, written, used)] == [False, False, True]


def test_a_shard_that_cannot_be_closed_fails_no_other_call(
    clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    shards = shards_of(clock, most=1)
    full = FullDisk(shards)
    last = FakeShard(shards)
    assert full.is_open
    assert last.is_open
    assert "cannot be closed: no room" in caplog.text


def test_the_thread_looks_from_time_to_time_and_ends_with_the_last_shard(clock: SetClock) -> None:
    pauses: list[float] = []
    begin = Event()

    def pause(seconds: float) -> None:
        begin.wait(10)
        pauses.append(seconds)
        clock.pass_seconds(seconds)

    others = set(threading.enumerate())
    shards = OpenShards(most=0, idle_seconds=90, now=clock.monotonic, pause=pause)
    shard = FakeShard(shards)
    started = set(threading.enumerate()) - others
    (thread,) = (one for one in started if one.name == "open shards")
    begin.set()
    thread.join(10)
    assert not thread.is_alive()
    assert not shard.is_open
    assert pauses == [45, 45]


def test_a_shard_that_is_gone_is_not_counted(clock: SetClock) -> None:
    shards = shards_of(clock, most=2)
    first = FakeShard(shards)
    FakeShard(shards)
    gc.collect()
    third = FakeShard(shards)
    assert first.is_open
    assert third.is_open
