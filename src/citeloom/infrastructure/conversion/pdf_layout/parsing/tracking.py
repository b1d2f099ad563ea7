"""Letter-spaced fonts: the even gap between their letters, and the wider one between words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from citeloom.infrastructure.conversion.pdf_layout.parsing.gaps import splitting_gap

_LEAST_TRACKING = 0.04  # of the letters' height: kerning is less
_LEAST_GAPS = (
    6  # of a line that tells whether its font is letter-spaced: a formula's parts are short
)
_EVEN = 0.25  # of the usual gap: how much further apart or nearer others are
_EVEN_SHARE = 0.55  # of the gaps: those between words, and kerned ones, are the others
_WIDER = 1.5  # times the usual gap: a word's end adds half a space to that
_HALF_SPACE = 0.1  # of the letters' height


def letter_spaced(lines: Iterable[tuple[str, Sequence[float]]]) -> Mapping[str, float]:
    """The usual gap of each font that sets its letters evenly apart, from its lines' gaps."""
    gaps: dict[str, list[float]] = defaultdict(list)
    for font, found in lines:
        gaps[font] += found if len(found) >= _LEAST_GAPS else ()
    usual = {font: median(found) for font, found in gaps.items() if found}
    return {font: gap for font, gap in usual.items() if _is_tracked(gaps[font], gap)}


def _is_tracked(gaps: Sequence[float], usual: float) -> bool:
    if usual < _LEAST_TRACKING:
        return False
    even = sum(abs(gap - usual) <= _EVEN * usual + 0.01 for gap in gaps)
    return even >= _EVEN_SHARE * len(gaps)


def least_word_gap(gaps: Sequence[float], tracking: float) -> float:
    """The gap of a letter-spaced line from which on it is one between words."""
    usual = median(gaps) if len(gaps) >= _LEAST_GAPS else tracking
    least = _WIDER * min(usual, 2 * tracking) + _HALF_SPACE
    found = splitting_gap([max(gap, 0.0) for gap in gaps])
    return found if found is not None and found > least else least
