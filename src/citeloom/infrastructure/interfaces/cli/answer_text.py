"""An answer as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.options import JsonOption, format_of

if TYPE_CHECKING:
    from citeloom.domain.answers.answer import Answer, Citation, Sentence


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
    from citeloom.infrastructure.serialisation.answers import (
        absent,
        messages_of,
        refusal,
        refuses_alone,
        unknown_words,
    )
    from citeloom.infrastructure.serialisation.text import one_line

    if not answer.sentences:
        yield one_line(answer.reply)
    if refuses_alone(answer):
        return
    why = refusal(answer)
    yield why
    yield from _sentences(answer) if answer.sentences else _nearest(answer)
    if answer.unverified:
        written = len(answer.sentences) + len(answer.unverified)
        yield messages_of(answer).left_out.format(count=len(answer.unverified), written=written)
    yield unknown_words(answer)
    yield absent(answer) if why else ""


def reasons_apart(answer: Answer) -> Iterator[str]:
    """What is said of an answer on stderr, since its refusal stands alone on stdout."""
    from citeloom.infrastructure.serialisation.answers import (
        refusal,
        refuses_alone,
        unknown_words,
    )

    if refuses_alone(answer):
        yield from filter(None, (refusal(answer), unknown_words(answer)))


def _sentences(answer: Answer) -> Iterator[str]:
    """Each sentence above its sources; where the project has a prefix, one text above them all."""
    from citeloom.infrastructure.interfaces.cli.passages import quoted
    from citeloom.infrastructure.serialisation.answers import by_author, whose_words
    from citeloom.infrastructure.serialisation.text import one_line

    if answer.wording.prefix:
        yield one_line(answer.reply)
        yield _numbered_sources(answer)
        return
    number = 0
    for kind, sentences in by_author(answer):
        yield whose_words(answer, kind)
        for sentence in sentences:
            number += 1
            lines = "\n".join(_beneath(answer, sentence))
            yield f"{number}. {quoted(sentence.connected).lstrip()}\n{lines}"


def _beneath(answer: Answer, sentence: Sentence) -> Iterator[str]:
    """The sources of a sentence, below the quotes that it was written from if it was."""
    from citeloom.infrastructure.interfaces.cli.passages import quoted
    from citeloom.infrastructure.serialisation.answers import written_from

    for citation in sentence.citations:
        if not sentence.verified:
            yield quoted(written_from(citation, answer))
        yield f"   {source_text(citation, answer.label_of(citation))}"


def _numbered_sources(answer: Answer) -> str:
    """The sources of a text, below the words of each that a model wrote it from if one did."""
    from citeloom.infrastructure.serialisation.answers import whose_words, written_from

    lines = []
    written = [one for one in answer.sentences if not one.verified]
    if written:
        lines.append(whose_words(answer, written[0].kind))
    sources = {citation for sentence in written for citation in sentence.citations}
    for number, one in enumerate(answer.citations, start=1):
        if one in sources:
            lines.append(f"[{number}] {written_from(one, answer)}")
            lines.append(f"    {source_text(one, answer.label_of(one))}")
        else:
            lines.append(f"[{number}] {source_text(one, answer.label_of(one))}")
    return "\n".join(lines)


def _nearest(answer: Answer) -> Iterator[str]:
    from citeloom.domain.answers.answer import Citation
    from citeloom.infrastructure.serialisation.answers import messages_of

    nearest = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:3]
    ]
    if nearest:
        listed = (f"   {source_text(one, answer.label_of(one))}" for one in nearest)
        yield "\n".join((messages_of(answer).nearest, *listed))


def source_text(citation: Citation, label: str | None) -> str:
    """The place of a citation, the project's label for it and its work, on one line."""
    import sys

    from citeloom.infrastructure.interfaces.cli.console import painter
    from citeloom.infrastructure.serialisation.passages import headline
    from citeloom.infrastructure.serialisation.text import one_line

    stored = citation.stored
    place = citation.cited or f"{stored.source_path}, {citation.locator}"
    labelled = f"  {one_line(label)}" if label else ""
    return f"{painter(sys.stdout)(one_line(place), 'bold')}{labelled}  {one_line(headline(stored))}"
