"""What is told of an answer while it is made."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from citeloom.domain.answers.answer import Sentence
from citeloom.domain.answers.relevance import Relevance
from citeloom.domain.passage import Passage


class AnswerEvents(Protocol):
    """Is told of an answer as it comes about, in the thread that makes it."""

    @abstractmethod
    def found(self, relevance: Relevance, passages: Sequence[Passage]) -> None:
        """What the answer is made from, and whether it can be."""
        ...

    @abstractmethod
    def shown(self, sentence: Sentence) -> None:
        """The next sentence of the answer, once it is checked."""
        ...


class NoEvents(AnswerEvents):
    """Is told in vain."""

    def found(self, relevance: Relevance, passages: Sequence[Passage]) -> None: ...

    def shown(self, sentence: Sentence) -> None: ...
