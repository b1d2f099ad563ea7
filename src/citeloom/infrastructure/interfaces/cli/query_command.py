"""`citeloom query`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import AsOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_options import (
    Format,
    QuestionArgument,
    passage_format,
    query_options,
)
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of

if TYPE_CHECKING:
    from citeloom.application.query_options import QueryOptions
    from citeloom.application.retrieval.query import QueryResult

_LONGEST = 100_000


@with_options(options=query_options, output=passage_format)
def query(
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    options: QueryOptions,
    output: Format,
    shape: AsOption = None,
) -> None:
    """Find passages that answer a question.

    Example: citeloom query "How are grades computed?" --project citeloom/clean-arch --year 2019..
    """
    from citeloom.infrastructure.interfaces.cli.passages import render, stages_text

    question = question_of(text)
    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        result = library.query(question, **options)
        out(render(result, output.value, library.info.base_dir, wanted))
    if options["explain"] and output is Format.TEXT and shape is None:
        out(f"\n{stages_text(result)}")
    _tell_notes(result, any_kind=not options["kinds"] and not result.notes)


def question_of(words: Sequence[str]) -> str:
    """The question of one argument or of several, read from stdin for `-`."""
    text = " ".join(words)
    question = (sys.stdin.read(_LONGEST + 1) if text == "-" else text).strip()
    if len(question) > _LONGEST:
        raise typer.BadParameter(f"the question is longer than {_LONGEST:,} characters")
    if not question:
        raise typer.BadParameter("the question is empty")
    return question


def _tell_notes(result: QueryResult, *, any_kind: bool) -> None:
    """What a user should know of the answer, on stderr."""
    for told in result.notes:
        note(told)
    done = result.reranked
    if done and done.done and done.sent_to:
        note(
            f"the question and {done.passages} passages were sent to {done.sent_to} ({done.by}) "
            "to be put in order"
        )
    if not result.passages:
        hint = "; --kind reference looks into reference lists" if any_kind else ""
        note(f"no passages found{hint}")
