"""`citeloom eval run` and `citeloom eval ir`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.evaluation.options import (
    Format,
    QuestionsOption,
    progress_bar,
    result_format,
)
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.library_parts import RerankerInfo
    from citeloom.domain.evaluation import EvaluationRun

ModeOption = Annotated[
    list[Mode] | None,
    typer.Option("--mode", help="Only this mode; any of several. Else all the project has."),
]
DepthOption = Annotated[int, typer.Option("--k", "-k", min=1, help="How many passages count.")]


RerankerOption = Annotated[
    str | None,
    typer.Option(help="Rerank by this model, and by none for comparison. Else by the configured."),
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
        help="Keep the run, to compare it later.",
    ),
]


@with_options(form=result_format)
def run(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    questions: QuestionsOption,
    project: ProjectOption = None,
    mode: ModeOption = None,
    k: DepthOption = 10,
    reranker: RerankerOption = None,
    output: OutputOption = None,
    *,
    form: Format,
) -> None:
    """Ask questions whose evidence is known, and measure what comes back.

    Example: citeloom eval run --project citeloom/clean-arch --questions questions.jsonl
    """
    with opened(context, project) as library:
        _tell_where(library.info.reranker, reranker)
        made = library.evaluate(
            questions, modes=mode or (), k=k, reranker=reranker, progress=progress_bar()
        )
    _tell(made, output, form)


@with_options(form=result_format)
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
    form: Format,
) -> None:
    """Index a test collection in BEIR's form for the time being, and measure the search over it.

    Example: citeloom eval ir collections/cranfield
    """
    from citeloom.infrastructure.interfaces.cli.evaluation.options import any_project

    with opened(context, any_project(context, project)) as library:
        _tell_where(library.info.reranker, reranker)
        made = library.evaluate_collection(
            folder, modes=mode or (), k=k, reranker=reranker, progress=progress_bar()
        )
    _tell(made, output, form)


def _tell_where(configured: RerankerInfo | None, named: str | None) -> None:
    """Where questions and passages are going to be sent to be put in order."""
    if configured and configured.sends_to and named in (None, configured.name):
        note(f"questions and passages are sent to {configured.sends_to} ({configured.name})")


def _tell(made: EvaluationRun, output: Path | None, form: Format) -> None:
    from citeloom.infrastructure.interfaces.cli.evaluation.reranked_table import reranked_text
    from citeloom.infrastructure.interfaces.cli.evaluation.tables import run_text
    from citeloom.infrastructure.serialisation.json import escaped
    from citeloom.infrastructure.serialisation.run_file import run_json

    if output is not None:
        output.write_text(run_json(made) + "\n", encoding="utf-8")
        note(f"the run is in {output}")
    if form is Format.JSON:
        out(escaped(run_json(made)))
    else:
        out("\n\n".join([run_text(made), *reranked_text(made)]))
