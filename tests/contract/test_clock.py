"""What every clock promises."""

from __future__ import annotations

from datetime import timedelta

import pytest

from citeloom.application.ports.runtime import Clock
from citeloom.infrastructure.clock import SystemClock
from tests.fakes.clock import SetClock


@pytest.fixture(params=[SystemClock, SetClock, lambda: SetClock(tick=0.5)])
def clock(request: pytest.FixtureRequest) -> Clock:
    made: Clock = request.param()
    return made


def test_now_is_in_utc(clock: Clock) -> None:
    assert clock.now().utcoffset() == timedelta(0)


def test_monotonic_never_runs_backwards(clock: Clock) -> None:
    looks = [clock.monotonic() for _ in range(100)]
    assert looks == sorted(looks)
