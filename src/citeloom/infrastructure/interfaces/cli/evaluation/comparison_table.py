"""A comparison of two runs as tables."""

from __future__ import annotations

from collections.abc import Iterator

from citeloom.domain.comparison import Change, Comparison, Difference, ModeComparison
from citeloom.infrastructure.interfaces.cli.evaluation.tables import grid
from citeloom.infrastructure.serialisation.text import one_line

_HEADS = ("difference", "95 % within", "won", "lost", "p", "corrected")
LEGEND = (
    "p: paired randomisation test; corrected: by Holm for all measures of the mode; * below 0.05."
)


def comparison_text(comparison: Comparison, measure: str, examples: int) -> str:
    """The conditions that differ, a table a mode, and questions that changed in one measure."""
    parts = []
    if comparison.conditions:
        pairs = comparison.conditions.items()
        parts.append("\n".join(f"{name}: {one} -> {other}" for name, (one, other) in pairs))
    if comparison.unpaired:
        parts.append(f"only in one of the runs: {', '.join(comparison.unpaired)}")
    for mode in comparison.modes:
        parts.append(differences(mode, ("before", "after")))
        parts += _changed(mode, measure, examples)
    parts.append(LEGEND)
    return "\n\n".join(parts)


def differences(mode: ModeComparison, sides: tuple[str, str]) -> str:
    """The differences in a mode as a table, with the heads of its two sides."""
    rows = [_row(difference) for difference in mode.differences]
    return grid([mode.mode.value, *sides, *_HEADS, ""], rows)


def _row(found: Difference) -> list[str]:
    return [
        found.measure,
        f"{found.before:.3f}",
        f"{found.after:.3f}",
        f"{found.difference:+.3f}",
        f"[{found.interval.low:+.3f}, {found.interval.high:+.3f}]",
        str(found.wins),
        str(found.losses),
        f"{found.p:.4f}",
        f"{found.corrected_p:.4f}",
        "*" if found.significant else "",
    ]


def _changed(mode: ModeComparison, measure: str, examples: int) -> Iterator[str]:
    for found in mode.differences:
        if found.measure == measure and found.changes and examples:
            gains = [change for change in found.changes if change.after > change.before]
            losses = [change for change in reversed(found.changes) if change.after < change.before]
            shown = [*gains[:examples], *losses[:examples]]
            yield "\n".join([f"changed most in {measure}:", *map(_line, shown)])


def _line(change: Change) -> str:
    told = f"  {change.before:.3f} -> {change.after:.3f}  {change.id}: {change.question}"
    return one_line(told)
