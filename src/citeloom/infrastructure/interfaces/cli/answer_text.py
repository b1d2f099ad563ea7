"""An answer as a terminal shows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out
from citeloom.infrastructure.interfaces.cli.options import format_options

if TYPE_CHECKING:
    from citeloom.domain.answers.answer import Answer, Citation, Sentence


class AnswerFormat(StrEnum):
    """How an answer is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


QuoteFirstOption = Annotated[
    bool,
    typer.Option("--quote-first", help="Let the model only choose, order and connect quotations."),
]


answer_format = format_options(AnswerFormat)
"""How an answer is to be printed."""


def answer_text(answer: Answer) -> str:
    """The verdict, the sentences with their sources, and what is missing."""
    return "\n\n".join(filter(None, _parts(answer)))


class AnswerStream:
    """Prints an answer to a question on stdout part by part, each sentence once it is checked.

    A question that was made self-contained is printed first. A text with a project's own prefix is
    printed whole. It keeps the promises of `AnswerEvents`.
    """

    def __init__(self, question: str) -> None:
        self._question = question
        self._answer: Answer | None = None
        self._printed = 0
        self._parts = 0

    def found(self, answer: Answer) -> None:
        """Print what was really asked."""
        from citeloom.infrastructure.serialisation.text import one_line

        self._answer = answer
        if answer.question != self._question:
            self._print(f"Asked: {one_line(answer.question)}")

    def shown(self, sentence: Sentence) -> None:
        """Print the next sentence."""
        assert self._answer is not None
        self._answer = replace(self._answer, sentences=(*self._answer.sentences, sentence))
        if not self._answer.wording.prefix:
            self._print_new(_begun(self._answer))

    def end(self, answer: Answer) -> None:
        """Print what is left of the whole answer."""
        self._print_new(_parts(answer))

    def _print_new(self, parts: Iterator[str]) -> None:
        for part in islice(filter(None, parts), self._parts, None):
            self._print(part)
            self._parts += 1

    def _print(self, part: str) -> None:
        out(f"\n{part}" if self._printed else part)
        sys.stdout.flush()
        self._printed += 1


def _parts(answer: Answer) -> Iterator[str]:
    from citeloom.infrastructure.serialisation.answers import (
        absent,
        messages_of,
        refusal,
        refuses_alone,
        unknown_words,
    )
    from citeloom.infrastructure.serialisation.text import one_line

    if answer.sentences:
        yield from _begun(answer)
    else:
        yield one_line(answer.reply)
        if answer.from_references or refuses_alone(answer):
            return
        yield refusal(answer)
        yield from _nearest(answer)
    if answer.unverified:
        written = len(answer.sentences) + len(answer.unverified)
        yield messages_of(answer).left_out.format(count=len(answer.unverified), written=written)
    yield unknown_words(answer)
    yield absent(answer) if refusal(answer) else ""


def _begun(answer: Answer) -> Iterator[str]:
    """The parts of an answer up to its last sentence: more sentences only add to them."""
    from citeloom.infrastructure.serialisation.answers import refusal
    from citeloom.infrastructure.serialisation.text import one_line

    if not answer.wording.prefix:
        yield "\n".join(map(one_line, answer.from_references))
    yield refusal(answer)
    yield from _sentences(answer)


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
    from citeloom.infrastructure.serialisation.answers import (
        by_author,
        shown_sentence,
        whose_words,
    )
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
            text = shown_sentence(sentence).replace("[@", "\\[@")
            yield f"{number}. {quoted(text).lstrip()}\n{lines}"


def _beneath(answer: Answer, sentence: Sentence) -> Iterator[str]:
    """The sources of a sentence, below the quotes that it was written from if it was, and what a
    model said of it.
    """
    from citeloom.infrastructure.interfaces.cli.passages import quoted
    from citeloom.infrastructure.serialisation.answers import judged, written_from

    for citation in sentence.citations:
        if not sentence.verified:
            yield quoted(written_from(citation, answer))
        yield f"   {source_text(citation, answer)}"
    if said := judged(sentence, answer):
        yield f"   {said}"


def _numbered_sources(answer: Answer) -> str:
    """The sources of a text, below the words of each that a model wrote it from if one did."""
    from citeloom.infrastructure.serialisation.answers import judged, whose_words, written_from

    lines = []
    written = [one for one in answer.sentences if not one.verified]
    if written:
        lines.append(whose_words(answer, written[0].kind))
    sources = {citation for sentence in written for citation in sentence.citations}
    for number, one in enumerate(answer.citations, start=1):
        if one in sources:
            lines.append(f"[{number}] {written_from(one, answer)}")
            lines.append(f"    {source_text(one, answer)}")
        else:
            lines.append(f"[{number}] {source_text(one, answer)}")
    lines += dict.fromkeys(filter(None, (judged(sentence, answer) for sentence in written)))
    return "\n".join(lines)


def _nearest(answer: Answer) -> Iterator[str]:
    from citeloom.domain.answers.answer import Citation
    from citeloom.infrastructure.serialisation.answers import messages_of

    nearest = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:3]
    ]
    if nearest:
        listed = (f"   {source_text(one, answer)}" for one in nearest)
        yield "\n".join((messages_of(answer).nearest, *listed))


def source_text(citation: Citation, answer: Answer) -> str:
    """The place of a citation, the project's label for it and its work, on one line."""
    from citeloom.infrastructure.interfaces.cli.console import painter
    from citeloom.infrastructure.serialisation.answers import without_reference
    from citeloom.infrastructure.serialisation.passages import headline
    from citeloom.infrastructure.serialisation.text import one_line

    stored, label = citation.stored, answer.label_of(citation)
    work = one_line(headline(stored, without_reference(answer)))
    place = citation.cited or f"{stored.source_path}, {citation.locator}"
    doubts = f" ({stored.doubts})" if stored.doubts else ""
    labelled = f"  {one_line(label)}" if label else ""
    return f"{painter(sys.stdout)(one_line(place), 'bold')}{doubts}{labelled}  {work}"
