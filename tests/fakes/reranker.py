"""A reranker that needs no model: the words that question and text share."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from citeloom.application.ports.embedders import Reranker
from citeloom.domain.errors import CiteloomError

_WORD = re.compile(r"\w+")


class SharedWords(Reranker):
    """Scores a text by the share of the question's words that it has.

    It raises `error` if it is given one, and takes `delay` seconds, however many there are. `asked`
    are the questions with their texts.
    """

    model_id = "fake/shared-words"

    def __init__(
        self,
        *,
        error: CiteloomError | None = None,
        destination: str | None = None,
        delay: float = 0.0,
    ) -> None:
        self._error = error
        self.destination = destination
        self._delay = delay
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def score(self, question: str, texts: Sequence[str], seconds: float) -> list[float]:
        self.asked.append((question, tuple(texts)))
        time.sleep(self._delay)
        if self._error is not None:
            raise self._error
        wanted = _words(question)
        return [len(wanted & _words(text)) / max(len(wanted), 1) for text in texts]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
