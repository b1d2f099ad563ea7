"""The people of a work in a few words."""

from __future__ import annotations

from collections.abc import Sequence

_NAMED = 2


def in_short(families: Sequence[str]) -> str:
    """`Rule`, `Rule and Birmingham`, or `Rule et al.`; empty without any."""
    if len(families) > _NAMED:
        return f"{families[0]} et al."
    return " and ".join(families)
