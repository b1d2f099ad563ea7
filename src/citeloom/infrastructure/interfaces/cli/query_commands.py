"""`citeloom query` and `find`."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.requests.passages import FindRequest, QueryRequest
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, out_printable
from citeloom.infrastructure.interfaces.cli.context import opened, shape_of
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    OutputFormat,
    PassageOutput,
    ProjectOption,
    QuestionArgument,
    question_of,
)

if TYPE_CHECKING:
    from citeloom.application.retrieval.result import QueryResult


# `citeloom query`.


def query(
    ctx: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    options: Given[QueryRequest],
    output: PassageOutput,
    shape: AsOption = None,
) -> None:
    """Find passages that answer a question.

    Example: citeloom query "How are grades computed?" --project citeloom/clean-arch --year 2019..

    Example: citeloom query "How are grades computed?" --format latex
    """
    from citeloom.infrastructure.answers.headlines import neighbours_once
    from citeloom.infrastructure.interfaces.cli.passages import cited_passages, render, stages_text

    question = question_of(text)
    with opened(ctx, project) as library:
        chosen_shape = shape_of(library, shape)
        result = library.query(question, **options)
        base_dir = library.info.base_dir
        if chosen_shape is None and (output.quotes or output.cites):
            written = cited_passages(library, neighbours_once(result.passages), output)
        else:
            written = render(result, output.form, base_dir, chosen_shape)
    if written:
        out(written)
    plain = output.form == "text" and not output.cites and shape is None
    if options.get("explain") and plain:
        out(f"\n{stages_text(result)}")
    _print_notes(result, any_kind=not options.get("kinds") and not result.notes)


def _print_notes(result: QueryResult, *, any_kind: bool) -> None:
    for text in result.notes:
        note(text)
    done = result.reranked
    if done and done.done and done.sent_to:
        note(
            f"the question and {done.passages} passages were sent to {done.sent_to} ({done.model}) "
            "to be reranked"
        )
    if not result.passages:
        hint = "; --kind reference looks into reference lists" if any_kind else ""
        note(f"no passages found{hint}")


# `citeloom find`.

_LEAST_WIDTH, _MOST_WIDTH, _MARGIN = 24, 70, 24


class ConcordanceFormat(OutputFormat):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def find(
    context: typer.Context,
    word: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD", help="The word, or several in a row in quotes; passages have all."
        ),
    ],
    project: ProjectOption = None,
    *,
    options: Given[FindRequest],
    output: ConcordanceFormat,
) -> None:
    """Find every place of a word, with the words around it and its page.

    Other forms of the word count, unless it is to be exact. Counts are by work and by year; -k
    limits the places that are printed. A word that is empty is an error (exit 2).

    Example: citeloom find preregistration --project citeloom/clean-arch --year 2019..
    """
    from citeloom.infrastructure.answers.concordance import (
        ConcordanceAnswer,
        concordance_csv,
        concordance_text,
        incomplete_note,
    )

    with opened(context, project) as library:
        concordance = library.find(word, **options)
    if output is ConcordanceFormat.JSON:
        out_json(ConcordanceAnswer.of(concordance))
    elif output is ConcordanceFormat.CSV:
        out(concordance_csv(concordance))
    else:
        side = (get_terminal_size((100, 24)).columns - _MARGIN) // 2
        width = min(max(side, _LEAST_WIDTH), _MOST_WIDTH)
        out_printable(concordance_text(concordance, width))
    for text in (*incomplete_note(concordance), *concordance.notes):
        note(text)
    if not (concordance.count or concordance.notes):
        note("nothing found; --kind reference looks into reference lists")
