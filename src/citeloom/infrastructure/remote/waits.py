"""How long a service asks to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def asked_to_wait(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """The seconds that `Retry-After-Ms` or `Retry-After` ask to wait, be it a number or a date;
    0 without either, and for what cannot be read.
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    if (seconds := _number(asked)) is not None:
        return seconds
    return max(0.0, _until(asked, now or datetime.now(UTC)))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()
