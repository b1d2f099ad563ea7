"""Works as drafts cite them: their references, their full texts, and where a quotation may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from citeloom.application.open_project import OpenProject
from citeloom.domain.chunks.chunk import MARKS, ChunkKind
from citeloom.domain.documents.language import clear_language
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import IndexQuery, Selection, StoredChunk

_TOGETHER = 16
_MOST_IN_BATCH = 1_000
_CANDIDATE_CHUNKS, _CANDIDATE_WORKS = 24, 8
_NOT_QUOTED = (*MARKS, ChunkKind.HIDDEN)


@dataclass(frozen=True, kw_only=True)
class CitedWorks:
    """The references of a project's bibliography, whether or not their works are in the index, and
    the texts of its works, each read once.

    A work may be several documents. Candidates are found by meaning only where the collection has
    no sparse vectors.
    """

    project: OpenProject
    read_references: Callable[[], Sequence[CitationMeta]]
    _by_citekey: dict[str, tuple[WorkText, ...]] = field(default_factory=dict, init=False)
    _by_document: dict[str, WorkText] = field(default_factory=dict, init=False)

    @cached_property
    def references(self) -> Sequence[CitationMeta]:
        return self.read_references()

    def citekeys(self) -> frozenset[str]:
        """The citekeys of the works in the index. Raises `InvalidProject` without an index."""
        self.project.existing_collection()
        return frozenset(self.project.facets("citekey"))

    def load(self, citekeys: Iterable[str]) -> None:
        """Read the texts of works, several in one exchange with the store."""
        missing = [key for key in dict.fromkeys(citekeys) if key not in self._by_citekey]
        for at in range(0, len(missing), _TOGETHER):
            keys = missing[at : at + _TOGETHER]
            selections = [self._selection(citekey=key) for key in keys]
            for key, chunks in zip(keys, self._scrolled(selections)):
                self._by_citekey[key] = self._keep(chunks)

    def of(self, citekey: str) -> tuple[WorkText, ...]:
        """The texts of a work's documents; none where the index has none."""
        self.load([citekey])
        return self._by_citekey[citekey]

    def document(self, doc_id: str) -> WorkText | None:
        """The text of a document; None where the index has none of it."""
        if doc_id not in self._by_document:
            for chunks in self._scrolled([self._selection(doc_id=doc_id)]):
                self._keep(chunks)
        return self._by_document.get(doc_id)

    def candidates(self, quote: str) -> Iterator[WorkText]:
        """The documents that share most words with a quotation, the likeliest first."""
        project, everything = self.project, self._selection()
        results = project.index.search_batch(project.collection, self._queries(quote, everything))
        hits = sorted((hit for hits in results.hits for hit in hits), key=lambda hit: -hit.score)
        likely = dict.fromkeys(hit.stored.chunk.doc_id for hit in hits)
        doc_ids = list(likely)[:_CANDIDATE_WORKS]
        missing = [doc_id for doc_id in doc_ids if doc_id not in self._by_document]
        for chunks in self._scrolled([self._selection(doc_id=doc_id) for doc_id in missing]):
            self._keep(chunks)
        yield from (self._by_document[key] for key in doc_ids if key in self._by_document)

    def _selection(self, citekey: str | None = None, doc_id: str | None = None) -> Selection:
        return Selection(
            project_id=self.project.id, citekey=citekey, doc_id=doc_id, without_kinds=_NOT_QUOTED
        )

    def _scrolled(self, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        if not selections:
            return []
        results = self.project.index.scroll_batch(self.project.collection, selections)
        return [
            list(self.project.chunks(selection)) if len(chunks) >= _MOST_IN_BATCH else chunks
            for selection, chunks in zip(selections, results)
        ]

    def _keep(self, chunks: Sequence[StoredChunk]) -> tuple[WorkText, ...]:
        """The texts of the documents that the chunks are of, kept by document."""
        by_document: dict[str, list[StoredChunk]] = defaultdict(list)
        for stored in chunks:
            by_document[stored.chunk.doc_id].append(stored)
        for doc_id, parts in by_document.items():
            if doc_id not in self._by_document:
                self._by_document[doc_id] = WorkText.of(parts)
        return tuple(self._by_document[doc_id] for doc_id in sorted(by_document))

    def _queries(self, quote: str, selection: Selection) -> list[IndexQuery]:
        sparse = self.project.sparse
        if sparse is None:
            dense = self.project.dense.embed_query(quote)
            return [
                IndexQuery(
                    selection=selection, mode=Mode.DENSE, dense=dense, limit=_CANDIDATE_CHUNKS
                )
            ]
        language = clear_language(quote)
        languages = [None, *([language] if language in sparse.languages else [])]
        vectors = [sparse.embed_query(quote, language) for language in languages]
        return [
            IndexQuery(
                selection=selection, mode=Mode.SPARSE, sparse=vector, limit=_CANDIDATE_CHUNKS
            )
            for vector in vectors
            if vector.indices
        ]
