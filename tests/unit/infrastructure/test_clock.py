from __future__ import annotations

from datetime import timedelta

from citeloom.infrastructure.clock import SystemClock


def test_the_time_is_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_seconds_never_run_backwards() -> None:
    clock = SystemClock()
    seen = [clock.monotonic() for _ in range(100)]
    assert seen == sorted(seen)
