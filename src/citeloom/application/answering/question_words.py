"""How the words of a question stand in a collection and in the passages found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.application.retrieval.search import Search
from citeloom.domain.answers.relevance import Wording
from citeloom.domain.answers.support import content_words
from citeloom.domain.passage import IndexQuery, Selection, SparseVector
from citeloom.domain.policies import Mode
from citeloom.domain.term_weights import inverse_document_frequency

_WORD = re.compile(r"[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")
_MOST_WORDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Looks the words of questions up, by the collection's sparse terms where it has any."""

    search: Search
    sparse: SparseEmbedder | None

    def __call__(self, question: str, selection: Selection, passages: Sequence[str]) -> Wording:
        """The wording of a question, as it stands in the selection and in the passages."""
        words = list(dict.fromkeys(_WORD.findall(question)))[:_MOST_WORDS]
        names = frozenset(_names(question, words))
        if self.sparse is None:
            return _by_letters(words, names, passages)
        terms = _terms(words, self.sparse)
        held = _held(passages, self.sparse)
        known = {word: self._frequency(vector, selection) for word, vector in terms.items()}
        rarest = self._rarest(selection)
        return Wording(
            weights={word: known[word] or rarest for word in terms},
            unknown=frozenset(word for word in terms if known[word] is None),
            missing=frozenset(word for word in terms if not held.issuperset(terms[word].indices)),
            names=names.intersection(terms),
        )

    def _frequency(self, vector: SparseVector, selection: Selection) -> float | None:
        """The inverse document frequency of a word, None where no chunk has it.

        It is read off the score of the best hit: the weight in the chunk times that of the query.
        """
        query = IndexQuery(
            selection=selection, mode=Mode.SPARSE, limit=1, sparse=vector, with_vectors=True
        )
        hits = [hit for hit in self.search(query) if hit.sparse is not None and hit.score > 0]
        if not hits:
            return None
        own = hits[0].sparse or SparseVector(indices=(), values=())
        weights = dict(zip(own.indices, own.values))
        weight = sum(weights.get(i, 0.0) * v for i, v in zip(vector.indices, vector.values))
        return hits[0].score / weight if weight else None

    def _rarest(self, selection: Selection) -> float:
        """The weight of a word that no chunk has."""
        count = self.search.reader.count(self.search.collection.name, selection)
        return inverse_document_frequency(count, 0)


def _terms(words: Iterable[str], sparse: SparseEmbedder) -> dict[str, SparseVector]:
    """The terms of each word that carries content."""
    terms = ((word, sparse.embed_query(word)) for word in words)
    return {word: vector for word, vector in terms if vector.indices}


def _held(passages: Sequence[str], sparse: SparseEmbedder) -> set[int]:
    """The terms that any of the passages has."""
    return {index for v in sparse.embed_passages(list(passages)) for index in v.indices}


def _by_letters(words: Iterable[str], names: frozenset[str], passages: Sequence[str]) -> Wording:
    """The wording without sparse terms: all content words alike, and none known to be unknown."""
    told = [word for word in words if content_words(word) or word in names]
    held = "\n".join(passages).casefold()
    weights: Mapping[str, float] = dict.fromkeys(told, 1.0)
    missing = frozenset(word for word in told if word.casefold() not in held)
    return Wording(weights=weights, missing=missing, names=names.intersection(weights))


def _names(question: str, words: Iterable[str]) -> Iterable[str]:
    """The words that name something: with a capital behind the first word, or with a digit."""
    first = next(iter(_WORD.findall(question)), "")
    for word in words:
        capital = any(char.isupper() for char in (word[1:] if word == first else word))
        if capital or any(char.isdigit() for char in word):
            yield word
