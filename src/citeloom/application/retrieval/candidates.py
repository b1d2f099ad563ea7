"""The request of a query, the candidates for it, and the stages that find them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite
from typing import ClassVar, Protocol

from citeloom.application.retrieval.coverage import FEW, NO_WORDS, RARE_WEIGHT, WeighedWords
from citeloom.application.retrieval.search import Search, neighbours, rankings
from citeloom.domain.documents.text import (
    holds_verbatim,
    holds_word,
    may_be_quotation,
    may_run_on,
    runs_on,
)
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import MAX_TOP_K, Mode
from citeloom.domain.retrieval.feedback import Placing, expand_query, in_either_field
from citeloom.domain.retrieval.filters import Filters, check_text
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Ranked, SparseVector

# The request of a query.

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


# The candidates that pass through the stages of retrieval, and the `Stage` protocol.


class StageName(StrEnum):
    """The stages of retrieval, in the order they run."""

    QUOTATIONS = "quotations"
    EXPAND = "expand"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    PLACES = "places"
    COVERAGE = "coverage"
    RERANK = "rerank"
    DIVERSIFY = "diversify"
    WORDS = "words"
    FOLD = "fold"
    FLOOR = "floor"
    WORKS = "works"
    RARE = "rare"
    GROUP = "group"
    LIMIT = "limit"


ESSENTIAL = frozenset({StageName.RETRIEVE, StageName.FUSE, StageName.LIMIT})
"""The stages that cannot be switched off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTrace:
    """What a stage did: the number of hits before and after it, and a detail for people."""

    name: StageName
    hits_in: int
    hits_out: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranked:
    """What a reranker did for an answer: `by` which model, with how many `passages`, and how long
    it took.

    `sent_to` is where they were sent, if anywhere; `ranks` are its own by chunk id, empty where it
    failed and the order stayed as it was; `before` are the ids in the order of the search.
    """

    by: str
    passages: int
    sent_to: str | None
    duration_ms: float
    ranks: Mapping[str, Ranked] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether it put the passages in order."""
        return bool(self.ranks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The hits so far, best first, for the question `text`, and the query for further ones.

    `sides` are rankings that are not fused yet; `unexpanded` are the best hits of the query before
    its expansion; `rare` are the hits that have each word that few have, `required` those with the
    terms of words that a passage must have; `further` are those that follow behind the hits once
    these are in order. `quoted` are the ids of hits that contain the text verbatim; they come
    first. `settled` ends the search.
    `feedback` are the ids of the chunks used for query expansion; `placings` are
    the ranks of chunks within their works, by chunk id; `pool` are the hits with vectors that the
    answer is chosen from; `reranked` is what a reranker did; `folded` maps a chunk id to its folded
    duplicates; `works` is the number of works among the hits before they were limited; `notes` are
    messages for the user.
    """

    text: str
    query: IndexQuery
    hits: tuple[Hit, ...] = ()
    sides: tuple[tuple[Hit, ...], ...] = ()
    unexpanded: tuple[Hit, ...] = ()
    rare: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    required: tuple[Hit, ...] = ()
    further: tuple[Hit, ...] = ()
    quoted: frozenset[str] = frozenset()
    settled: bool = False
    feedback: tuple[str, ...] = ()
    placings: Mapping[str, Placing] = field(default_factory=dict)
    pool: tuple[Hit, ...] = ()
    reranked: Reranked | None = None
    folded: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    works: int = 0
    detail: str = ""
    notes: tuple[str, ...] = ()
    trace: tuple[StageTrace, ...] = ()

    @property
    def count(self) -> int:
        """The number of distinct chunks."""
        rankings = (self.hits, self.further, *self.sides)
        return len({name for ranking in rankings for name in _ids(ranking)})

    @property
    def rare_hits(self) -> tuple[Hit, ...]:
        """The hits that have a rare word, each once."""
        hits = {hit.stored.chunk.id: hit for holders in self.rare.values() for hit in holders}
        return tuple(hits.values())

    def with_further(self) -> Candidates:
        """The candidates with the further hits behind the others; a work that has none among these
        is judged by its further ones.
        """
        hits, pool = _ids(self.hits), {hit.stored.chunk.doc_id for hit in self.pool}
        behind = tuple(hit for hit in self.further if hit.stored.chunk.id not in hits)
        apart = tuple(hit for hit in self.further if hit.stored.chunk.doc_id not in pool)
        return replace(
            self,
            hits=(*self.hits, *behind),
            pool=(*self.pool, *apart) if self.pool else (),
            further=(),
        )

    def after(self, stage: Stage) -> Candidates:
        """The candidates after a stage, with its trace."""
        done = stage(replace(self, detail=""))
        trace = StageTrace(
            name=stage.name, hits_in=self.count, hits_out=done.count, detail=done.detail
        )
        return replace(done, trace=(*done.trace, trace))

    def quoted_and_rest(self) -> tuple[list[Hit], list[Hit]]:
        """The hits that are quotations, and the others."""
        first = [hit for hit in self.hits if hit.stored.chunk.id in self.quoted]
        return first, [hit for hit in self.hits if hit.stored.chunk.id not in self.quoted]


def _ids(hits: Iterable[Hit]) -> set[str]:
    return {hit.stored.chunk.id for hit in hits}


class Stage(Protocol):
    """One step of retrieval: candidates in, candidates out, with a `detail` of what it did."""

    @property
    @abstractmethod
    def name(self) -> StageName:
        """The stage's name in a trace."""
        ...

    @abstractmethod
    def __call__(self, candidates: Candidates) -> Candidates:
        """The candidates after this stage."""
        ...


# The stages that find candidates.


# The stage that puts verbatim quotations first.


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotations:
    """Puts hits that contain the question verbatim first, if it may be a quotation.

    If there are any, the answer is settled: they come first, then the query's other hits. Otherwise
    verbatim hits in excluded kinds, such as reference lists, precede the hits of later stages.
    """

    search: Search
    name: ClassVar[StageName] = StageName.QUOTATIONS

    def __call__(self, candidates: Candidates) -> Candidates:
        text, query = candidates.text, candidates.query
        if not may_be_quotation(text):
            return replace(candidates, detail="the question is no quotation")
        deep = _deep(query)
        hits, quoted = self._found(deep, text)
        if quoted:
            return replace(
                candidates,
                query=deep,
                hits=tuple(sorted(hits, key=lambda hit: hit.stored.chunk.id not in quoted)),
                quoted=quoted,
                settled=True,
                detail=f"{len(quoted)} hold the text word for word; nothing else is searched",
            )
        return self._left_out(candidates, deep)

    def _left_out(self, candidates: Candidates, deep: IndexQuery) -> Candidates:
        kinds = deep.selection.without_kinds
        if not kinds:
            return replace(candidates, detail="no passage holds the text word for word")
        hits, quoted = self._found(_apart(deep), candidates.text)
        quotations = tuple(hit for hit in hits if hit.stored.chunk.id in quoted)
        names = " or ".join(kind.value for kind in kinds)
        detail = f"{len(quotations)} hold the text word for word, of kind {names}"
        return replace(candidates, hits=quotations, quoted=quoted, detail=detail)

    @staticmethod
    def ahead(text: str, query: IndexQuery) -> tuple[IndexQuery, ...]:
        """The searches that the stage makes for a question."""
        if not may_be_quotation(text):
            return ()
        deep = _deep(query)
        return (deep, _apart(deep)) if deep.selection.without_kinds else (deep,)

    def _found(self, query: IndexQuery, text: str) -> tuple[list[Hit], frozenset[str]]:
        """The query's hits, and the ids of those that contain `text`, alone or with a neighbour."""
        hits = self.search(query)
        quoted = frozenset(
            hit.stored.chunk.id for hit in hits if holds_verbatim(hit.stored.chunk.text, text)
        )
        return hits, quoted or self._running_on(hits, text)

    def _running_on(self, hits: list[Hit], text: str) -> frozenset[str]:
        """The ids of the hits that contain the larger part of `text`, and a neighbour the rest."""
        parts = [hit.stored for hit in hits if may_run_on(hit.stored.chunk.text, text)]
        around = neighbours(self.search.reader, self.search.collection.name, parts, 1)
        return frozenset(
            stored.chunk.id
            for stored, (before, after) in zip(parts, around)
            if any(runs_on(near.chunk.text, stored.chunk.text, text) for near in before)
            or any(runs_on(stored.chunk.text, near.chunk.text, text) for near in after)
        )


def _deep(query: IndexQuery) -> IndexQuery:
    return replace(query, limit=max(query.limit, query.candidates))


def _apart(query: IndexQuery) -> IndexQuery:
    """The same among the kinds that the query leaves out."""
    kinds = query.selection.without_kinds
    return replace(query, selection=replace(query.selection, kinds=kinds, without_kinds=()))


# The stages of retrieval except quotations.

_REQUIRED = 100.0
"""The weight of a required term, so that passages without one come last."""


_AS_ASKED = 12
"""How many hits of the query as asked are kept; the nearest by meaning is nearly always one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudoRelevanceFeedback:
    """Expands the query by pseudo-relevance feedback from its `depth` best hits."""

    search: Search
    depth: int
    name: ClassVar[StageName] = StageName.EXPAND

    def __call__(self, candidates: Candidates) -> Candidates:
        unexpanded = self.search(self.ahead(candidates.query))
        best = unexpanded[: self.depth]
        return replace(
            candidates,
            unexpanded=tuple(unexpanded),
            query=expand_query(candidates.query, best),
            feedback=tuple(hit.stored.chunk.id for hit in best),
            detail=f"by the {len(best)} best passages of the query as asked",
        )

    def ahead(self, query: IndexQuery) -> IndexQuery:
        """The search that the stage makes for a query."""
        return replace(query, limit=max(self.depth, _AS_ASKED), with_vectors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieve:
    """Searches the store for `least` hits, or for more where the limit or the number of candidates
    says so; in the same exchange for passages with rare ones of the `words`, for those with
    `required` terms, and `with_ranks` for the ranks of an explanation. With `terms_alone` the hits'
    sparse vectors have the terms of the words, and may lack others.
    """

    search: Search
    least: int = 1
    with_vectors: bool = False
    with_ranks: bool = False
    words: Callable[[], WeighedWords] | None = None
    terms_alone: bool = False
    required: SparseVector | None = None
    name: ClassVar[StageName] = StageName.RETRIEVE

    def __call__(self, candidates: Candidates) -> Candidates:
        query = self.ahead(candidates.query)
        words = self.words() if self.words else NO_WORDS
        if self.terms_alone:
            query = replace(query, terms=in_either_field(words.term_weights))
        rare = rare_word_queries(query, words)
        required = self._required(query)
        self.search.look_ahead(
            [query, *rare.values(), *required], rankings(query) if self.with_ranks else ()
        )
        sides = self.search.sides(query)
        counts = " and ".join(str(len(side)) for side in sides)
        found = {word: self.search(one) for word, one in rare.items()}
        return replace(
            candidates,
            query=query,
            sides=sides,
            rare=rare_word_holders(found, words),
            required=tuple(hit for one in required for hit in self.search(one)),
            detail=f"{counts} by {query.mode.value} search",
        )

    def _required(self, query: IndexQuery) -> list[IndexQuery]:
        """The search for passages with the required terms, those with the query's terms first."""
        if self.required is None or query.sparse is None:
            return []
        weights = dict(zip(query.sparse.indices, query.sparse.values))
        weights.update((index, _REQUIRED) for index in self.required.indices)
        ordered = sorted(weights.items())
        sparse = SparseVector(
            indices=tuple(index for index, _ in ordered),
            values=tuple(weight for _, weight in ordered),
        )
        limit = max(query.candidates, query.limit)
        return [replace(query, mode=Mode.SPARSE, sparse=sparse, limit=limit)]

    def ahead(self, query: IndexQuery) -> IndexQuery:
        """The search that the stage makes for a query."""
        limit = max(query.limit, min(self.least, query.candidates))
        return replace(query, limit=limit, with_vectors=self.with_vectors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuse:
    """Fuses the sides into one ranking, after the hits found so far; those after the first `depth`,
    and those with rare words, are not put in order any further.
    """

    search: Search
    depth: int | None = None
    name: ClassVar[StageName] = StageName.FUSE

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = self.search.fuse(candidates.sides, candidates.query)
        by = "the store" if self.search.store_fuses else "the application"
        fused = candidates.query.mode is Mode.HYBRID
        detail = (
            f"{self.search.fusion_of(candidates.query)}, by {by}" if fused else "one side alone"
        )
        depth = len(hits) if self.depth is None else self.depth
        return replace(
            candidates,
            hits=(*candidates.hits, *hits[:depth]),
            further=tuple(_all(_all(hits, candidates.rare_hits), candidates.required)[depth:]),
            sides=(),
            detail=detail,
        )


def _all(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """The hits, and behind them the others that are not among them."""
    known = {hit.stored.chunk.id for hit in hits}
    return [*hits, *(hit for hit in others if hit.stored.chunk.id not in known)]


# The passages with a word that few have.


_MOST_WRITTEN = 2


_NAME_DEPTH = 12
"""How many passages are looked through for a name as it is written."""


_PLAIN = re.compile(r"[^\W\d_]+")


RareWordQueries = Mapping[str, IndexQuery]
"""The search for the passages that have a word, by the word."""


def rare_word_queries(query: IndexQuery, words: WeighedWords) -> RareWordQueries:
    """The searches for passages with words that few passages have: by their terms, or, of the two
    weightiest names, numbers and compounds, perhaps as they are written. Of the vectors they bring
    the terms of the question alone.
    """
    written = [
        word
        for word in sorted(words.forms, key=lambda word: (-words.weights[word], word))
        if is_told_by_letters(word)
        and word not in words.unknown | words.rare
        and words.weights[word] >= RARE_WEIGHT
    ]
    limits = dict.fromkeys(sorted(words.rare), FEW)
    limits.update((word, _NAME_DEPTH) for word in written[:_MOST_WRITTEN])
    asked = replace(query, terms=in_either_field(words.term_weights), sparse_alone=True)
    return {
        word: replace(asked, mode=Mode.SPARSE, sparse=_terms_of(word, words), limit=limit)
        for word, limit in limits.items()
    }


def _terms_of(word: str, words: WeighedWords) -> SparseVector:
    indices = tuple(sorted({index for form in words.forms[word] for index in form.indices}))
    return SparseVector(indices=indices, values=(1.0,) * len(indices))


def is_told_by_letters(word: str) -> bool:
    """Whether a word's letters tell more than its terms do: a name, a number or a compound."""
    return word != word.lower() or _PLAIN.fullmatch(word) is None


def rare_word_holders(
    hits: Mapping[str, Sequence[Hit]], words: WeighedWords
) -> dict[str, tuple[Hit, ...]]:
    """The hits that have each rare word, of those that were found by it."""
    holders = {word: _holders(word, found, words) for word, found in hits.items()}
    return {word: those for word, those in holders.items() if 0 < len(those) <= FEW}


def _holders(word: str, hits: Sequence[Hit], words: WeighedWords) -> tuple[Hit, ...]:
    """The hits that have a name as it is written, else those that have a rare word's terms."""
    if is_told_by_letters(word):
        written = tuple(hit for hit in hits if holds_word(hit.stored.chunk.text, word))
        if written or word not in words.rare:
            return written
    return tuple(hit for hit in hits if words.has(words.own_terms(hit), word))
