"""The pipeline of retrieval stages, configured by policy and request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom.application.retrieval.candidates import Candidates, Stage, StageName, StageTrace
from citeloom.application.retrieval.question_words import NO_WORDS, WeighedWords
from citeloom.application.retrieval.quotations import Quotations
from citeloom.application.retrieval.request import QueryRequest
from citeloom.application.retrieval.reranking import Rerank
from citeloom.application.retrieval.search import Search
from citeloom.application.retrieval.stages import (
    Coverage,
    Diversify,
    Expand,
    Floor,
    Fold,
    Fuse,
    Group,
    Limit,
    Places,
    Retrieve,
    Works,
)
from citeloom.domain.opening import in_either_field
from citeloom.domain.passage import IndexQuery
from citeloom.domain.policies import Mode, RetrievalPolicy

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
            elif isinstance(stage, Expand | Retrieve):
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
    asked: IndexQuery,
    words: Callable[[], WeighedWords],
    rerank: Rerank | None = None,
) -> Retrieval:
    """The stages of a request, which is `asked` as vectors and whose words are `words`;
    only hybrid queries have all `find` stages.
    """
    if StageName.RERANK in request.without:
        rerank = None
    if asked.mode is Mode.HYBRID:
        find = [*_find(search, policy, asked, words, rerank, explain=request.explain)]
    else:
        find = [*_asked_once(search, rerank, explain=request.explain)]
    vary_works = asked.mode is Mode.HYBRID
    finish = list(_finish(policy, request, vary_works=vary_works))
    return Retrieval(find=_enabled(find, request), finish=_enabled(finish, request))


def searches_ahead(
    search: Search,
    policy: RetrievalPolicy,
    request: QueryRequest,
    asked: IndexQuery,
    rerank: Rerank | None = None,
) -> list[IndexQuery]:
    """The searches that the first stages of a request make."""
    retrieval = retrieval_for(search, policy, request, asked, lambda: NO_WORDS, rerank)
    return list(retrieval.ahead(request.text, asked))


def _find(
    search: Search,
    policy: RetrievalPolicy,
    asked: IndexQuery,
    words: Callable[[], WeighedWords],
    rerank: Rerank | None,
    *,
    explain: bool,
) -> Iterator[Stage]:
    yield Quotations(search=search)
    if policy.feedback:
        yield Expand(search=search, depth=policy.feedback)
    depth = min(max(_DEPTH, _depth(rerank)), policy.candidates)
    yield Retrieve(
        search=search,
        least=depth,
        with_vectors=True,
        with_ranks=explain,
        terms=(lambda: in_either_field(words().term_weights)) if policy.feedback else None,
    )
    yield Fuse(search=search, depth=depth)
    question = asked.dense or ()
    yield Places(question=question, weights=lambda: words().term_weights)
    yield Coverage(question=question, words=words)
    if rerank:
        yield rerank
    if policy.diversify_by_page:
        yield Diversify()


def _asked_once(search: Search, rerank: Rerank | None, *, explain: bool) -> Iterator[Stage]:
    yield Retrieve(search=search, least=_depth(rerank), with_vectors=True, with_ranks=explain)
    yield Fuse(search=search)
    if rerank:
        yield rerank


def _depth(rerank: Rerank | None) -> int:
    """How many hits are put in order by the reranker."""
    return rerank.reranking.candidates if rerank else 1


def _finish(policy: RetrievalPolicy, request: QueryRequest, *, vary_works: bool) -> Iterator[Stage]:
    least = policy.min_score if request.min_score is None else request.min_score
    if policy.fold_duplicates:
        yield Fold()
    if least is not None:
        yield Floor(least=least)
    if vary_works:
        yield Works()
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
