"""Models that judge whether quotes entail a sentence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.application.cancellation import Cancellation
from citeloom.domain.answers.answer import Entailment
from citeloom.domain.answers.usage import TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
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

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @property
    @abstractmethod
    def destination(self) -> str | None:
        """Where sentences and quotes are sent; None if they stay in this process."""
        ...

    @abstractmethod
    def judge(
        self, sentence: str, quotes: Sequence[str], cancellation: Cancellation | None = None
    ) -> Judgement:
        """Whether the quotes, read as one text, entail the sentence."""
        ...
