"""The rule about the language of a question: works in it come before others with the same words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from citeloom.domain.retrieval.candidates import Candidates, StageName, with_others
from citeloom.domain.retrieval.coverage import WeighedWords
from citeloom.domain.retrieval.passage import Hit, StoredChunk
from citeloom.domain.retrieval.words import PASSAGES_READ, clear_question_language

_LEADERS = 2
"""How many passages in the question's language come before one in another: a work that exists only
in another language is still among the first.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLanguage:
    """Puts passages in the language of the question before one in another that has no more of its
    words; quotations stay first.

    Stems do not say their language: of *pests* and of French *peste* they are the same (ADR 64).
    Among the first six, the first passage in another language that has any words of the question
    gives way to up to two in the question's own that have these words, too. `language` is that of a
    chunk, None where it is not clear.
    """

    words: Callable[[], WeighedWords]
    language: Callable[[StoredChunk], str | None]
    name: ClassVar[StageName] = StageName.LANGUAGE

    def __call__(self, candidates: Candidates) -> Candidates:
        own = clear_question_language(candidates.text)
        if own is None:
            return replace(candidates, detail="the question's language is not clear")
        first, rest = candidates.quoted_and_rest()
        place, leaders = self._leaders(own, rest, candidates.further)
        if not leaders:
            return replace(candidates, detail="the order stays")
        hits = (*first, *with_others([*rest[:place], *leaders], rest))
        count = len(leaders)
        return replace(
            candidates,
            hits=hits,
            pool=hits,
            detail=f"{count} in the question's language ({own}) before one in another",
        )

    def _leaders(
        self, own: str, hits: Sequence[Hit], further: Sequence[Hit]
    ) -> tuple[int, list[Hit]]:
        """The place of the first hit that gives way, and those that it gives way to."""
        compared = with_others(hits, further)
        for place, hit in enumerate(hits[:PASSAGES_READ]):
            has = self._words_of(hit)
            if not has or self.language(hit.stored) in (None, own):
                continue
            leaders = [
                other
                for other in compared[place + 1 :]
                if has <= self._words_of(other) and self.language(other.stored) == own
            ]
            if leaders:
                return place, leaders[:_LEADERS]
        return 0, []

    def _words_of(self, hit: Hit) -> frozenset[str]:
        """The words of the question that a hit has in its own text, in any form."""
        words = self.words()
        terms = words.own_terms(hit)
        return frozenset(word for word in words.forms if words.has(terms, word))
