"""`citeloom eval answers` and `claims`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.tables import (
    QuestionsOption,
    TableFormat,
    grid,
    rate,
)
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.progress import progress_bar
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.answers.evaluation import AnswerEvaluation, ClaimEvaluation, ShownCount


# `citeloom eval answers`.


def answers(
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    *,
    form: TableFormat,
) -> None:
    """Answer questions with known evidence, and measure citations and refusals.

    Example: citeloom eval answers --project citeloom/clean-arch --questions questions.jsonl
    """
    from citeloom.infrastructure.answers.evaluations import AnswerEvaluationAnswer

    with opened(context, project) as library:
        if writer := library.info.answer_model:
            note(f"questions and passages are sent to {writer.sends_to} ({writer.name})")
        if (judge := library.info.entailment) and judge.sends_to:
            note(f"sentences and quotes are sent to {judge.sends_to} ({judge.name})")
        made = library.evaluate_answers(questions, progress=progress_bar())
    if form is TableFormat.JSON:
        out_json(AnswerEvaluationAnswer.of(made))
    else:
        out("\n\n".join(_parts(made)))


def _parts(made: AnswerEvaluation) -> Iterator[str]:
    answerable = sum(answer.answerable for answer in made.answers)
    thresholds = "calibrated" if made.calibrated else "default"
    yield (
        f"{made.name}: {counted(len(made.answers), 'question')}, {answerable} of them answerable; "
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
    yield grid(
        heads,
        [
            [name, *map(rate, (verdicts.nothing, verdicts.related, verdicts.answered))]
            for name, verdicts in listed
            if verdicts.related.of
        ],
    )
    yield f"latency: median {made.latency.median:.0f} ms, 95th percentile {made.latency.p95:.0f} ms"


# `citeloom eval claims`.


def claims(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="A file of JSON lines.")
    ],
    project: ProjectOption = None,
    *,
    form: TableFormat,
) -> None:
    """Check sentences whose support by their quotes is known, and count those that are shown.

    Example: citeloom eval claims claims.jsonl --project citeloom/clean-arch
    """
    from citeloom.infrastructure.answers.evaluations import ClaimEvaluationAnswer

    with opened(context, project) as library:
        if (judge := library.info.entailment) and judge.sends_to:
            note(f"claims and quotes are sent to {judge.sends_to} ({judge.name})")
        made = library.evaluate_claims(file, progress=progress_bar())
    if form is TableFormat.JSON:
        out_json(ClaimEvaluationAnswer.of(made))
    else:
        out(_claims_text(made))


def _claims_text(made: ClaimEvaluation) -> str:
    rows = [
        _count_row("supported", made.supported),
        _count_row("not supported", made.unsupported),
        *(_count_row(kind, count) for kind, count in made.by_kind.items()),
    ]
    missing = sum("not_in_passage" in (claim.reason or "") for claim in made.claims)
    missing += sum("unknown_passage" in (claim.reason or "") for claim in made.claims)
    counts = grid(["claims", "shown", "agrees", "of", "share"], rows)
    return f"{counts}\n\nwith a quote that is not in the project: {missing}" if missing else counts


def _count_row(name: str, count: ShownCount) -> list[str]:
    share = f"{count.shown / count.of:.1%}" if count.of else "-"
    return [name, str(count.shown), str(count.agrees), str(count.of), share]
