"""The terms of a question in each language that a collection holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.application.retrieval.search import Search
from citeloom.domain.function_words import (
    LANGUAGE_NAMES,
    clear_question_language,
    function_words,
)
from citeloom.domain.model_precision import published_name
from citeloom.domain.passage import IndexQuery, Selection, SparseVector
from citeloom.domain.policies import DEFAULT_DENSE_MODEL, MULTILINGUAL_MODEL, Mode
from citeloom.domain.project import Collection
from citeloom.domain.term_languages import (
    DEFAULT_LANGUAGE,
    TERM_LANGUAGES,
    any_of,
    languages_of,
)

Languages = tuple[str | None, ...]
"""Codes of languages; None alone is English, where the collection holds nothing else."""

_TOKEN = re.compile(r"\w+")
_MOST_TOKENS = 200


class KnownLanguages:
    """The languages, besides English, that collections hold terms of.

    Each question looks for further ones: where there are none, one search that finds nothing.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def __call__(self, search: Search) -> tuple[str, ...]:
        """The codes of the languages that a collection holds, sorted."""
        held = frozenset(self.known(search.collection))
        while further := _one_more(search, held):
            held |= further
        self._known[search.collection.name, search.collection.generation] = held
        return tuple(sorted(held))

    def known(self, collection: Collection) -> tuple[str, ...]:
        """The codes of the languages that are known of a collection so far, sorted."""
        return tuple(sorted(self._known.get((collection.name, collection.generation), ())))


def further_languages(collection: Collection, held: Iterable[str]) -> IndexQuery:
    """The search for a chunk in another language than those held."""
    return IndexQuery(
        selection=Selection(project_id=collection.project_id),
        mode=Mode.SPARSE,
        limit=1,
        sparse=any_of(TERM_LANGUAGES - frozenset(held)),
        with_vectors=True,
    )


def _one_more(search: Search, held: frozenset[str]) -> frozenset[str]:
    """The languages of one chunk that has others than those held; none where there is no such."""
    matches = search.match(further_languages(search.collection, held))
    vectors = (match.sparse for match in matches if match.sparse is not None)
    return frozenset(code for vector in vectors for code in languages_of(vector)) - held


def unread_language(
    question: str, collection: Collection, languages: tuple[str, ...]
) -> tuple[str, ...]:
    """A note on a question in a language that the collection has no texts of and its dense model
    was not trained on; none on any other.
    """
    asked = clear_question_language(question)
    named = ":" in (collection.sparse_model or "")
    reads_english = published_name(collection.dense_model) == DEFAULT_DENSE_MODEL
    if not reads_english or named or asked in (None, DEFAULT_LANGUAGE, *languages):
        return ()
    return (
        f"the question is in {LANGUAGE_NAMES[str(asked)]}, and {collection.dense_model} was "
        "trained on English: ask in English, or set "
        f'embedding_model = "{MULTILINGUAL_MODEL}", which reads both, and run '
        f"citeloom ingest --project {collection.project_id} --rebuild",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerms:
    """Makes questions into terms: of English, and of the `languages` that the collection holds."""

    sparse: SparseEmbedder
    languages: tuple[str, ...] = ()

    def vector(self, text: str) -> SparseVector:
        """The terms of a question, without the function words of its own language."""
        asked, functional = self.asked_in(text), function_words(text)

        def carrying(token: re.Match[str]) -> str:
            word = token[0]
            left_out = word.casefold() in functional or not self._carries(word, asked)
            return " " if left_out else word

        return _united(self._in_each(_TOKEN.sub(carrying, text)))

    def forms(self, word: str, asked: Languages) -> tuple[SparseVector, ...]:
        """The terms of a word in each language; none if it carries nothing in those `asked`."""
        found = dict(zip(self._all, self._in_each(word)))
        if not any(found[language].indices for language in asked):
            return ()
        return tuple(dict.fromkeys(vector for vector in found.values() if vector.indices))

    def asked_in(self, text: str) -> Languages:
        """The language of a question: that with most stop words in it, several where they have as
        many.
        """
        if not self.languages:
            return self._all
        tokens = list(dict.fromkeys(_TOKEN.findall(text)))[:_MOST_TOKENS]
        found = {language: self._stop_words(tokens, language) for language in self._all}
        return tuple(one for one in self._all if found[one] == max(found.values()))

    @property
    def _all(self) -> Languages:
        return (DEFAULT_LANGUAGE, *self.languages) if self.languages else (None,)

    def _stop_words(self, tokens: Iterable[str], language: str | None) -> int:
        return sum(not self.sparse.embed_query(token, language).indices for token in tokens)

    def _carries(self, word: str, asked: Languages) -> bool:
        return any(self.sparse.embed_query(word, language).indices for language in asked)

    def _in_each(self, text: str) -> list[SparseVector]:
        return [self.sparse.embed_query(text, language) for language in self._all]


def _united(vectors: Sequence[SparseVector]) -> SparseVector:
    terms: Mapping[int, float] = {
        index: value for vector in vectors for index, value in zip(vector.indices, vector.values)
    }
    indices = tuple(sorted(terms))
    return SparseVector(indices=indices, values=tuple(terms[index] for index in indices))
