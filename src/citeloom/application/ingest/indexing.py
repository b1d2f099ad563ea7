"""From a converted document to stored chunks, several documents' worth of vectors at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ingest.target import Target
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder, TokenCounter
from citeloom.application.ports.reference_library import Match
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.reports import IngestReport
from citeloom.domain.chunking import ChunkedDocument, FilterReason, chunk_document
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import EmptyDocument
from citeloom.domain.opening import opening_of, with_opening
from citeloom.domain.passage import EmbeddedChunk, Selection, SparseVector, StoredChunk
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.printed_pages import printed_labels
from citeloom.domain.project import Project

_GROUP_CHUNKS = 256
"""Documents are embedded together until they have so many chunks: long batches of like length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A document cut into chunks and matched, ready for its vectors."""

    document: PlannedDocument
    match: Match
    chunked: ChunkedDocument
    pages: int
    depends_on_ocr: bool


def grouped(prepared: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    """Documents in their order, in groups of at least `_GROUP_CHUNKS` chunks, the last shorter."""
    group: list[Prepared] = []
    for one in prepared:
        group.append(one)
        if sum(len(p.chunked.chunks) for p in group) >= _GROUP_CHUNKS:
            yield group
            group = []
    if group:
        yield group


def embed(
    chunks: Sequence[StoredChunk], dense: DenseEmbedder, sparse: SparseEmbedder | None
) -> list[EmbeddedChunk]:
    """The chunks with their vectors, in their order; sparse ones where there is an embedder.

    The chunks of a document come together and all at once: each carries the document's opening.
    """
    texts = [stored.chunk.embedding_text for stored in chunks]
    vectors = dense.embed_passages(texts)
    if sparse is None:
        return [EmbeddedChunk(stored=s, dense=d) for s, d in zip(chunks, vectors)]
    openings = _openings(chunks, sparse)
    return [
        EmbeddedChunk(stored=s, dense=d, sparse=with_opening(v, openings[s.chunk.doc_id]))
        for s, d, v in zip(chunks, vectors, sparse.embed_passages(texts))
    ]


def _openings(chunks: Sequence[StoredChunk], sparse: SparseEmbedder) -> dict[str, SparseVector]:
    """The terms of each document's opening."""
    documents: dict[str, list[StoredChunk]] = {}
    for stored in chunks:
        documents.setdefault(stored.chunk.doc_id, []).append(stored)
    openings = [_opening(document) for document in documents.values()]
    return dict(zip(documents, sparse.embed_passages(openings)))


def _opening(document: Sequence[StoredChunk]) -> str:
    """What a document opens with; a reader's mark has none, but names of its work what one says."""
    first = document[0]
    if first.chunk.mark is None:
        return opening_of(stored.chunk for stored in document)
    return "\n".join((first.citation.title, *first.citation.authors)) if first.citation else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Cuts, embeds and stores documents of one project in one collection.

    `policy` is the project's chunking policy fitted to the dense model's window.
    """

    project: Project
    policy: ChunkingPolicy
    target: Target
    counter: TokenCounter
    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    index: VectorIndex
    clock: Clock
    report: IngestReport

    def prepare(
        self, document: PlannedDocument, result: ConversionResult, match: Match
    ) -> Prepared:
        """Cut a document. Raises `EmptyDocument` when nothing of it is worth keeping."""
        started = self.clock.monotonic()
        citation = match.citation
        labels = printed_labels(result, citation.pages if citation else None)
        chunked = chunk_document(
            replace(result, page_labels=labels),
            policy=self.policy,
            embedding_model=self.project.embedding_model,
            special_tokens=self.counter.special_tokens,
            count_all=self.counter.count_all,
        )
        self.report.spend("chunk", self.clock.monotonic() - started)
        if not chunked.chunks:
            raise _nothing_kept(result, chunked)
        return Prepared(
            document=document,
            match=match,
            chunked=chunked,
            pages=result.page_count,
            depends_on_ocr=result.depends_on_ocr,
        )

    def store(self, group: Sequence[Prepared]) -> Iterator[Prepared]:
        """Embed a group together, store it, and yield each document once all of it is safe.

        A document's new chunks are stored before stale ones go, so that at no moment it is
        without. One flush serves the group: it may cost as much as all the rest of storing.
        """
        stored = [self._stored(one) for one in group]
        started = self.clock.monotonic()
        together = [chunk for chunks in stored for chunk in chunks]
        embedded = embed(together, self.dense, self.sparse)
        self.report.spend("embed", self.clock.monotonic() - started)
        started = self.clock.monotonic()
        first = 0
        for one, chunks in zip(group, stored):
            self._replace(one, embedded[first : first + len(chunks)])
            first += len(chunks)
        self.index.flush(self.target.name)
        self.report.spend("store", self.clock.monotonic() - started)
        yield from group

    def _stored(self, prepared: Prepared) -> list[StoredChunk]:
        origin = prepared.document.origin
        return [
            StoredChunk(
                project_id=self.project.id,
                chunk=chunk,
                source_path=prepared.document.file.name,
                citation=prepared.match.citation,
                attachment_key=origin.attachment_key if origin else None,
                zotero_library=origin.library if origin else None,
                embed_model=self.project.embedding_model,
                sparse_model=self.project.bound_sparse_model,
            )
            for chunk in prepared.chunked.chunks
        ]

    def _replace(self, prepared: Prepared, chunks: list[EmbeddedChunk]) -> None:
        """Store the new chunks, then delete what the document had before and has no more."""
        name, counts = self.target.name, self.report.chunks
        selection = Selection(project_id=self.project.id, doc_id=prepared.document.doc_id)
        ids = frozenset(chunk.stored.chunk.id for chunk in chunks)
        known = self.index.chunk_ids(name, selection)
        self.index.upsert(name, chunks)
        counts.removed += self.index.delete(name, selection, keep=ids)
        counts.added += len(ids - known)
        counts.rewritten += len(ids & known)
        self._count(prepared)

    def _count(self, prepared: Prepared) -> None:
        counts, chunked = self.report.chunks, prepared.chunked
        counts.body_characters += chunked.body_characters
        counts.kept_characters += chunked.kept_characters
        counts.with_heading += sum(bool(chunk.section_path) for chunk in chunked.chunks)
        for reason, number in chunked.filtered.items():
            counts.filtered[reason.value] = counts.filtered.get(reason.value, 0) + number


def _nothing_kept(result: ConversionResult, chunked: ChunkedDocument) -> EmptyDocument:
    dropped = ", ".join(f"{n} {reason.value}" for reason, n in chunked.filtered.items())
    if result.depends_on_ocr:
        hint = "Where pages are images, see that OCR is on and reads their language (--ocr-lang)."
    elif FilterReason.TOO_SHORT in chunked.filtered:
        hint = "If so short a text is wanted, lower min_chunk_tokens under [chunking]."
    elif FilterReason.LOW_SIGNAL in chunked.filtered:
        hint = "If text like this is wanted, lower min_signal_to_noise under [chunking]."
    else:
        hint = "Look whether it is the whole document."
    return EmptyDocument(f"no text worth a chunk was found ({dropped or 'no text at all'})", hint)
