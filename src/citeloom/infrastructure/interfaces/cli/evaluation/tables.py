"""Results of evaluations as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from citeloom.infrastructure.serialisation.text import one_line

if TYPE_CHECKING:
    from citeloom.domain.evaluation import EvaluationRun, ModeResult, Summary
    from citeloom.domain.significance import Rate


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows under their heads, the first column to the left, figures to the right."""
    lines = [list(heads), *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def rate(found: Rate) -> str:
    """`2 of 128, 1.6 % [0.4, 5.5]`, with the 95 % interval."""
    if found.share is None:
        return "none asked"
    bounds = found.interval
    return f"{found.count} of {found.of}, {found.share:.1%} [{bounds.low:.1%}, {bounds.high:.1%}]"


def run_text(run: EvaluationRun) -> str:
    """The run: each measure by mode with the interval of its mean, then each kind of question."""
    made, first = run.provenance, run.modes[0].overall
    parts = [
        f"{run.name}: {first.questions} answerable questions, {made.chunks} chunks of "
        f"{made.collection}",
        grid(["", *(mode.mode.value for mode in run.modes)], _overall(run.modes)),
        *(_kinds(mode) for mode in run.modes if mode.by_kind),
    ]
    unanswerable = [mode for mode in run.modes if mode.answerability]
    if unanswerable:
        parts.append(_answerability(unanswerable))
    return "\n\n".join(parts)


def _overall(modes: Sequence[ModeResult]) -> Iterable[list[str]]:
    for name in modes[0].overall.means:
        yield [name, *(_within(mode.overall, name) for mode in modes)]


def _within(summary: Summary, name: str) -> str:
    bounds = summary.intervals[name]
    return f"{summary.means[name]:.3f} [{bounds.low:.2f}, {bounds.high:.2f}]"


def _kinds(mode: ModeResult) -> str:
    shown = [name for name in mode.overall.means if "hit" not in name or name.endswith("@5")]
    rows = [
        [kind, str(summary.questions), *(_mean(summary, name) for name in shown)]
        for kind, summary in mode.by_kind.items()
    ]
    return grid([mode.mode.value, "n", *shown], rows)


def _mean(summary: Summary, name: str) -> str:
    return f"{summary.means[name]:.3f}" if name in summary.means else "-"


def _answerability(modes: Sequence[ModeResult]) -> str:
    found = [(mode.mode.value, mode.answerability) for mode in modes]
    rows = [
        [
            name,
            str(one.unanswerable),
            f"{one.mean_score_unanswerable:.4f}",
            f"{one.mean_score_answerable:.4f}",
            f"{one.auroc:.3f}",
            _share(one.auroc_fit),
            ", ".join(f"{kind} {_share(value)}" for kind, value in one.auroc_fit_by_kind.items()),
        ]
        for name, one in found
        if one is not None
    ]
    heads = [
        "unanswerable",
        "n",
        "their top score",
        "the others'",
        "AUROC",
        "of the fit",
        "by kind",
    ]
    return grid(heads, rows)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
