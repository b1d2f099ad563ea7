"""A language model that writes answers from passages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is given: instructions, the question with its passages, and the JSON schema of
    the reply.
    """

    system: str
    user: str
    schema: Mapping[str, object]


class AnswerModel(Protocol):
    """Writes a reply to a prompt. What it writes is a claim: nothing of it is trusted.

    Guarantees: the pieces joined are the whole reply; closing the iterator ends the request; a
    second reply does not depend on an earlier one. Raises `ModelUnavailable` if the model cannot be
    reached, `PromptTooLong` before the first piece if the prompt exceeds what it reads, and
    `IncompleteReply` behind the last piece if the reply was cut off.
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
    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply, piece by piece as it is written."""
        ...
