"""An answer as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.options import JsonOption, format_of

if TYPE_CHECKING:
    from citeloom.domain.answers.answer import Answer, Citation


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def answer_format(
    output: Annotated[
        AnswerFormat, typer.Option("--format", help="How to print.")
    ] = AnswerFormat.TEXT,
    as_json: JsonOption = False,
) -> AnswerFormat:
    """How an answer is to be printed."""
    return format_of(output, as_json=as_json)


def answer_text(answer: Answer) -> str:
    """The verdict, the sentences with their sources, and what is missing."""
    return "\n\n".join(filter(None, _parts(answer)))


def _parts(answer: Answer) -> Iterator[str]:
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
    from citeloom.infrastructure.serialisation.answers import THEY_SAY
    from citeloom.infrastructure.serialisation.text import one_line

    if answer.wording.prefix:
        yield one_line(answer.reply)
        numbered = enumerate(answer.citations, start=1)
        yield "\n".join(f"[{number}] {source_text(one)}" for number, one in numbered)
        return
    yield THEY_SAY
    for number, sentence in enumerate(answer.sentences, start=1):
        sources = "\n".join(f"   {source_text(one)}" for one in sentence.citations)
        yield f"{number}. {quoted(sentence.text).lstrip()}\n{sources}"


def _nearest(answer: Answer) -> Iterator[str]:
    from citeloom.domain.answers.answer import Citation

    nearest = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:3]
    ]
    if nearest:
        yield "Nearest passages:\n" + "\n".join(f"   {source_text(one)}" for one in nearest)


def source_text(citation: Citation) -> str:
    """The place of a citation and its work, on one line."""
    import sys

    from citeloom.infrastructure.interfaces.cli.console import painter
    from citeloom.infrastructure.serialisation.passages import headline
    from citeloom.infrastructure.serialisation.text import one_line

    stored = citation.stored
    place = citation.cited or f"{stored.source_path}, {citation.locator}"
    return f"{painter(sys.stdout)(one_line(place), 'bold')}  {one_line(headline(stored))}"
