"""`citeloom ask` and `calibrate`, and answers as a terminal shows them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import typer

from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.answer import Answer, Citation, Sentence
from citeloom.infrastructure.answers.ask import AskAnswer
from citeloom.infrastructure.answers.ask_text import (
    absent,
    answer_markdown,
    by_author,
    messages_of,
    refusal,
    refuses_alone,
    remark,
    sent,
    shown_sentence,
    unknown_words,
    whose_words,
    without_reference,
    written_from,
)
from citeloom.infrastructure.answers.headlines import doubts_on, headline
from citeloom.infrastructure.answers.json import shaped_answer
from citeloom.infrastructure.answers.markdown import listing
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.answers.text import one_line
from citeloom.infrastructure.interfaces.cli.console import note, out, out_json, painter
from citeloom.infrastructure.interfaces.cli.context import opened, shape_of
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    JsonOption,
    OutputFormat,
    ProjectOption,
    QuestionArgument,
    question_of,
)
from citeloom.infrastructure.interfaces.cli.passages import quoted

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Calibration


class AnswerFormat(OutputFormat):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


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
        self._answer = answer
        if answer.question != self._question:
            self._print(f"Asked: {one_line(answer.question)}")

    def shown(self, sentence: Sentence) -> None:
        assert self._answer is not None
        self._answer = replace(self._answer, sentences=(*self._answer.sentences, sentence))
        if not self._answer.wording.prefix:
            self._print_new(_begun(self._answer))

    def end(self, answer: Answer) -> None:
        self._print_new(answer_parts(answer))

    def _print_new(self, parts: Iterator[str]) -> None:
        for part in islice(filter(None, parts), self._parts, None):
            self._print(part)
            self._parts += 1

    def _print(self, part: str) -> None:
        out(f"\n{part}" if self._printed else part)
        sys.stdout.flush()
        self._printed += 1


def answer_parts(answer: Answer) -> Iterator[str]:
    """The verdict, the sentences with their sources, and what is missing; some may be empty."""
    if answer.sentences:
        yield from _begun(answer)
    else:
        yield one_line(answer.reply)
        if answer.from_references or refuses_alone(answer):
            return
        yield refusal(answer)
        nearest = [
            Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
            for passage in answer.passages[:3]
        ]
        if nearest:
            listed = (f"   {source_text(citation, answer)}" for citation in nearest)
            yield "\n".join((messages_of(answer).nearest, *listed))
    if answer.unverified:
        written = len(answer.sentences) + len(answer.unverified)
        yield messages_of(answer).left_out.format(count=len(answer.unverified), written=written)
    yield unknown_words(answer)
    yield absent(answer) if refusal(answer) else ""


def _begun(answer: Answer) -> Iterator[str]:
    """The parts of an answer up to its last sentence: more sentences only add to them."""
    if not answer.wording.prefix:
        yield "\n".join(map(one_line, answer.from_references))
    yield refusal(answer)
    yield from _sentences(answer)


def reasons_apart(answer: Answer) -> Iterator[str]:
    """What is said of an answer on stderr, since its refusal stands alone on stdout."""
    if refuses_alone(answer):
        yield from filter(None, (refusal(answer), unknown_words(answer)))


def _sentences(answer: Answer) -> Iterator[str]:
    """Each sentence above its sources; where the project has a prefix, one text above them all."""
    if answer.wording.prefix:
        yield one_line(answer.reply)
        yield _numbered_sources(answer)
        return
    number = 0
    for kind, sentences in by_author(answer):
        yield whose_words(answer, kind)
        for sentence in sentences:
            number += 1
            if sentence.is_code:
                block = textwrap.indent(listing(sentence.text), "   ").lstrip()
            else:
                block = quoted(shown_sentence(sentence).replace("[@", "\\[@")).lstrip()
            lines = [f"{number}. {block}"]
            for citation in sentence.citations:
                if not sentence.verified:
                    lines.append(quoted(written_from(citation, answer)))
                lines.append(f"   {source_text(citation, answer)}")
            if remark_text := remark(sentence, answer):
                lines.append(f"   {remark_text}")
            yield "\n".join(lines)


def _numbered_sources(answer: Answer) -> str:
    """The sources of a text, below the words of each that a model wrote it from if one did."""
    lines = []
    written = [sentence for sentence in answer.sentences if not sentence.verified]
    if written:
        lines.append(whose_words(answer, written[0].kind))
    sources = {citation for sentence in written for citation in sentence.citations}
    for number, citation in enumerate(answer.citations, start=1):
        source = source_text(citation, answer)
        if citation in sources:
            lines += [f"[{number}] {written_from(citation, answer)}", f"    {source}"]
        else:
            lines.append(f"[{number}] {source}")
    lines += dict.fromkeys(filter(None, (remark(sentence, answer) for sentence in written)))
    return "\n".join(lines)


def source_text(citation: Citation, answer: Answer) -> str:
    """The place of a citation, the project's label for it and its work, on one line."""
    stored, label = citation.stored, answer.label_of(citation)
    work = one_line(headline(stored, without_reference(answer)))
    place = citation.citation or f"{stored.source_path}, {citation.locator}"
    labelled = f"  {one_line(label)}" if label else ""
    return f"{painter(sys.stdout)(one_line(place), 'bold')}{doubts_on(stored)}{labelled}  {work}"


# `citeloom ask`.


def ask(
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    options: Given[AskRequest],
    output: AnswerFormat,
    shape: AsOption = None,
) -> None:
    """Answer a question with sentences cited to the page, or say that it cannot be answered.

    Example: citeloom ask "How are grades computed?" --project citeloom/clean-arch
    """
    question = question_of(text)
    with opened(context, project) as library:
        chosen_shape = shape_of(library, shape)
        stream = AnswerStream(question)
        is_text = output is AnswerFormat.TEXT and chosen_shape is None
        streams = is_text and not options.get("quote_first")
        answer = library.ask(question, events=stream if streams else None, **options)
        base_dir = library.info.base_dir
    if chosen_shape is not None:
        out_json(shaped_answer(chosen_shape, AskAnswer.of(answer), Door(base_dir=base_dir)))
    elif output is AnswerFormat.JSON:
        out_json(AskAnswer.of(answer), base_dir)
    elif output is AnswerFormat.MARKDOWN:
        out(answer_markdown(answer, base_dir))
    else:
        stream.end(answer)
    is_json = output is AnswerFormat.JSON or chosen_shape is not None
    for remark_text in (*sent(answer), *(() if is_json else reasons_apart(answer)), *answer.notes):
        note(remark_text)


# `citeloom calibrate`.


def calibrate(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Calibrate the relevance thresholds and report their error rates.

    Example: citeloom calibrate --project citeloom/clean-arch
    """
    from citeloom.infrastructure.answers.evaluations import CalibrationAnswer
    from citeloom.infrastructure.interfaces.cli.progress_display import progress_bar

    with opened(context, project) as library:
        calibration = library.calibrate(progress=progress_bar())
    if as_json:
        out_json(CalibrationAnswer.of(calibration))
    else:
        out(_calibration_text(calibration))


_QUESTIONS = {
    "unrelated": "questions of other fields",
    "absent": "its own, with their document left out",
    "present": "made from the library's sentences",
    "short": "short: What is NAME?",
}


def _calibration_text(calibration: Calibration) -> str:
    from citeloom.infrastructure.interfaces.cli.eval_tables import grid, rate

    limits = calibration.thresholds
    rows = [
        [_QUESTIONS.get(kind, kind), *map(rate, (those.nothing, those.related, those.answered))]
        for kind, those in calibration.verdicts.items()
    ]
    lines = [
        f"{calibration.collection}: {calibration.chunks:,} chunks, {calibration.model}",
        f"related from evidence {limits.related:.4f}, answered from {limits.answered:.4f} with at "
        f"most {limits.unknown_share:.0%} of the weight on words not found in the library",
        "evidence: similarity of the nearest passage + 0.5 x coverage of the question's words, "
        "for answered by one passage, and "
        f"{limits.work_weight:g} x the share of the passages that are of its work",
        "how often each verdict was given, on questions not used to set the thresholds:",
        grid(["questions", "nothing", "related", "answered"], rows),
    ]
    if calibration.related_fields:
        fields = ", ".join(calibration.related_fields)
        lines.append(f"fields left out, since the library seems to cover them: {fields}")
    return "\n".join(lines)
