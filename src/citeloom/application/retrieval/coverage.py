"""Coverage of the question's words by the library and by each work found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from citeloom.application.retrieval.search import (
    Languages,
    QuestionTerms,
    Search,
    WordTerms,
    WordWeightCache,
    embed_texts,
    language_of_stored,
)
from citeloom.domain.documents.text import UNSEGMENTED, content_words
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.feedback import matched_terms
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, SparseVector, StoredChunk
from citeloom.domain.retrieval.ranking import inverse_document_frequency
from citeloom.domain.retrieval.words import (
    WordCoverage,
    content_words_of,
    names_of,
    parts_of_signed,
    without_signs,
    words_looked_up,
)

_PART = re.compile(rf"[{UNSEGMENTED}]+|[^\W_]+")


FEW = 3
"""A word is rare that no more chunks have, and of a small library no more than one in twenty."""


RARE_WEIGHT = 3.0
"""About the weight of a word that one chunk in twenty has: ln(20)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedWords:
    """The content words of a question, weighed by a collection.

    `forms` are the sparse terms of each word in each language held, `weights` the inverse document
    frequency, `unknown` the words that no chunk has, `rare` those that few chunks have, `names`
    those that name something.
    """

    forms: Mapping[str, tuple[SparseVector, ...]]
    weights: Mapping[str, float]
    unknown: frozenset[str]
    names: frozenset[str]
    rare: frozenset[str] = frozenset()

    @property
    def term_weights(self) -> dict[int, float]:
        """The weight of each term."""
        return {
            index: self.weights[word]
            for word, forms in self.forms.items()
            for vector in forms
            for index in vector.indices
        }

    def has(self, indices: AbstractSet[int], word: str) -> bool:
        """Whether the terms `indices` are those of the word in any language."""
        return any(indices >= set(vector.indices) for vector in self.forms[word])

    def wording(self, indices: AbstractSet[int]) -> WordCoverage:
        """How the words stand in passages that have the terms `indices`."""
        missing = (word for word in self.forms if not self.has(indices, word))
        return WordCoverage(
            weights=self.weights,
            unknown=self.unknown,
            missing=frozenset(missing),
            names=self.names,
        )

    def coverage_of(self, hits: Sequence[Hit]) -> float:
        """The share of the words' weight that the hits, which need their vectors, have together."""
        indices: set[int] = set()
        for hit in hits:
            if hit.sparse is not None:
                indices.update(matched_terms(hit.sparse, self.term_weights).own)
        return self.wording(indices).coverage

    def own_terms(self, hit: Hit) -> frozenset[int]:
        """The words' terms that a hit, which needs its vectors, has in its own text."""
        if hit.sparse is None:
            return frozenset()
        return frozenset(matched_terms(hit.sparse, self.term_weights).own)

    def match(self, hit: Hit) -> float:
        """The score of a hit by the words' terms in its own text."""
        weights = self.term_weights
        own = matched_terms(hit.sparse, weights).own if hit.sparse is not None else {}
        return sum(weights[index] * value for index, value in own.items())


NO_WORDS = WeighedWords(forms={}, weights={}, unknown=frozenset(), names=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Looks the words of questions up by the collection's sparse terms, each word once."""

    search: Search
    terms: QuestionTerms
    known: WordWeightCache

    def __call__(self, question: str, selection: Selection) -> WeighedWords:
        """The words of a question as they stand in the selection."""
        words, languages = words_looked_up(question), self.terms.question_languages(question)
        self.search.look_ahead([], self.lookups(question, selection))
        cached = self.known.at((self.search.collection, selection, self.terms.languages, languages))
        known = {
            word: cached.get(word) or self._looked_up(word, languages, selection) for word in words
        }
        cached.update({word: term for word, term in known.items() if term.weight is not None})
        known = _as_known(known)
        forms = {word: term.forms for word, term in known.items() if term.forms}
        found = {word: known[word].weight for word in forms}
        rarest = self._rarest(selection) if None in found.values() else 0.0
        return WeighedWords(
            forms=forms,
            weights={word: rarest if weight is None else weight for word, weight in found.items()},
            unknown=frozenset(word for word in forms if known[word].unknown),
            names=frozenset(names_of(question, forms)),
            rare=frozenset(word for word in forms if known[word].rare),
        )

    def lookups(self, question: str, selection: Selection) -> list[IndexQuery]:
        """The searches for the words of a question that are not known yet."""
        languages = self.terms.question_languages(question)
        state = (self.search.collection, selection, self.terms.languages, languages)
        cached = self.known.current(state)
        new = [word for word in words_looked_up(question) if word not in cached]
        signs = (vector for word in new if (vector := self.terms.signs(word)) is not None)
        plain = (without_signs(word) for word in new)
        parts = (
            part for word in plain if self.terms.forms(word, languages) for part in _parts(word)
        )
        forms = (vector for part in parts for vector in self.terms.forms(part, languages))
        return [_lookup(vector, selection) for vector in (*signs, *forms)]

    def _rarest(self, selection: Selection) -> float:
        """The weight of a word that no chunk has."""
        if self.known.chunks is None:
            self.known.chunks = self.search.reader.count(self.search.collection.name, selection)
        return inverse_document_frequency(self.known.chunks, 0)

    def _looked_up(self, word: str, languages: Languages, selection: Selection) -> WordTerms:
        """A word with the weight of its rarest part; without one if a part is unknown. One with
        signs, such as C++, has a term of its own, if a chunk has that.
        """
        signs = self.terms.signs(word)
        weight = None if signs is None else self._frequency(signs, selection)
        if signs is not None and weight is not None:
            rare = self._few_match((signs,), selection) and weight >= RARE_WEIGHT
            return WordTerms(forms=(signs,), weight=weight, rare=rare, signed=True)
        plain = without_signs(word)
        forms = self.terms.forms(plain, languages)
        weights = (
            [self._weight(part, languages, selection) for part in _parts(plain)] if forms else []
        )
        known = [weight for weight in weights if weight is not None]
        weight = max(known, default=None) if len(known) == len(weights) else None
        few = any(self._few_have(part, languages, selection) for part in _parts(plain))
        return WordTerms(forms=forms, weight=weight, rare=few and (weight or 0.0) >= RARE_WEIGHT)

    def _few_have(self, part: str, languages: Languages, selection: Selection) -> bool:
        """Whether few chunks have a part of a word."""
        return self._few_match(self.terms.forms(part, languages), selection)

    def _few_match(self, forms: Sequence[SparseVector], selection: Selection) -> bool:
        """Whether few chunks match any of the forms, if there are any."""
        holders = {
            match.chunk_id
            for vector in forms
            for match in self.search.match(_lookup(vector, selection))
        }
        return bool(forms) and len(holders) <= FEW

    def _weight(self, part: str, languages: Languages, selection: Selection) -> float | None:
        """The weight of a word or of a part of one, the least of any language; 0 for a part that
        carries nothing, None where no chunk has it.
        """
        forms = self.terms.forms(part, languages)
        weights = [self._frequency(vector, selection) for vector in forms]
        return min(filter(None, weights), default=None) if forms else 0.0

    def _frequency(self, vector: SparseVector, selection: Selection) -> float | None:
        """The inverse document frequency of a form of a word, None where no chunk has it.

        It is read off the score of the best hit: the weight in the chunk times that of the query.
        """
        matches = self.search.match(_lookup(vector, selection))
        hits = [hit for hit in matches if hit.sparse is not None and hit.score > 0]
        if not hits:
            return None
        own = hits[0].sparse or SparseVector(indices=(), values=())
        weights = dict(zip(own.indices, own.values))
        weight = sum(weights.get(i, 0.0) * v for i, v in zip(vector.indices, vector.values))
        return hits[0].score / weight if weight else None


def _lookup(vector: SparseVector, selection: Selection) -> IndexQuery:
    """The search for the best matches of a word: one more than a rare word has."""
    return IndexQuery(
        selection=selection, mode=Mode.SPARSE, limit=FEW + 1, sparse=vector, with_vectors=True
    )


def _parts(word: str) -> list[str]:
    """The parts of a word that are joined by hyphens, slashes or dots; numbers only if alone."""
    parts = _PART.findall(word)
    return [part for part in parts if not part.isnumeric()] or parts


def _as_known(known: Mapping[str, WordTerms]) -> dict[str, WordTerms]:
    """The words as the library knows them: without the parts of a word with signs, if it has that,
    or else without the signs.
    """
    signed = (word for word, term in known.items() if term.signed)
    parts = {part for word in signed for part in parts_of_signed(word)}
    return {
        word if term.signed else without_signs(word): term
        for word, term in known.items()
        if word not in parts
    }


def terms_of_chunks(chunks: Sequence[StoredChunk], terms: QuestionTerms) -> set[int]:
    """The terms that the text of any of the chunks has, in the languages of a question's terms."""
    available = frozenset(terms.languages)
    languages = [language_of_stored(stored, available) for stored in chunks]
    vectors = embed_texts(terms.sparse, [stored.chunk.text for stored in chunks], languages)
    return {index for vector in vectors for index in vector.indices}


def terms_of_work(hits: Iterable[Hit], terms: Collection[int]) -> set[int]:
    """The terms that any of a work's hits has, in its text or in its opening; hits must have their
    vectors.
    """
    present: set[int] = set()
    for hit in hits:
        if hit.sparse is not None:
            matched = matched_terms(hit.sparse, terms)
            present.update(matched.own, matched.opening)
    return present


def wording_by_letters(question: str, texts: Sequence[str]) -> WordCoverage:
    """The wording without sparse terms: all content words alike, and none known to be unknown."""
    words = content_words_of(question)
    names = frozenset(names_of(question, words))
    counted = [word for word in words if content_words(word) or word in names]
    text = "\n".join(texts).casefold()
    weights: Mapping[str, float] = dict.fromkeys(counted, 1.0)
    missing = frozenset(word for word in counted if word.casefold() not in text)
    return WordCoverage(weights=weights, missing=missing, names=names.intersection(weights))
