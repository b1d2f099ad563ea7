"""A project that passes validation, and ways to spoil it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.vector_index import CitationUpdate, MetadataUpdate
from citeloom.application.requests.passages import ValidateRequest
from citeloom.application.validate import Validate, ValidationReport
from citeloom.domain.chunks.chunk import chunk_id
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.retrieval.passage import EmbeddedChunk, ExaminedChunk, Selection, StoredChunk
from citeloom.domain.validation import ValidationPolicy
from tests.fakes.embedders import HashingDense, PieceCounter
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import (
    EVERYTHING,
    PROJECT,
    RYE,
    A,
    B,
    Library,
    WatchedIndex,
    open_project,
    paper,
)


class TamperedIndex(WatchedIndex):
    """A store in which something has changed what lies there."""

    tamper: Callable[[ExaminedChunk], ExaminedChunk] = staticmethod(lambda examined: examined)

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        return map(self.tamper, super().examine(name, selection))


@dataclass
class Gate:
    """A library, the policy it is checked by, and what tests may spoil."""

    library: Library
    policy: ValidationPolicy
    counter: PieceCounter
    dense: HashingDense

    def check(
        self,
        *,
        only: Collection[str] = (),
        skip: Collection[str] = (),
        cancellation: Cancellation | None = None,
    ) -> ValidationReport:
        library = self.library
        return Validate(
            project=open_project(library),
            policy=self.policy,
            references=library.references,
            counter=self.counter,
            dense=self.dense,
        )(ValidateRequest(only=only, skip=skip, cancellation=cancellation))

    def tamper(self, change: Callable[[ExaminedChunk], ExaminedChunk]) -> None:
        """Change the first chunk of the first paper as it lies in the store."""

        def changed(examined: ExaminedChunk) -> ExaminedChunk:
            stored = examined.stored
            is_first = stored and (stored.source_path, stored.chunk.chunk_idx) == (A, 0)
            return change(examined) if is_first else examined

        assert isinstance(self.library.index, TamperedIndex)
        self.library.index.tamper = changed

    def spoil(self, change: Callable[[StoredChunk], StoredChunk], *, index: int = 0) -> None:
        """Put another chunk in the place of one of the first paper's."""
        (old,) = (
            stored
            for stored in self.library.stored().values()
            if stored.source_path == A and stored.chunk.chunk_idx == index
        )
        selection = replace(EVERYTHING, doc_id=old.chunk.doc_id)
        others = self.library.index.chunk_ids(PROJECT.collection, selection) - {old.chunk.id}
        self.library.index.delete(PROJECT.collection, selection, keep=others)
        self.put(change(old))

    def put(self, stored: StoredChunk) -> None:
        text = stored.chunk.text
        embedded = EmbeddedChunk(
            stored=stored,
            dense=self.library.dense.embed_query(text),
            sparse=self.library.sparse.embed_query(text),
        )
        self.library.index.upsert(PROJECT.collection, [embedded])

    def enter(self, path: str, change: Callable[[ManifestEntry], ManifestEntry]) -> None:
        """Change an entry of the catalogue."""
        entry = self.library.manifest.get(PROJECT.id, path)
        assert entry is not None
        self.library.manifest.put(change(entry))


def sound_gate() -> Gate:
    """A clean project of two papers with their references."""
    library = Library({A: paper("wheat"), B: paper("barley")})
    library.index = TamperedIndex(library.fuse)
    library.references = MemoryReferenceLibrary(
        RYE,
        replace(RYE, citekey="barley2002"),
        mapping={"a.txt": "rye2001", "b.txt": "barley2002"},
    )
    library.ingest()
    return Gate(library, ValidationPolicy(), library.counter, library.dense)


def moved_to(stored: StoredChunk, **place: object) -> StoredChunk:
    """The chunk in another place, under the id that place gives it."""
    chunk = replace(stored.chunk, **place)  # type: ignore[arg-type]
    name = chunk_id(
        doc_id=chunk.doc_id,
        page_span=chunk.page_span,
        section_path=chunk.section_path,
        embedding_model=stored.embed_model,
        index=chunk.chunk_idx,
    )
    return replace(stored, chunk=replace(chunk, id=name))


def uncite(gate: Gate, path: str) -> None:
    """Take a document's reference away, from the manifest and from its chunks."""
    gate.enter(path, lambda entry: replace(entry, citekey=None))
    selection = replace(EVERYTHING, source_path=path)
    none = MetadataUpdate(citation=CitationUpdate(citation=None))
    gate.library.index.update_metadata(PROJECT.collection, selection, none)
