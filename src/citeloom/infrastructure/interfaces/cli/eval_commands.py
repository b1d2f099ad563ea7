"""`citeloom eval` and its subcommands: how good a project's passages and answers are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.domain.policies import Mode
from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.context import note_destination, opened, opened_library
from citeloom.infrastructure.interfaces.cli.eval_pages import pages
from citeloom.infrastructure.interfaces.cli.eval_tables import (
    comparison_text,
    grid,
    rate,
    reranked_text,
    run_text,
)
from citeloom.infrastructure.interfaces.cli.options import OutputFormat, ProjectOption, family
from citeloom.infrastructure.interfaces.cli.progress_display import progress_bar

if TYPE_CHECKING:
    from citeloom.application.evaluate.sweep import SweepReport, VariantResult
    from citeloom.application.library_info import LibraryInfo
    from citeloom.domain.answers.evaluation import AnswerEvaluation, ClaimEvaluation
    from citeloom.domain.evaluation.measures import EvaluationRun


class TableFormat(OutputFormat):
    TEXT = "text"
    JSON = "json"


QuestionsOption = Annotated[
    Path,
    typer.Option("--questions", "-q", exists=True, dir_okay=False, help="A file of JSON lines."),
]


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

_DEFAULT_PROJECT = "eval/defaults"
"""The project of a collection where there is no citeloom.toml."""


def _in_a_folder(path: Path | None) -> Path | None:
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}")
    return path


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is measured, and where the run is saved."""

    mode: Annotated[
        list[Mode] | None,
        typer.Option(
            "--mode", help="Only this search mode; repeatable. By default all modes of the project."
        ),
    ] = None
    k: Annotated[
        int, typer.Option("--k", "-k", min=1, help="Number of passages that are evaluated.")
    ] = 10
    reranker: Annotated[
        str | None,
        typer.Option(
            help="Compare this reranker with none; by default the configured reranker is used."
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            dir_okay=False,
            callback=_in_a_folder,
            help="Save the run to this file, for `citeloom eval compare`.",
        ),
    ] = None

    def for_library(self, info: LibraryInfo) -> dict[str, Any]:
        """How the library measures; says where questions are sent."""
        if info.reranker and self.reranker in (None, info.reranker.name):
            note_destination("questions and passages", info.reranker)
        return {
            "modes": self.mode or (),
            "k": self.k,
            "reranker": self.reranker,
            "progress": progress_bar(),
        }


def run(
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    *,
    options: RunOptions,
    form: TableFormat,
) -> None:
    """Measure retrieval with questions whose evidence is known.

    Example: citeloom eval run --project citeloom/clean-arch --questions questions.jsonl
    """
    with opened(context, project) as library:
        evaluation = library.evaluate(questions, **options.for_library(library.info))
    _print_run(evaluation, options.output, form)


def highlights(
    context: typer.Context,
    project: ProjectOption = None,
    *,
    options: RunOptions,
    form: TableFormat,
) -> None:
    """Measure how well the library finds what you highlighted in Zotero.

    Each comment on a highlight is a question, the highlighted passage its evidence; the highlight
    itself does not count among what is found.

    Example: citeloom eval highlights --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        evaluation = library.evaluate_highlights(**options.for_library(library.info))
    _print_run(evaluation, options.output, form)


def ir(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(exists=True, file_okay=False, help="corpus.jsonl, queries.jsonl, qrels/."),
    ],
    project: ProjectOption = None,
    *,
    options: RunOptions,
    form: TableFormat,
) -> None:
    """Measure retrieval on a test collection in BEIR's format, indexed temporarily.

    Example: citeloom eval ir collections/cranfield
    """
    if project is None:
        with opened_library(context) as library:
            project = None if library.info.config_file else _DEFAULT_PROJECT
    with opened(context, project) as library:
        evaluation = library.evaluate_collection(folder, **options.for_library(library.info))
    _print_run(evaluation, options.output, form)


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
        out(_sweep_text(report))


def _sweep_text(report: SweepReport) -> str:
    heads = ["variant", *report.present, "all", "difference", "p", "corrected", "verdict"]
    present = [f"{mean:.3f}" for mean in report.present.values()]
    mean = sum(report.present.values()) / len(report.present)
    rows = [["present", *present, f"{mean:.3f}", "", "", "", ""], *map(_row, report.results)]
    return (
        f"{report.measure} over {', '.join(f'{n} of {s}' for s, n in report.questions.items())}\n\n"
        f"{grid(heads, rows)}\n\n"
        "all: each set with the same weight. p: paired randomisation test against the present; "
        "corrected:\nby Holm for all variants; + and - mark what is better or worse in one set."
    )


def _row(result: VariantResult) -> list[str]:
    from citeloom.application.evaluate.sweep import VariantVerdict

    marks = {VariantVerdict.BETTER: "+", VariantVerdict.WORSE: "-", VariantVerdict.UNCLEAR: " "}
    overall = result.overall
    return [
        result.variant.name,
        *(f"{trial.mean:.3f}{marks[trial.verdict]}" for trial in result.by_set.values()),
        f"{overall.mean:.3f}",
        f"{overall.difference:+.3f}",
        f"{overall.p:.4f}",
        f"{overall.corrected_p:.4f}",
        overall.verdict.value,
    ]


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
        note_destination("questions and passages", library.info.answer_model)
        note_destination("sentences and quotes", library.info.entailment)
        evaluation = library.evaluate_answers(questions, progress=progress_bar())
    if form is TableFormat.JSON:
        out_json(AnswerEvaluationAnswer.of(evaluation))
    else:
        out("\n\n".join(_answer_parts(evaluation)))


def _answer_parts(evaluation: AnswerEvaluation) -> Iterator[str]:
    answerable = sum(answer.answerable for answer in evaluation.answers)
    thresholds = "calibrated" if evaluation.calibrated else "default"
    yield (
        f"{evaluation.name}: {counted(len(evaluation.answers), 'question')}, {answerable} of them "
        f"answerable; {evaluation.method} answers, {thresholds} thresholds"
        + (f"; sent to {evaluation.sent_to}" if evaluation.sent_to else "")
    )
    if evaluation.means:
        bounds = evaluation.intervals
        rows = [
            [name, f"{mean:.3f} [{bounds[name].low:.2f}, {bounds[name].high:.2f}]"]
            for name, mean in evaluation.means.items()
        ]
        yield grid(["answerable questions", "mean [95 %]"], rows)
    counts = {
        "all answerable": evaluation.answerable,
        "all unanswerable": evaluation.unanswerable,
        **evaluation.by_kind,
    }
    rows = [
        [name, *map(rate, (verdicts.nothing, verdicts.related, verdicts.answered))]
        for name, verdicts in counts.items()
        if verdicts.related.of
    ]
    yield grid(["verdicts", "nothing", "related", "answered"], rows)
    latency = evaluation.latency
    yield f"latency: median {latency.median:.0f} ms, 95th percentile {latency.p95:.0f} ms"


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
        note_destination("claims and quotes", library.info.entailment)
        evaluation = library.evaluate_claims(file, progress=progress_bar())
    if form is TableFormat.JSON:
        out_json(ClaimEvaluationAnswer.of(evaluation))
    else:
        out(_claims_text(evaluation))


def _claims_text(evaluation: ClaimEvaluation) -> str:
    counts = {
        "supported": evaluation.supported,
        "not supported": evaluation.unsupported,
        **evaluation.by_kind,
    }
    rows = [
        [
            *(name, str(count.shown), str(count.agrees), str(count.of)),
            f"{count.shown / count.of:.1%}" if count.of else "-",
        ]
        for name, count in counts.items()
    ]
    text = grid(["claims", "shown", "agrees", "of", "share"], rows)
    missing = sum(
        code in (claim.reason or "")
        for claim in evaluation.claims
        for code in ("not_in_passage", "unknown_passage")
    )
    return f"{text}\n\nwith a quote that is not in the project: {missing}" if missing else text


app = family("eval", help="Measure the quality of retrieval, answers and page citations.")
for _command in (pages, run, highlights, answers, claims, ir, compare, sweep):
    app.command(_command.__name__)(_command)
