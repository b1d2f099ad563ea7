"""The question that a request becomes: its words as the collection weighs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from citeloom.application.retrieval.terms import (
    LanguageCache,
    Languages,
    QuestionTerms,
    embed_texts,
    further_languages,
    language_of_stored,
)
from citeloom.domain.documents.language import DEFAULT_LANGUAGE
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.coverage import NO_WORDS, WeighedWords
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector, StoredChunk
from citeloom.domain.retrieval.rare_words import FEW, RARE_WEIGHT
from citeloom.domain.retrieval.sparse import in_document_context_field, inverse_document_frequency
from citeloom.domain.retrieval.words import (
    asked_measures,
    names_of,
    parts_of_signed,
    without_signs,
    words_looked_up,
)
from citeloom.domain.text.tokens import UNSEGMENTED

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.embedders import SparseEmbedder
    from citeloom.application.requests.passages import QueryRequest
    from citeloom.application.retrieval.search import Search


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedQuestion:
    """A request as a query for the store; with its terms, and its words as the collection weighs
    them, where that has sparse vectors. `lookups` are the searches that tell the words' weights and
    whether the collection holds further languages.
    """

    request: QueryRequest
    query: IndexQuery
    search: Search
    terms: QuestionTerms | None = None
    words: Callable[[], WeighedWords] = lambda: NO_WORDS
    lookups: tuple[IndexQuery, ...] = ()

    def in_languages(
        self,
        languages: tuple[str, ...],
        sparse: SparseEmbedder,
        weights: WordWeightCache,
        everything: Selection,
    ) -> AnalysedQuestion:
        """The question with the terms of these languages, its words weighed by `everything`."""
        text, query = self.request.text, self.query
        terms = QuestionTerms(sparse=sparse, languages=languages)
        if query.mode is not Mode.DENSE:
            query = replace(query, sparse=in_document_context_field(terms.vector(text)))
        words = QuestionWords(search=self.search, terms=terms, known=weights)
        further = further_languages(self.search.collection, languages)
        return replace(
            self,
            query=query,
            terms=terms,
            words=cache(partial(words, text, everything)),
            lookups=(*words.lookups(text, everything), further),
        )

    @property
    def languages(self) -> frozenset[str]:
        """The languages that the collection holds; none without sparse vectors."""
        return frozenset((DEFAULT_LANGUAGE, *self.terms.languages)) if self.terms else frozenset()

    @property
    def required(self) -> SparseVector | None:
        """The terms of the words that a passage must have."""
        words = tuple(self.request.words)
        return self.terms.terms_of(words) if self.terms and words else None


# The words of a question as a collection weighs them.

_QUESTIONS = 1_000
"""For how many questions weights are kept."""
_PART = re.compile(rf"[{UNSEGMENTED}]+|[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTerms:
    """The terms of a word in each language, and its weight in a collection, the least of them; None
    where no chunk has any. A `rare` word is in few chunks; the term of a `signed` word is that of
    the word with its signs.
    """

    forms: tuple[SparseVector, ...]
    weight: float | None
    rare: bool = False
    signed: bool = False


class WordWeightCache:
    """The weights of words in the collection that was asked last, kept for 1,000 questions.

    A word that no chunk has is not kept: the next document may have it.
    """

    def __init__(self) -> None:
        self._known: dict[str, WordTerms] = {}
        self._collection: Hashable = None
        self._questions = 0
        self.chunks: int | None = None
        """How many chunks there are, once they have been counted."""

    def current(self, collection: Hashable) -> Mapping[str, WordTerms]:
        """The weights known in a collection, to be read."""
        return self._known if collection == self._collection else {}

    def at(self, collection: Hashable) -> dict[str, WordTerms]:
        """The weights known in a collection, to be added to; those of any other are forgotten."""
        self._questions += 1
        if collection != self._collection or self._questions > _QUESTIONS:
            self._collection, self._known, self._questions = collection, {}, 0
            self.chunks = None
        return self._known


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
        # without the parts of a word with signs, if the library has that, or else without the signs
        signed = (word for word, term in known.items() if term.signed)
        parts = {part for word in signed for part in parts_of_signed(word)}
        known = {
            word if term.signed else without_signs(word): term
            for word, term in known.items()
            if word not in parts
        }
        forms = {word: term.forms for word, term in known.items() if term.forms}
        weights = {word: known[word].weight for word in forms}
        rarest = 0.0
        if None in weights.values():
            if self.known.chunks is None:
                name = self.search.collection.name
                self.known.chunks = self.search.reader.count(name, selection)
            rarest = inverse_document_frequency(self.known.chunks, 0)
        measures = asked_measures(question)
        return WeighedWords(
            forms=forms,
            weights={
                word: weight
                if weight is not None
                else 0.0  # a passage that has the measure need not name it
                if word.casefold() in measures
                else rarest
                for word, weight in weights.items()
            },
            unknown=frozenset(word for word, weight in weights.items() if weight is None),
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
        few = any(
            self._few_match(self.terms.forms(part, languages), selection) for part in _parts(plain)
        )
        return WordTerms(forms=forms, weight=weight, rare=few and (weight or 0.0) >= RARE_WEIGHT)

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
        weights = hits[0].sparse.weights if hits[0].sparse else {}
        weight = sum(weights.get(i, 0.0) * v for i, v in zip(vector.indices, vector.values))
        return hits[0].score / weight if weight else None


def question_words(project: OpenProject, search: Search) -> QuestionWords | None:
    """What looks up the words of questions; None without a sparse model."""
    if project.sparse is None or not search.collection.hybrid:
        return None
    languages = project.kept(LanguageCache)(search)
    terms = QuestionTerms(sparse=project.sparse, languages=languages)
    return QuestionWords(search=search, terms=terms, known=project.kept(WordWeightCache))


def _lookup(vector: SparseVector, selection: Selection) -> IndexQuery:
    """The search for the best matches of a word: one more than a rare word has."""
    return IndexQuery(
        selection=selection, mode=Mode.SPARSE, limit=FEW + 1, sparse=vector, with_vectors=True
    )


def _parts(word: str) -> list[str]:
    """The parts of a word that are joined by hyphens, slashes or dots; numbers only if alone."""
    parts = _PART.findall(word)
    return [part for part in parts if not part.isnumeric()] or parts


def vectors_of_chunks(chunks: Sequence[StoredChunk], terms: QuestionTerms) -> list[SparseVector]:
    """The sparse vectors of the chunks' texts, in the languages of a question's terms."""
    available = frozenset(terms.languages)
    languages = [language_of_stored(stored, available) for stored in chunks]
    return embed_texts(terms.sparse, [stored.chunk.text for stored in chunks], languages)
