"""The request of a query, and the question that it becomes in a collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import isfinite

from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.application.retrieval.search import Search
from citeloom.application.retrieval.terms import QuestionTerms, further_languages
from citeloom.application.retrieval.word_weights import QuestionWords, WordWeightCache
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import MAX_TOP_K, Mode
from citeloom.domain.retrieval.candidates import ESSENTIAL, StageName
from citeloom.domain.retrieval.coverage import NO_WORDS, WeighedWords
from citeloom.domain.retrieval.filters import Filters, check_text
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector
from citeloom.domain.retrieval.sparse import in_document_context_field

MAX_CONTEXT = 100
"""The maximum number of neighbours on each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """A question and its options; None means the project's retrieval policy.

    `filters` select the chunks; reference lists are excluded unless `kinds` includes them or the
    text quotes one. `context` is the number of neighbours on each side; `explain` adds each
    passage's rank in the dense and the sparse search; stages in `without` are switched off. Each of
    `words` stands in a passage as a whole word.
    Raises `InvalidFilter` for an empty, impossible or out-of-range value.
    """

    text: str
    filters: Filters = field(default_factory=Filters)
    mode: Mode | None = None
    top_k: int | None = None
    min_score: float | None = None
    by_document: bool = False
    context: int = 0
    explain: bool = False
    full_text: bool = False
    without: frozenset[StageName] = frozenset()
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("question", self.text)
        for word in self.words:
            check_text("word", word)
        if self.top_k is not None:
            _check_within("number of passages", self.top_k, 1, MAX_TOP_K)
        _check_within("number of neighbours", self.context, 0, MAX_CONTEXT)
        if self.min_score is not None and not isfinite(self.min_score):
            raise InvalidFilter(
                f"the least score must be a number, not {self.min_score}",
                "Leave it out to see every passage with its score.",
            )
        if self.without & ESSENTIAL:
            names = ", ".join(sorted(stage.value for stage in self.without & ESSENTIAL))
            raise InvalidFilter(
                f"there is no answer without the stages {names}", "Leave out others only."
            )


def _check_within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidFilter(
            f"the {what} must lie in {least}..{most}, not {value}",
            "Give one of these, or leave it out.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
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
    ) -> Question:
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
    def required(self) -> SparseVector | None:
        """The terms of the words that a passage must have."""
        words = self.request.words
        return self.terms.terms_of(words) if self.terms and words else None
