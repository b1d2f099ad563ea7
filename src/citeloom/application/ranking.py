"""How a query's hits are found and put in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citeloom.application.neighbours import neighbours
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.diversification import diversify_by_page
from citeloom.domain.passage import Hit, IndexQuery
from citeloom.domain.policies import Mode
from citeloom.domain.project import Project
from citeloom.domain.pseudo_relevance_feedback import expand_query
from citeloom.domain.quotation import holds_verbatim, may_be_quotation, may_run_on, runs_on

_SPREAD_DEPTH = 2
"""To find `k` pages, so many times `k` chunks are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Hits, best first, and the query that found them.

    `quoted` are the ids of those that hold the question word for word; they come first.
    `feedback` are the ids of the chunks the query was expanded by.
    """

    hits: tuple[Hit, ...]
    query: IndexQuery
    quoted: frozenset[str] = frozenset()
    feedback: tuple[str, ...] = ()


def ranked(index: VectorIndex, project: Project, query: IndexQuery, text: str) -> Ranking:
    """The hits of a query for `text`: one that asks a single side is only asked.

    A hybrid query is first asked as it is. If that finds `text` word for word, it is done; else
    the query is expanded by the best hits and asked again, and the pages take turns. What stands
    word for word only in a kind of chunk that is left out, as a reference list, comes before.
    """
    if query.mode is not Mode.HYBRID:
        return Ranking(hits=tuple(index.search(project.collection, query)), query=query)
    if may_be_quotation(text):
        quotation = _quotation(index, project, query, text)
        if quotation.quoted:
            return quotation
        if query.selection.without_kinds:
            return _with_left_out(index, project, query, text)
    return _expanded(index, project, query)


def _quotation(index: VectorIndex, project: Project, query: IndexQuery, text: str) -> Ranking:
    """The hits of the query as it is, those that hold `text` first."""
    deep = replace(query, limit=max(query.limit, query.candidates))
    hits = index.search(project.collection, deep)
    quoted = {hit.stored.chunk.id for hit in hits if holds_verbatim(hit.stored.chunk.text, text)}
    if not quoted:
        quoted = {hit.stored.chunk.id for hit in hits if _runs_on(index, project, hit, text)}
    return Ranking(
        hits=tuple(sorted(hits, key=lambda hit: hit.stored.chunk.id not in quoted)),
        query=deep,
        quoted=frozenset(quoted),
    )


def _with_left_out(index: VectorIndex, project: Project, query: IndexQuery, text: str) -> Ranking:
    """The expanded query's hits, behind those of the kinds left out that hold `text`."""
    kinds = query.selection.without_kinds
    selection = replace(query.selection, kinds=kinds, without_kinds=())
    apart = _quotation(index, project, replace(query, selection=selection), text)
    found = tuple(hit for hit in apart.hits if hit.stored.chunk.id in apart.quoted)
    body = _expanded(index, project, query)
    return replace(body, hits=(*found, *body.hits), quoted=apart.quoted)


def _runs_on(index: VectorIndex, project: Project, hit: Hit, text: str) -> bool:
    """Whether the hit holds the larger part of `text`, and a neighbour the rest."""
    chunk = hit.stored.chunk
    if not may_run_on(chunk.text, text):
        return False
    before, after = neighbours(index, project, hit.stored, 1)
    return any(runs_on(near.chunk.text, chunk.text, text) for near in before) or any(
        runs_on(chunk.text, near.chunk.text, text) for near in after
    )


def _expanded(index: VectorIndex, project: Project, query: IndexQuery) -> Ranking:
    policy = project.retrieval
    best: list[Hit] = []
    if policy.feedback:
        first = replace(query, limit=policy.feedback, with_vectors=True)
        best = index.search(project.collection, first)
        query = expand_query(query, best)
    if policy.diversify_by_page:
        limit = max(query.limit, min(query.limit * _SPREAD_DEPTH, query.candidates))
        query = replace(query, limit=limit)
    hits = index.search(project.collection, query)
    return Ranking(
        hits=tuple(diversify_by_page(hits) if policy.diversify_by_page else hits),
        query=query,
        feedback=tuple(hit.stored.chunk.id for hit in best),
    )
