"""The width that parts the gaps between words from those between letters."""

from __future__ import annotations

import math
from collections.abc import Sequence

_LEAST_SHARE, _MOST_SHARE = 0.05, 0.45  # of all gaps are between words
_APART = 4.5  # how many times as far apart the two kinds are as each kind's own gaps


def splitting_gap(gaps: Sequence[float]) -> float | None:
    """The gap that best parts narrow from wide ones (Otsu's method); None if they are of one kind.

    Wide ones are those between words only if they are fewer, and clearly apart from the others.
    """
    ordered = sorted(gaps)
    count = len(ordered)
    best: tuple[float, int] | None = None
    for wide in range(max(1, int(_LEAST_SHARE * count)), int(_MOST_SHARE * count) + 1):
        narrow = count - wide
        between = (_mean(ordered[narrow:]) - _mean(ordered[:narrow])) ** 2 * narrow * wide
        if best is None or between > best[0]:
            best = (between, narrow)
    if best is None:
        return None
    narrow_gaps, wide_gaps = ordered[: best[1]], ordered[best[1] :]
    spread = max(_spread(narrow_gaps), _spread(wide_gaps))
    if _mean(wide_gaps) - _mean(narrow_gaps) < _APART * spread:
        return None
    return (narrow_gaps[-1] + wide_gaps[0]) / 2


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float]) -> float:
    middle = _mean(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / len(values))
