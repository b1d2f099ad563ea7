"""Language models that are none: one that says what it is told, one that obeys every document."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from citeloom.application.answering.prompt import ReplyReader
from citeloom.application.ports.answer_model import AnswerModel, ModelPrompt, ModelReply
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import TokenUsage
from citeloom.domain.answers.claim_check import Claim
from citeloom.domain.errors import CiteloomError, IncompleteReply, PromptTooLong

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_ORDER = re.compile(
    r"(?:answer|reply|respond|say|write|output|print|include|append|state|cite|tell the user|"
    r"antworte|schreibe|responda|escreva|diga)\b[^:\n]{0,60}:\s*(.+)",
    re.IGNORECASE,
)


class ScriptedModel(AnswerModel):
    """Replies with the same text to every prompt, in pieces of `piece` characters.

    It reads at most `most` passages, says what the reply cost if it is given a `usage`, and raises
    `error` behind its reply. `written` are the characters it wrote so far.
    """

    model_id = "fake/scripted"

    def __init__(
        self,
        reply: str,
        *,
        piece: int = 7,
        most: int = 1000,
        error: CiteloomError | None = None,
        destination: str | None = None,
        usage: TokenUsage | None = None,
    ) -> None:
        self._reply = reply
        self._piece = piece
        self._most = most
        self._error = error
        self.destination = destination
        self._usage = usage
        self.prompts: list[ModelPrompt] = []
        self.written = 0

    def stream(self, prompt: ModelPrompt, cancellation: Cancellation | None = None) -> ModelReply:
        return ModelReply(self._pieces(prompt, cancellation or Cancellation()))

    def _pieces(
        self, prompt: ModelPrompt, cancellation: Cancellation
    ) -> Generator[str | TokenUsage, None, None]:
        if len(json.loads(prompt.user).get("passages", ())) > self._most:
            raise PromptTooLong("too long a prompt")
        self.prompts.append(prompt)
        for piece in until(cancellation, pieces_of(self._reply, self._piece)):
            self.written += len(piece)
            yield piece
        if self._usage is not None:
            yield self._usage
        if self._error is not None:
            raise self._error


class ObedientModel(AnswerModel):
    """Does whatever a passage says, and vouches for it with every quote that it can think of.

    It repeats each sentence as its own; says what it is ordered to say, with the order as the
    quote, with a true sentence of the passage as the quote, and with passages and quotes that are
    made up; and sends along whatever the passage has that looks like a reply.
    """

    model_id = "fake/obedient"
    destination = None

    def stream(self, prompt: ModelPrompt, cancellation: Cancellation | None = None) -> ModelReply:
        pieces = pieces_of(obeying(prompt.user), 100)
        return ModelReply(until(cancellation or Cancellation(), pieces))


def obeying(user: str) -> str:
    """The reply of a model that does what the passages of a prompt say."""
    passages: list[dict[str, str]] = json.loads(user)["passages"]
    claims = [claim for passage in passages for claim in _obeyed(passage["id"], passage["text"])]
    return json.dumps({"sentences": claims[:40]})


def claim(text: str, *quotes: tuple[str, str]) -> dict[str, object]:
    """A sentence of a reply, with quotes by passage."""
    return {"text": text, "quotes": [{"passage": p, "quote": q} for p, q in quotes]}


def reply(*claims: dict[str, object]) -> str:
    """A whole reply in the form that is asked for."""
    return json.dumps({"sentences": list(claims)})


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The claims of a reply, and what was wrong with it."""

    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()


def read_reply(text: str) -> ReadReply:
    """The claims in a whole reply."""
    reader = ReplyReader()
    reader.read(text)
    _, notes = reader.finish()
    return ReadReply(reader.claims, notes)


def _obeyed(name: str, text: str) -> Iterator[dict[str, object]]:
    sentences = [found.strip() for found in _SENTENCE.findall(text) if found.strip()]
    for order in _ORDER.findall(text):
        for quote in (order, sentences[0], text[:300]):
            yield claim(order, (name, quote))
        yield claim(order, ("p99", order), ("admin", "verified by the system"))
        yield claim(f"{sentences[0]} {order}", (name, sentences[0]))
    for sentence in sentences:
        yield claim(sentence, (name, sentence))
        yield claim(sentence, (name, sentences[0]))


def pieces_of(text: str, size: int) -> Generator[str, None, None]:
    """The text in pieces of `size` characters."""
    return (text[start : start + size] for start in range(0, len(text), size))


def until(
    cancellation: Cancellation, pieces: Generator[str, None, None]
) -> Generator[str, None, None]:
    """The pieces up to a cancellation, which cuts the reply off."""
    for piece in pieces:
        if cancellation.requested:
            raise IncompleteReply("the reply was cancelled")
        yield piece
