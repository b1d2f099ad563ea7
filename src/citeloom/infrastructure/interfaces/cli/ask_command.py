"""`citeloom ask`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.answer_text import (
    AnswerFormat,
    QuoteFirstOption,
    answer_format,
)
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import AsOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_command import question_of
from citeloom.infrastructure.interfaces.cli.query_options import QuestionArgument, filter_options
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of

if TYPE_CHECKING:
    from citeloom.application.query_options import FilterOptions


@with_options(filters=filter_options, output=answer_format)
def ask(
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    filters: FilterOptions,
    output: AnswerFormat,
    shape: AsOption = None,
    quote_first: QuoteFirstOption = False,
) -> None:
    """Answer a question with sentences tied to passages and pages, or say that it cannot.

    Example: citeloom ask "How are grades computed?" --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.answer_text import AnswerStream, reasons_apart
    from citeloom.infrastructure.serialisation.answers import answer_json, answer_markdown, sent
    from citeloom.infrastructure.serialisation.shapes import shaped_answer

    question = question_of(text)
    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        stream = AnswerStream(question)
        streams = output is AnswerFormat.TEXT and wanted is None and not quote_first
        events = stream if streams else None
        answer = library.ask(question, events=events, **filters, quote_first=quote_first)
        base_dir = library.info.base_dir
    if wanted is not None:
        out_json(shaped_answer(wanted, answer_json(answer, base_dir)))
    elif output is AnswerFormat.JSON:
        out_json(answer_json(answer, base_dir))
    elif output is AnswerFormat.MARKDOWN:
        out(answer_markdown(answer, base_dir))
    else:
        stream.end(answer)
    apart = reasons_apart(answer) if output is not AnswerFormat.JSON and wanted is None else ()
    for told in (*sent(answer), *apart, *answer.notes):
        note(told)
