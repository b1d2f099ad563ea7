"""How well the works found fit a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from citeloom.application.retrieval.candidates import Candidates
from citeloom.application.retrieval.question_words import (
    WeighedWords,
    terms_of_work,
    wording_by_letters,
)
from citeloom.domain.fit import Fit, Wording, fit_of
from citeloom.domain.passage import Hit, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFits:
    """Judges each work by all of its passages that were found.

    `words` gives the question's words as they stand in the library; without it they are compared by
    their letters.
    """

    words: Callable[[], WeighedWords] | None

    def __call__(self, found: Candidates) -> dict[str, Fit]:
        """The fit of each work by its doc_id; none where the question is a quotation."""
        if found.settled:
            return {}
        works = {hit.stored.chunk.doc_id: hit.stored for hit in reversed(found.hits)}
        return {
            doc_id: fit_of(self._wording(found, doc_id), _name(stored))
            for doc_id, stored in works.items()
        }

    def _wording(self, found: Candidates, doc_id: str) -> Wording:
        hits = _of_work(found.pool or found.hits, doc_id)
        if self.words is None:
            return wording_by_letters(found.text, [hit.stored.chunk.text for hit in hits])
        words = self.words()
        return words.wording(terms_of_work(hits, words.term_weights))


def _of_work(hits: Sequence[Hit], doc_id: str) -> list[Hit]:
    return [hit for hit in hits if hit.stored.chunk.doc_id == doc_id]


def _name(stored: StoredChunk) -> str:
    """The citekey of a chunk's work, else its file's name."""
    if stored.citation is not None:
        return f"@{stored.citation.citekey}"
    return PurePath(stored.source_path).name
