"""`citeloom eval answers`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.options import (
    Format,
    QuestionsOption,
    progress_bar,
    result_format,
)
from citeloom.infrastructure.interfaces.cli.evaluation.tables import grid, rate
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Verdicts
    from citeloom.domain.answers.evaluation import AnswerEvaluation


@with_options(form=result_format)
def answers(
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    *,
    form: Format,
) -> None:
    """Answer questions whose evidence is known, and measure what is cited and what is refused.

    Example: citeloom eval answers --project citeloom/clean-arch --questions questions.jsonl
    """
    from citeloom.infrastructure.serialisation.answers import evaluation_json

    with opened(context, project) as library:
        if writer := library.info.answer_model:
            note(f"questions and passages are sent to {writer.sends_to} ({writer.name})")
        if (judge := library.info.entailment) and judge.sends_to:
            note(f"sentences and quotes are sent to {judge.sends_to} ({judge.name})")
        made = library.evaluate_answers(questions, progress=progress_bar())
    if form is Format.JSON:
        out_json(evaluation_json(made))
    else:
        out("\n\n".join(_parts(made)))


def _parts(made: AnswerEvaluation) -> Iterator[str]:
    answerable = sum(one.answerable for one in made.answers)
    thresholds = "calibrated" if made.calibrated else "default"
    yield (
        f"{made.name}: {len(made.answers)} questions, {answerable} of them answerable; "
        f"{made.method} answers, {thresholds} thresholds"
        + (f"; sent to {made.sent_to}" if made.sent_to else "")
    )
    if made.means:
        rows = [
            [name, f"{mean:.3f} [{made.intervals[name].low:.2f}, {made.intervals[name].high:.2f}]"]
            for name, mean in made.means.items()
        ]
        yield grid(["answerable questions", "mean [95 %]"], rows)
    kinds = [("all answerable", made.answerable), ("all unanswerable", made.unanswerable)]
    listed = [*kinds, *made.by_kind.items()]
    heads = ["verdicts", "nothing", "related", "answered"]
    yield grid(heads, [_row(name, found) for name, found in listed if found.related.of])
    yield f"latency: median {made.latency.median:.0f} ms, 95th percentile {made.latency.p95:.0f} ms"


def _row(name: str, found: Verdicts) -> list[str]:
    return [name, *map(rate, (found.nothing, found.related, found.answered))]
