"""`citeloom eval run`, `ir`, `compare` and `sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.tables import (
    QuestionsOption,
    TableFormat,
    any_project,
    comparison_text,
    grid,
    reranked_text,
    run_text,
)
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.progress import progress_bar
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.evaluate.sweep import SweepReport, Trial, VariantResult
    from citeloom.application.library_info import RerankerInfo
    from citeloom.domain.evaluation.measures import EvaluationRun


# `citeloom eval compare`.


def compare(
    before: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The first run.")],
    after: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The second run.")],
    measure: Annotated[
        str, typer.Option(help="Show the questions that changed most in this measure.")
    ] = "nDCG@10",
    examples: Annotated[
        int, typer.Option(min=0, help="Number of improved, and of worsened, questions to show.")
    ] = 5,
    *,
    form: TableFormat,
) -> None:
    """Compare two runs: which is significantly better, and on which questions.

    Example: citeloom eval compare before.json after.json
    """
    from citeloom.domain.evaluation.comparison import compare as compared
    from citeloom.infrastructure.answers.evaluations import read_run

    comparison = compared(read_run(before), read_run(after))
    known = [difference.measure for difference in comparison.modes[0].differences]
    if measure not in known:
        raise typer.BadParameter(f"'{measure}' is none of {', '.join(known)}")
    if form is TableFormat.JSON:
        out_json(comparison)
    else:
        out(comparison_text(comparison, measure, examples))


# `citeloom eval run` and `citeloom eval ir`.

ModeOption = Annotated[
    list[Mode] | None,
    typer.Option(
        "--mode", help="Only this search mode; repeatable. By default all modes of the project."
    ),
]
DepthOption = Annotated[
    int, typer.Option("--k", "-k", min=1, help="Number of passages that are evaluated.")
]


RerankerOption = Annotated[
    str | None,
    typer.Option(
        help="Compare this reranker with none; by default the configured reranker is used."
    ),
]


def _in_a_folder(path: Path | None) -> Path | None:
    """The path of a file that can be made."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}")
    return path


OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        dir_okay=False,
        callback=_in_a_folder,
        help="Save the run to this file, for `citeloom eval compare`.",
    ),
]


def run(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    mode: ModeOption = None,
    k: DepthOption = 10,
    reranker: RerankerOption = None,
    output: OutputOption = None,
    *,
    form: TableFormat,
) -> None:
    """Measure retrieval with questions whose evidence is known.

    Example: citeloom eval run --project citeloom/clean-arch --questions questions.jsonl
    """
    with opened(context, project) as library:
        _note_destination(library.info.reranker, reranker)
        evaluation = library.evaluate(
            questions, modes=mode or (), k=k, reranker=reranker, progress=progress_bar()
        )
    _print_run(evaluation, output, form)


def ir(  # noqa: PLR0913 - as above
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(exists=True, file_okay=False, help="corpus.jsonl, queries.jsonl, qrels/."),
    ],
    project: ProjectOption = None,
    mode: ModeOption = None,
    k: DepthOption = 10,
    reranker: RerankerOption = None,
    output: OutputOption = None,
    *,
    form: TableFormat,
) -> None:
    """Measure retrieval on a test collection in BEIR's format, indexed temporarily.

    Example: citeloom eval ir collections/cranfield
    """
    with opened(context, any_project(context, project)) as library:
        _note_destination(library.info.reranker, reranker)
        evaluation = library.evaluate_collection(
            folder, modes=mode or (), k=k, reranker=reranker, progress=progress_bar()
        )
    _print_run(evaluation, output, form)


def _note_destination(configured: RerankerInfo | None, named: str | None) -> None:
    """Say where a reranker will send questions and passages."""
    if configured and configured.sends_to and named in (None, configured.name):
        note(f"questions and passages are sent to {configured.sends_to} ({configured.name})")


def _print_run(evaluation: EvaluationRun, output: Path | None, form: TableFormat) -> None:
    from citeloom.infrastructure.answers.evaluations import run_json

    if output is not None:
        output.write_text(run_json(evaluation) + "\n", encoding="utf-8")
        note(f"the run is in {output}")
    if form is TableFormat.JSON:
        out(run_json(evaluation))
    else:
        out("\n\n".join([run_text(evaluation), *reranked_text(evaluation)]))


# `citeloom eval sweep`.


def sweep(
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    ir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Evaluate on this test collection as well; repeatable.",
        ),
    ] = None,
    fusion_only: Annotated[
        bool,
        typer.Option(
            "--fusion-only", help="Leave chunks as they are; trying other chunks takes long."
        ),
    ] = False,
    *,
    form: TableFormat,
) -> None:
    """Try other fusions, depths, headings and chunk sizes; report significant differences.

    Example: citeloom eval sweep --questions questions.jsonl --ir collections/cranfield
    """
    with opened(context, project) as library:
        report = library.sweep(
            questions, collections=ir or (), fusion_only=fusion_only, progress=progress_bar()
        )
    if form is TableFormat.JSON:
        out_json(report)
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
        "corrected:\nby Holm for all variants; + and - mark what is better or worse in one set."
    )


def _row(result: VariantResult) -> list[str]:
    overall = result.overall
    return [
        result.variant.name,
        *map(_marked, result.by_set.values()),
        f"{overall.mean:.3f}",
        f"{overall.difference:+.3f}",
        f"{overall.p:.4f}",
        f"{overall.corrected_p:.4f}",
        overall.verdict.value,
    ]


def _marked(trial: Trial) -> str:
    from citeloom.application.evaluate.sweep import VariantVerdict

    marks = {VariantVerdict.BETTER: "+", VariantVerdict.WORSE: "-", VariantVerdict.UNCLEAR: " "}
    return f"{trial.mean:.3f}{marks[trial.verdict]}"
