"""Language models: one writes answers from passages, another judges entailment."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.domain.answers.answer import Entailment, TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrompt:
    """What a model is given: instructions, the question with its passages, and the JSON schema of
    the reply.
    """

    system: str
    user: str
    schema: Mapping[str, object]


class ModelReply(Iterator[str]):
    """A reply, piece by piece as it is written.

    `usage` is what the model says it cost, known from the moment it says so. `close` ends the
    request.
    """

    def __init__(self, pieces: Generator[str | TokenUsage, None, None]) -> None:
        self._pieces = pieces
        self.usage: TokenUsage | None = None

    def __next__(self) -> str:
        for piece in self._pieces:
            if isinstance(piece, str):
                return piece
            self.usage = piece
        raise StopIteration

    def close(self) -> None:
        """Read no more of it."""
        self._pieces.close()


class AnswerModel(Protocol):
    """Writes a reply to a prompt. What it writes is a claim: nothing of it is trusted.

    Guarantees: the pieces joined are the whole reply; closing it ends the request, and so does a
    cancellation while another thread waits for a piece; a second reply does not depend on an
    earlier one. Raises `ModelUnavailable` if the model cannot be
    reached, `PromptTooLong` before the first piece if the prompt exceeds what it reads, and
    `IncompleteReply` behind the last piece if the reply was cut off; one that was cancelled may end
    with any of them.
    """

    model_id: str
    """The model's public name."""

    destination: str | None
    """Where prompts are sent, as a user would name it; None if they stay in this process."""

    @abstractmethod
    def stream(self, prompt: ModelPrompt, cancellation: Cancellation | None = None) -> ModelReply:
        """The reply, piece by piece as it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentJudgement:
    """What a model says of a sentence, and what that cost where it counts tokens."""

    entailment: Entailment
    usage: TokenUsage | None = None


class EntailmentModel(Protocol):
    """Judges whether a sentence follows from quotes.

    Guarantees: a judgement depends on the sentence and its quotes alone; nothing is downloaded. A
    pair longer than the model reads is `UNCLEAR`. Raises `ModelUnavailable` if the model cannot be
    used or is not done in time, `InvalidReply` for a reply that is no judgement, and
    `IncompleteReply` for one that is cut off or cancelled.
    """

    model_id: str
    """The model's public name."""

    destination: str | None
    """Where sentences and quotes are sent; None if they stay in this process."""

    @abstractmethod
    def judge(
        self, sentence: str, quotes: Sequence[str], cancellation: Cancellation | None = None
    ) -> EntailmentJudgement:
        """Whether the quotes, read as one text, entail the sentence."""
