"""What is told of an answer while it is made."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.answers.answer import Answer, Sentence


class AnswerEvents(Protocol):
    """Is told of an answer as it comes about, in the thread that makes it."""

    @abstractmethod
    def found(self, answer: Answer) -> None:
        """The answer before it has a sentence: what it is made from, and whether it can be."""
        ...

    @abstractmethod
    def shown(self, sentence: Sentence) -> None:
        """The next sentence of the answer, once it is checked."""
        ...


class NoEvents(AnswerEvents):
    """Is told in vain."""

    def found(self, answer: Answer) -> None: ...

    def shown(self, sentence: Sentence) -> None: ...
