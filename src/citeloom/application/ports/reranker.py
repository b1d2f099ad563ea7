"""Rerankers, which read a question and passages together."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Judges how well each of some passages answers a question.

    Guarantees: one finite score for each text, in order, the higher the better; a text's score
    depends on the question and the text alone. Nothing is downloaded. Raises `ModelUnavailable` if
    the model cannot be used, or is not done in time.
    """

    @property
    @abstractmethod
    def model_id(self) -> str:
        """The model's public name."""
        ...

    @property
    @abstractmethod
    def destination(self) -> str | None:
        """Where questions and passages are sent; None if they stay in this process."""
        ...

    @abstractmethod
    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        """The scores of the texts, in about `seconds` at most."""
        ...
