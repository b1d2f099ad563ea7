"""`citeloom eval run` and `citeloom eval ir`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.evaluation.options import (
    Format,
    FormatOption,
    progress_bar,
)
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.query import Query
    from citeloom.domain.evaluation import EvaluationRun, Question

ModeOption = Annotated[
    list[Mode] | None,
    typer.Option("--mode", help="Only this mode; any of several. Else all the project has."),
]
DepthOption = Annotated[int, typer.Option("--k", "-k", min=1, help="How many passages count.")]


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
        help="Keep the run, to compare it later.",
    ),
]


def run(
    context: typer.Context,
    questions: Annotated[
        Path,
        typer.Option("--questions", "-q", exists=True, dir_okay=False, help="JSON lines."),
    ],
    project: ProjectOption = None,
    mode: ModeOption = None,
    k: DepthOption = 10,
    output: OutputOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Ask questions whose evidence is known, and measure what comes back.

    Example: citeloom eval run --project citeloom/clean-arch --questions questions.jsonl
    """
    from citeloom.infrastructure.trials import read_questions

    asked = read_questions(questions)
    with opened(context, project) as app:
        made = _evaluated(app.query, questions.name, asked, mode, k, by_document=False)
    _tell(made, output, form)


def ir(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(exists=True, file_okay=False, help="corpus.jsonl, queries.jsonl, qrels/."),
    ],
    project: ProjectOption = None,
    mode: ModeOption = None,
    k: DepthOption = 10,
    output: OutputOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Index a test collection in BEIR's form for the time being, and measure the search over it.

    Example: citeloom eval ir collections/cranfield
    """
    from citeloom.infrastructure.interfaces.cli.evaluation.options import any_project
    from citeloom.infrastructure.trials import collection_query, read_collection

    collection = read_collection(folder)
    with (
        opened(context, any_project(context, project)) as app,
        collection_query(app, collection, progress_bar(), app.project.chunking) as query,
    ):
        asked = collection.questions
        made = _evaluated(query, collection.name, asked, mode, k, by_document=True)
    _tell(made, output, form)


def _evaluated(
    query: Query,
    name: str,
    questions: tuple[Question, ...],
    modes: list[Mode] | None,
    k: int,
    *,
    by_document: bool,
) -> EvaluationRun:
    from citeloom.application.evaluate.run import EvaluationRequest
    from citeloom.infrastructure.trials import evaluation

    able = tuple(Mode) if query.sparse is not None else (Mode.DENSE,)
    request = EvaluationRequest(
        name=name,
        questions=questions,
        modes=tuple(modes or able),
        k=k,
        by_document=by_document,
    )
    return evaluation(query, progress_bar())(request)


def _tell(made: EvaluationRun, output: Path | None, form: Format) -> None:
    from citeloom.infrastructure.interfaces.cli.evaluation.tables import run_text
    from citeloom.infrastructure.trials import run_json

    if output is not None:
        output.write_text(run_json(made) + "\n", encoding="utf-8")
        note(f"the run is in {output}")
    out(run_json(made) if form is Format.JSON else run_text(made))
