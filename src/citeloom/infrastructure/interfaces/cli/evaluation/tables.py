"""Results of evaluations as tables, and the options of their commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.evaluation.comparison import (
    Change,
    Comparison,
    Difference,
    ModeComparison,
    gain,
)
from citeloom.domain.evaluation.measures import EvaluationRun, RerankingCost
from citeloom.infrastructure.answers.text import one_line
from citeloom.infrastructure.interfaces.cli.options import OutputFormat
from citeloom.infrastructure.interfaces.cli.session import opened_library

if TYPE_CHECKING:
    from citeloom.domain.evaluation.measures import ModeResult, Summary
    from citeloom.domain.evaluation.significance import Rate


# Results of evaluations as tables.


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


def rate(measured: Rate) -> str:
    """`2 of 128, 1.6 % [0.4, 5.5]`, with the 95 % interval."""
    if measured.share is None:
        return "none asked"
    bounds = measured.interval
    between = f"[{bounds.low:.1%}, {bounds.high:.1%}]"
    return f"{measured.count} of {measured.of}, {measured.share:.1%} {between}"


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
    by_mode = [(mode.mode.value, mode.answerability) for mode in modes]
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
        for name, one in by_mode
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


# A comparison of two runs as tables.

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


def _row(difference: Difference) -> list[str]:
    return [
        difference.measure,
        f"{difference.before:.3f}",
        f"{difference.after:.3f}",
        f"{difference.difference:+.3f}",
        f"[{difference.interval.low:+.3f}, {difference.interval.high:+.3f}]",
        str(difference.wins),
        str(difference.losses),
        f"{difference.p:.4f}",
        f"{difference.corrected_p:.4f}",
        "*" if difference.significant else "",
    ]


def _changed(mode: ModeComparison, measure: str, examples: int) -> Iterator[str]:
    for difference in mode.differences:
        if difference.measure == measure and difference.changes and examples:
            gains = [change for change in difference.changes if change.after > change.before]
            losses = [
                change for change in reversed(difference.changes) if change.after < change.before
            ]
            shown = [*gains[:examples], *losses[:examples]]
            yield "\n".join([f"changed most in {measure}:", *map(_line, shown)])


def _line(change: Change) -> str:
    line = f"  {change.before:.3f} -> {change.after:.3f}  {change.id}: {change.question}"
    return one_line(line)


# What a reranker gained and cost, as tables.


def reranked_text(run: EvaluationRun) -> Iterator[str]:
    """What the reranker of a run did, a table a mode and what it cost; nothing without one."""
    reranked = run.reranked
    if reranked is None:
        return
    went = f"sent to {reranked.sent_to}" if reranked.sent_to else "nothing was sent"
    yield one_line(
        f"reranked by {reranked.model}: the first {reranked.candidates} passages; {went}"
    )
    for mode in gain(run):
        yield differences(mode, ("without", "with"))
    yield "\n".join(map(_cost, reranked.costs))
    yield LEGEND


def _cost(cost: RerankingCost) -> str:
    return (
        f"{cost.mode.value}: {cost.median_ms:.0f} ms a question (median; 95th percentile "
        f"{cost.p95_ms:.0f} ms), {cost.passages:,} passages for {cost.questions} questions, "
        f"of which {cost.unchanged} kept their order because it failed"
    )


# Options shared by the commands of `citeloom eval`.

_DEFAULT_PROJECT = "eval/defaults"


class TableFormat(OutputFormat):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


QuestionsOption = Annotated[
    Path,
    typer.Option("--questions", "-q", exists=True, dir_okay=False, help="A file of JSON lines."),
]


def any_project(context: typer.Context, project: str | None) -> str | None:
    """The named project; without a citeloom.toml, one with all defaults."""
    if project is not None:
        return project
    with opened_library(context) as library:
        return _DEFAULT_PROJECT if library.info.config_file is None else None
