"""`citeloom ask`."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.options import AsOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_command import question_of
from citeloom.infrastructure.interfaces.cli.query_options import (
    CitekeyOption,
    DocOption,
    KindOption,
    QuestionArgument,
    SectionOption,
    TagOption,
    TopKOption,
    YearOption,
)
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of

if TYPE_CHECKING:
    from citeloom.domain.answers.answer import Answer, Citation


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


AnswerFormatOption = Annotated[AnswerFormat, typer.Option("--format", help="How to print.")]


def ask(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    top_k: TopKOption = None,
    tag: TagOption = None,
    year: YearOption = None,
    citekey: CitekeyOption = None,
    section: SectionOption = None,
    doc: DocOption = None,
    kind: KindOption = None,
    output: AnswerFormatOption = AnswerFormat.TEXT,
    shape: AsOption = None,
) -> None:
    """Answer a question with sentences tied to passages and pages, or say that it cannot.

    Example: citeloom ask "How are grades computed?" --project citeloom/clean-arch
    """
    from citeloom.domain.filters import parse_section, parse_years
    from citeloom.infrastructure.serialisation.answers import answer_json, answer_markdown, sent
    from citeloom.infrastructure.serialisation.shapes import shaped

    question = question_of(text)
    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        answer = library.ask(
            question,
            citekey=citekey,
            doc_id=doc,
            tags=tag or (),
            years=(None, None) if year is None else parse_years(year),
            kinds=kind or (),
            section=() if section is None else parse_section(section),
            top_k=top_k,
        )
        base_dir = library.info.base_dir
    if wanted is not None:
        out_json(shaped(wanted, answer_json(answer, base_dir)))
    elif output is AnswerFormat.JSON:
        out_json(answer_json(answer, base_dir))
    elif output is AnswerFormat.MARKDOWN:
        out(answer_markdown(answer, base_dir))
    else:
        out(_text(answer))
    for told in filter(None, (sent(answer), *answer.notes)):
        note(told)


def _text(answer: Answer) -> str:
    return "\n\n".join(filter(None, _parts(answer)))


def _parts(answer: Answer) -> Iterator[str]:
    """The verdict, the sentences with their sources, and what is missing."""
    from citeloom.infrastructure.serialisation.answers import absent, refusal
    from citeloom.infrastructure.serialisation.text import one_line

    if not answer.sentences:
        yield one_line(answer.reply)
    yield refusal(answer)
    yield from _sentences(answer) if answer.sentences else _nearest(answer)
    if answer.unverified:
        written = len(answer.sentences) + len(answer.unverified)
        yield f"{len(answer.unverified)} of {written} sentences could not be verified: left out."
    if missing := (absent(answer) if refusal(answer) else ""):
        yield f"Not in the nearest passages: {missing}"


def _sentences(answer: Answer) -> Iterator[str]:
    """Each sentence above its sources; where the project has a prefix, one text above them all."""
    from citeloom.infrastructure.interfaces.cli.passages import quoted
    from citeloom.infrastructure.serialisation.text import one_line

    if answer.wording.prefix:
        yield one_line(answer.reply)
        numbered = enumerate(answer.citations, start=1)
        yield "\n".join(f"[{number}] {_source(one)}" for number, one in numbered)
        return
    for number, sentence in enumerate(answer.sentences, start=1):
        sources = "\n".join(f"   {_source(one)}" for one in sentence.citations)
        yield f"{number}. {quoted(sentence.text).lstrip()}\n{sources}"


def _nearest(answer: Answer) -> Iterator[str]:
    from citeloom.domain.answers.answer import Citation

    nearest = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:3]
    ]
    if nearest:
        yield "Nearest passages:\n" + "\n".join(f"   {_source(one)}" for one in nearest)


def _source(citation: Citation) -> str:
    import sys

    from citeloom.infrastructure.interfaces.cli.console import painter
    from citeloom.infrastructure.serialisation.passages import headline
    from citeloom.infrastructure.serialisation.text import one_line

    stored = citation.stored
    place = citation.cited or f"{stored.source_path}, {citation.locator}"
    return f"{painter(sys.stdout)(one_line(place), 'bold')}  {one_line(headline(stored))}"
