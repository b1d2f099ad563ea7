"""The use case `similar`: passages of other documents that are nearest in meaning to a passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from citeloom.domain.chunks.chunk import LEFT_OUT
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Passage

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.domain.retrieval.passage import DenseVector, StoredChunk

_SEARCHED, _OF_ONE = 100, 2
"""Of so many passages, so many at most of one document."""


def similar_passages(project: OpenProject, chunk_id: str, *, top_k: int = 10) -> list[Passage]:
    """The passages of other documents nearest in meaning to a passage, at most two of each. Raises
    `NotFound` for an unknown one.
    """
    check_text("chunk id", chunk_id)
    stored = project.passage(chunk_id)
    query = IndexQuery(
        selection=replace(project.everything, without_kinds=LEFT_OUT),
        mode=Mode.DENSE,
        limit=_SEARCHED,
        dense=_vector(project, stored),
    )
    hits = _of_others(project.index.search(project.bound_collection().name, query), stored)
    return [
        Passage(stored=hit.stored, score=hit.score, text=hit.stored.chunk.text)
        for hit in islice(hits, top_k)
    ]


def _vector(project: OpenProject, stored: StoredChunk) -> DenseVector:
    """The vector that the passage is stored with; that of its text as a question without one."""
    place = (stored.chunk.chunk_idx, stored.chunk.chunk_idx)
    own = replace(project.everything, doc_id=stored.chunk.doc_id, chunks=place)
    for examined in project.index.examine(project.collection, own):
        if examined.id == stored.chunk.id and examined.dense is not None:
            return examined.dense
    return project.dense.embed_query(stored.chunk.embedding_text)


def _of_others(hits: Iterable[Hit], stored: StoredChunk) -> Iterator[Hit]:
    shown: Counter[str] = Counter()
    for hit in hits:
        doc_id = hit.stored.chunk.doc_id
        if doc_id != stored.chunk.doc_id and shown[doc_id] < _OF_ONE:
            shown[doc_id] += 1
            yield hit
