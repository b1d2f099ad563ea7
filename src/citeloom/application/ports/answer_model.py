"""A language model that writes answers from passages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from citeloom.application.cancellation import Cancellation
from citeloom.domain.answers.usage import TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is given: instructions, the question with its passages, and the JSON schema of
    the reply.
    """

    system: str
    user: str
    schema: Mapping[str, object]


class Reply(Iterator[str]):
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

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @property
    @abstractmethod
    def destination(self) -> str | None:
        """Where prompts are sent, as a user would name it; None if they stay in this process."""
        ...

    @abstractmethod
    def stream(self, prompt: Prompt, cancellation: Cancellation | None = None) -> Reply:
        """The reply, piece by piece as it is written."""
        ...
