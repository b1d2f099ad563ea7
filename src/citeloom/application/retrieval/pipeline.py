"""The pipeline of retrieval stages, configured by policy and request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from citeloom.application.retrieval.candidates import (
    Candidates,
    QueryRequest,
    Stage,
    StageName,
    StageTrace,
)
from citeloom.application.retrieval.coverage import NO_WORDS, WeighedWords
from citeloom.application.retrieval.explanation import rankings
from citeloom.application.retrieval.quotations import Quotations
from citeloom.application.retrieval.rare_words import (
    RareWords,
    rare_word_holders,
    rare_word_queries,
)
from citeloom.application.retrieval.reranking import Rerank
from citeloom.application.retrieval.search import Search
from citeloom.domain.policies import Mode, RetrievalPolicy
from citeloom.domain.retrieval.coverage import PASSAGES_READ
from citeloom.domain.retrieval.feedback import expand_query, in_either_field, place_hits
from citeloom.domain.retrieval.passage import DenseVector, Hit, IndexQuery, SparseVector
from citeloom.domain.retrieval.ranking import (
    diversify_by_page,
    diversify_by_work,
    fold_duplicates,
    work_of,
)
from citeloom.domain.retrieval.whole_words import holds_word

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


def _no_words() -> WeighedWords:
    return NO_WORDS


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
    words: Callable[[], WeighedWords] = _no_words
    terms_alone: bool = False
    required: SparseVector | None = None
    name: ClassVar[StageName] = StageName.RETRIEVE

    def __call__(self, candidates: Candidates) -> Candidates:
        query, words = self.ahead(candidates.query), self.words()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinDocumentRerank:
    """Puts the hits of each work in the order of their places; quotations stay first.

    `question` is the dense vector of the question as asked, `weights` gives those of its terms.
    """

    question: DenseVector
    weights: Callable[[], Mapping[int, float]]
    name: ClassVar[StageName] = StageName.PLACES

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        placed, placings = place_hits(rest, self.question, self.weights())
        hits = (*first, *placed)
        return replace(
            candidates, hits=hits, placings=placings, pool=hits, detail=_moved(candidates, hits)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Weighs words against meaning by the coverage of the question's words; quotations stay first.

    A passage that has at least `whole` of the words' weight comes first. Where the first six
    together have less than `little`, that nearest by meaning is among the first two.
    """

    question: DenseVector
    words: Callable[[], WeighedWords]
    whole: float = 0.8
    little: float = 0.35
    name: ClassVar[StageName] = StageName.COVERAGE

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        words = self.words()
        if not rest or not words.weights:
            return replace(candidates, detail="no words that carry content")
        together = words.coverage_of(rest[:PASSAGES_READ])
        leaders, why = self._leaders(_all(rest, candidates.unexpanded), words, together)
        hits = (*first, *_all(leaders, rest))
        return replace(
            candidates,
            hits=hits,
            pool=hits,
            detail=f"{together:.0%} of the question's words in the first passages: {why}",
        )

    def _leaders(
        self, hits: Sequence[Hit], words: WeighedWords, together: float
    ) -> tuple[list[Hit], str]:
        """The hits that come first, and why."""
        shares = [words.coverage_of([hit]) for hit in hits]
        most = max(shares)
        if most >= self.whole:
            if shares[0] >= most:
                return [hits[0]], "the first has most of them"
            fullest = [hit for hit, share in zip(hits, shares) if share >= most]
            leader = max(fullest, key=words.match)
            return [leader], f"first comes a passage with {most:.0%} of them"
        if together < self.little:
            nearest = max(hits, key=self._similarity)
            return _all(hits[:1], [nearest]), "the nearest by meaning is among the first two"
        return [hits[0]], "the order stays"

    def _similarity(self, hit: Hit) -> float:
        return sum(a * b for a, b in zip(self.question, hit.dense or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversify:
    """Puts the best hit of each page before the second best of any; quotations stay first."""

    name: ClassVar[StageName] = StageName.DIVERSIFY

    def __call__(self, candidates: Candidates) -> Candidates:
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_page(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeWords:
    """Keeps the hits that have each of the required words as a whole word."""

    required: tuple[str, ...]
    name: ClassVar[StageName] = StageName.WORDS

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = tuple(
            hit
            for hit in candidates.hits
            if all(holds_word(hit.stored.chunk.text, word) for word in self.required)
        )
        named = ", ".join(f"'{word}'" for word in self.required)
        done = replace(candidates, hits=hits, detail=f"{len(hits)} have {named}")
        if hits:
            return done
        note = f"no passage found has {named} as a whole word; see citeloom find"
        return replace(done, notes=(*candidates.notes, note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Folds hits with nearly the same text under the best of them."""

    name: ClassVar[StageName] = StageName.FOLD

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, folded = fold_duplicates(candidates.hits)
        count = sum(map(len, folded.values()))
        detail = f"{count} of nearly the same text as a better one"
        return replace(candidates, hits=tuple(hits), folded=folded, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinScore:
    """Removes hits with a score below `least`, with a note if none is left."""

    least: float
    name: ClassVar[StageName] = StageName.FLOOR

    def __call__(self, candidates: Candidates) -> Candidates:
        hits = tuple(hit for hit in candidates.hits if hit.score >= self.least)
        done = replace(candidates, hits=hits, detail=f"scores of at least {self.least:g}")
        if hits or not candidates.hits:
            return done
        best = max(hit.score for hit in candidates.hits)
        count = len(candidates.hits)
        every = "the only passage" if count == 1 else f"all {count} passages"
        note = f"the floor of {self.least:g} removed {every}; the best had {best:.4f}"
        return replace(done, notes=(*candidates.notes, note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Works:
    """Puts the first hit of another work before the third of one, where both fit alike; quotations
    stay first, and so does the order of a reranker.
    """

    name: ClassVar[StageName] = StageName.WORKS

    def __call__(self, candidates: Candidates) -> Candidates:
        if candidates.reranked is not None and candidates.reranked.done:
            return replace(candidates, detail="the reranker's order stays")
        first, rest = candidates.quoted_and_rest()
        hits = (*first, *diversify_by_work(rest))
        return replace(candidates, hits=hits, detail=_moved(candidates, hits))


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Keeps the best hit of each document."""

    name: ClassVar[StageName] = StageName.GROUP

    def __call__(self, candidates: Candidates) -> Candidates:
        best: dict[str, Hit] = {}
        for hit in candidates.hits:
            best.setdefault(hit.stored.chunk.doc_id, hit)
        return replace(candidates, hits=tuple(best.values()), detail="the best of each document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Keeps the first `top_k` hits."""

    top_k: int
    name: ClassVar[StageName] = StageName.LIMIT

    def __call__(self, candidates: Candidates) -> Candidates:
        hits, works = (
            candidates.hits[: self.top_k],
            len({work_of(hit.stored) for hit in candidates.hits}),
        )
        return replace(candidates, hits=hits, works=works, detail=f"the first {self.top_k}")


def _all(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """The hits, and behind them the others that are not among them."""
    known = {hit.stored.chunk.id for hit in hits}
    return [*hits, *(hit for hit in others if hit.stored.chunk.id not in known)]


def _moved(candidates: Candidates, hits: Sequence[Hit]) -> str:
    moved = sum(before is not after for before, after in zip(candidates.hits, hits))
    return f"{moved} in another place"


_DEPTH = 30
"""How many chunks are put in order together, however many of them are returned: so few passages are
the first of many, and the first ten are the same whether ten are asked for or twenty.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Runs the `find` stages until the answer is settled, then all `finish` stages."""

    find: tuple[Stage, ...]
    finish: tuple[Stage, ...]

    def ahead(self, text: str, query: IndexQuery) -> Iterator[IndexQuery]:
        """The searches that the first stages make for a question, as far as they are known."""
        for stage in self.find:
            if isinstance(stage, Quotations):
                yield from stage.ahead(text, query)
            elif isinstance(stage, PseudoRelevanceFeedback | Retrieve):
                yield stage.ahead(query)
                return

    def __call__(self, candidates: Candidates) -> Candidates:
        """The candidates after all stages, with a trace of each that ran."""
        for stage in self.find:
            if not candidates.settled:
                candidates = _traced(stage, candidates)
        candidates = candidates.with_further()
        for stage in self.finish:
            candidates = _traced(stage, candidates)
        return candidates


def retrieval_for(
    search: Search,
    policy: RetrievalPolicy,
    request: QueryRequest,
    query: IndexQuery,
    words: Callable[[], WeighedWords],
    rerank: Rerank | None = None,
    required: SparseVector | None = None,
) -> Retrieval:
    """The stages of a request, which is `query` as vectors and whose words are `words`;
    only hybrid queries have all `find` stages. `required` are the terms that a passage must have.
    """
    if StageName.RERANK in request.without:
        rerank = None
    if query.mode is Mode.HYBRID:
        find = [*_find(search, policy, query, words, rerank, explain=request.explain)]
    else:
        least = policy.candidates if request.words else _depth(rerank)
        find = [*_asked_once(search, rerank, least, explain=request.explain)]
    find = [
        replace(stage, required=required) if isinstance(stage, Retrieve) else stage
        for stage in find
    ]
    vary_works = query.mode is Mode.HYBRID
    finish = list(_finish(policy, request, words, vary_works=vary_works))
    return Retrieval(find=_enabled(find, request), finish=_enabled(finish, request))


def searches_ahead(
    search: Search,
    policy: RetrievalPolicy,
    request: QueryRequest,
    query: IndexQuery,
    rerank: Rerank | None = None,
) -> list[IndexQuery]:
    """The searches that the first stages of a request make."""
    retrieval = retrieval_for(search, policy, request, query, lambda: NO_WORDS, rerank)
    return list(retrieval.ahead(request.text, query))


def _find(
    search: Search,
    policy: RetrievalPolicy,
    query: IndexQuery,
    words: Callable[[], WeighedWords],
    rerank: Rerank | None,
    *,
    explain: bool,
) -> Iterator[Stage]:
    yield Quotations(search=search)
    if policy.feedback:
        yield PseudoRelevanceFeedback(search=search, depth=policy.feedback)
    depth = min(max(_DEPTH, _depth(rerank)), policy.candidates)
    yield Retrieve(
        search=search,
        least=depth,
        with_vectors=True,
        with_ranks=explain,
        words=words,
        terms_alone=policy.feedback > 0,
    )
    yield Fuse(search=search, depth=depth)
    question = query.dense or ()
    yield WithinDocumentRerank(question=question, weights=lambda: words().term_weights)
    yield Coverage(question=question, words=words)
    if rerank:
        yield rerank
    if policy.diversify_by_page:
        yield Diversify()


def _asked_once(
    search: Search, rerank: Rerank | None, least: int, *, explain: bool
) -> Iterator[Stage]:
    yield Retrieve(search=search, least=least, with_vectors=True, with_ranks=explain)
    yield Fuse(search=search)
    if rerank:
        yield rerank


def _depth(rerank: Rerank | None) -> int:
    """How many hits are put in order by the reranker."""
    return rerank.reranking.candidates if rerank else 1


def _finish(
    policy: RetrievalPolicy,
    request: QueryRequest,
    words: Callable[[], WeighedWords],
    *,
    vary_works: bool,
) -> Iterator[Stage]:
    least = policy.min_score if request.min_score is None else request.min_score
    if request.words:
        yield WholeWords(required=request.words)
    if policy.fold_duplicates:
        yield Fold()
    if least is not None:
        yield MinScore(least=least)
    if vary_works:
        yield Works()
        yield RareWords(words=words, top_k=request.top_k or policy.top_k)
    if request.by_document:
        yield Group()
    yield Limit(top_k=request.top_k or policy.top_k)


def _enabled(stages: Sequence[Stage], request: QueryRequest) -> tuple[Stage, ...]:
    return tuple(stage for stage in stages if stage.name not in request.without)


def _traced(stage: Stage, candidates: Candidates) -> Candidates:
    done = stage(replace(candidates, detail=""))
    trace = StageTrace(
        name=stage.name, hits_in=candidates.count, hits_out=done.count, detail=done.detail
    )
    return replace(done, trace=(*done.trace, trace))
