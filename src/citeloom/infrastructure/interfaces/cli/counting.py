"""Numbers with what they count."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.domain.validation import Severity


def counted(number: int, noun: str) -> str:
    """The number and the noun, in the plural unless it is one: `1 page`, `0 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def by_severity(found: Mapping[Severity, int]) -> str:
    """How many findings there are of each severity."""
    listed = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    return ", ".join(counted(found[severity], severity.value) for severity in listed)
