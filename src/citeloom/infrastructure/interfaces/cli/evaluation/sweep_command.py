"""`citeloom eval sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.options import (
    Format,
    QuestionsOption,
    progress_bar,
    result_format,
)
from citeloom.infrastructure.interfaces.cli.evaluation.tables import grid
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.serialisation.reports import sweep_json

if TYPE_CHECKING:
    from citeloom.application.evaluate.sweep import SweepReport, Trial, VariantResult


@with_options(form=result_format)
def sweep(
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    ir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="A test collection besides; or several."),
    ] = None,
    fusion_only: Annotated[
        bool, typer.Option("--fusion-only", help="Try no other chunks, which takes long.")
    ] = False,
    *,
    form: Format,
) -> None:
    """Try other fusions, depths, headings and chunk sizes, and say what is better than noise.

    Example: citeloom eval sweep --questions questions.jsonl --ir collections/cranfield
    """
    with opened(context, project) as library:
        report = library.sweep(
            questions, collections=ir or (), fusion_only=fusion_only, progress=progress_bar()
        )
    if form is Format.JSON:
        out_json(sweep_json(report))
    else:
        out(_text(report))


def _text(report: SweepReport) -> str:
    heads = ["variant", *report.present, "all", "difference", "p", "corrected", "verdict"]
    present = [f"{mean:.3f}" for mean in report.present.values()]
    mean = sum(report.present.values()) / len(report.present)
    rows = [
        ["present", *present, f"{mean:.3f}", "", "", "", ""],
        *(_row(result) for result in report.results),
    ]
    return (
        f"{report.measure} over {', '.join(f'{n} of {s}' for s, n in report.questions.items())}\n\n"
        f"{grid(heads, rows)}\n\n"
        "all: each set with the same weight. p: paired randomisation test against the present; "
        ""
        "corrected:\nby Holm for all variants; + and - mark what is better or worse in one set."
    )


def _row(result: VariantResult) -> list[str]:
    found = result.overall
    return [
        result.variant.name,
        *map(_marked, result.by_set.values()),
        f"{found.mean:.3f}",
        f"{found.difference:+.3f}",
        f"{found.p:.4f}",
        f"{found.corrected_p:.4f}",
        found.verdict.value,
    ]


def _marked(trial: Trial) -> str:
    from citeloom.application.evaluate.sweep import Verdict

    marks = {Verdict.BETTER: "+", Verdict.WORSE: "-", Verdict.UNCLEAR: " "}
    return f"{trial.mean:.3f}{marks[trial.verdict]}"
