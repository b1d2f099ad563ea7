"""The vector index as a dictionary: brute force, and so the reference for every other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from citeloom.application.ports.vector_index import (
    Capability,
    CollectionState,
    IndexDescription,
    MetadataUpdate,
    StoreAddress,
    StoreState,
    VectorIndex,
)
from citeloom.domain.documents.metadata import MetadataValue, number_of
from citeloom.domain.documents.printed_pages import span_labels
from citeloom.domain.errors import (
    EmbeddingMismatch,
    HybridNotSupported,
    InvalidProject,
)
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import Operator, Where, section_key, section_keys
from citeloom.domain.retrieval.passage import (
    BatchHits,
    ChunkText,
    DenseVector,
    EmbeddedChunk,
    ExaminedChunk,
    Hit,
    IndexQuery,
    Match,
    Selection,
    SparseVector,
    StoredChunk,
    keywords,
)

_REBUILD = "@rebuild"


@dataclass
class _StoredDocuments:
    collection: Collection
    chunks: dict[str, EmbeddedChunk] = field(default_factory=dict)


class InMemoryIndex(VectorIndex):
    """Keeps every chunk in memory and looks at each of them to answer.

    It can do everything itself until it is restricted. `batches` counts the exchanges in which it
    was searched.
    """

    def __init__(self) -> None:
        self.batches = 0
        self.nameless: dict[str, _StoredDocuments] = {}
        self.problems: tuple[str, ...] = ()
        self._capabilities = frozenset(Capability)
        self._shelves: dict[str, _StoredDocuments] = {}

    def binding(self, name: str) -> Collection | None:
        shelf = self._shelves.get(name)
        return shelf.collection if shelf else None

    def create(self, collection: Collection) -> None:
        shelf = self._shelves.setdefault(collection.name, _StoredDocuments(collection))
        if shelf.collection.project_id != collection.project_id:
            raise InvalidProject(
                f"Collection '{collection.name}' belongs to project "
                f"'{shelf.collection.project_id}', not to '{collection.project_id}'",
                "Choose another name.",
            )
        if _models(shelf.collection) != _models(collection):
            raise EmbeddingMismatch(
                f"Collection '{collection.name}' is bound to {_models(shelf.collection)}, "
                f"not to {_models(collection)}",
                "Use `citeloom ingest --rebuild`.",
            )

    def restore(self, name: str) -> bool:
        lost = self.nameless.pop(name, None)
        if lost is not None:
            self._shelves[name] = lost
        return lost is not None

    def lose_name(self, name: str) -> None:
        """Keep the collection, but under no name."""
        self.nameless[name] = self._shelves.pop(name)

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        shelf = self._shelf(name)
        for chunk in chunks:
            _check_chunk(shelf.collection, chunk)
        shelf.chunks |= {chunk.stored.chunk.id: chunk for chunk in chunks}

    def chunk_ids(self, name: str, selection: Selection) -> frozenset[str]:
        return frozenset(stored.chunk.id for stored in self.scroll(name, selection))

    def delete(self, name: str, selection: Selection, *, keep: frozenset[str] = frozenset()) -> int:
        gone = self.chunk_ids(name, selection) - keep
        for chunk_id in gone:
            del self._shelf(name).chunks[chunk_id]
        return len(gone)

    def update_metadata(self, name: str, selection: Selection, update: MetadataUpdate) -> None:
        chunks = self._shelf(name).chunks
        for chunk_id in self.chunk_ids(name, selection):
            stored = _updated(chunks[chunk_id].stored, update)
            chunks[chunk_id] = replace(chunks[chunk_id], stored=stored)

    def restrict(self, capabilities: frozenset[Capability]) -> None:
        """Do no more than this from now on, as a store that only searches."""
        self._capabilities = capabilities

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self._capabilities

    def _found(self, name: str, query: IndexQuery) -> list[Hit]:
        shelf = self._shelf(name)
        if query.mode is not Mode.DENSE and not shelf.collection.hybrid:
            raise HybridNotSupported(
                f"Collection '{name}' has no sparse vectors", "Ask a dense query."
            )
        if query.mode is not Mode.SPARSE and query.dense is not None:
            _check_dense(shelf.collection, query.dense)
        scores = self._scores(shelf, query)
        ranked = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
        return [
            _hit(shelf.chunks[chunk_id], scores[chunk_id], query)
            for chunk_id in ranked[: query.limit]
        ]

    def search_batch(
        self, name: str, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()
    ) -> BatchHits:
        self.batches += 1
        return BatchHits(
            hits=tuple(self._found(name, query) for query in queries),
            matches=tuple(
                [
                    Match(
                        chunk_id=hit.stored.chunk.id,
                        score=hit.score,
                        dense=hit.dense,
                        sparse=hit.sparse,
                    )
                    for hit in self._found(name, query)
                ]
                for query in matches
            ),
        )

    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        found = {stored.chunk.id: stored for stored in self.scroll(name, selection)}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def scroll(self, name: str, selection: Selection) -> Iterator[StoredChunk]:
        chunks = list(self._shelf(name).chunks.values())
        return (chunk.stored for chunk in chunks if _selected(selection, chunk.stored))

    def scroll_batch(self, name: str, selections: Sequence[Selection]) -> list[list[StoredChunk]]:
        self.batches += 1
        return [list(self.scroll(name, selection)) for selection in selections]

    def texts(self, name: str, selection: Selection) -> Iterator[ChunkText]:
        return map(ChunkText.of, self.scroll(name, selection))

    def search_texts(self, name: str, query: IndexQuery) -> list[ChunkText]:
        return [ChunkText.of(hit.stored) for hit in self.search(name, query)]

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        chunks = list(self._shelf(name).chunks.values())
        return (
            ExaminedChunk(
                id=chunk.stored.chunk.id,
                text=chunk.stored.chunk.text,
                stored=chunk.stored,
                dense=chunk.dense,
                sparse=chunk.sparse,
            )
            for chunk in chunks
            if _selected(selection, chunk.stored)
        )

    def count(self, name: str, selection: Selection) -> int:
        return len(self.chunk_ids(name, selection))

    def facets(self, name: str, key: str, selection: Selection) -> dict[str, int]:
        if Capability.FACETS not in self._capabilities:
            raise ValueError("this store does not count by values")
        stored = self.scroll(name, selection)
        try:
            return dict(Counter(value for chunk in stored for value in set(keywords(chunk, key))))
        except KeyError:
            raise ValueError(f"'{key}' is not a keyword field") from None

    def describe(self, name: str) -> IndexDescription:
        shelf = self._shelf(name)
        return IndexDescription(
            collection=shelf.collection,
            points=len(shelf.chunks),
            indexed_fields={},
            storage="memory",
            problems=self.problems,
        )

    def check(self, names: Sequence[str]) -> StoreState:
        states = [
            CollectionState(name=name, exists=True, points=len(self._shelves[name].chunks))
            if name in self._shelves
            else CollectionState(name=name, exists=False)
            for name in names
        ]
        here = StoreAddress(address="memory")
        return StoreState(
            kind="memory",
            remote=False,
            addresses=(here,),
            may_read=True,
            may_write=True,
            collections=tuple(states),
        )

    def flush(self, name: str) -> None:
        self._shelf(name)

    def optimize(self, name: str) -> None:
        self._shelf(name)

    def stage(self, collection: Collection) -> str:
        self._shelf(collection.name)
        name = collection.name + _REBUILD
        staged = self.binding(name)
        if staged is None or _models(staged) != _models(collection):
            self._shelves[name] = _StoredDocuments(collection)
        return name

    def staged(self, name: str) -> Collection | None:
        return self.binding(name + _REBUILD)

    def promote(self, name: str) -> None:
        self._shelves[name] = self._shelf(name + _REBUILD)
        del self._shelves[name + _REBUILD]

    def drop(self, name: str) -> None:
        self._shelf(name)
        del self._shelves[name]
        self._shelves.pop(name + _REBUILD, None)

    def close(self) -> None:
        """Nothing is open."""

    def _scores(self, shelf: _StoredDocuments, query: IndexQuery) -> dict[str, float]:
        sides: list[dict[str, float]] = []
        if query.mode is not Mode.SPARSE and query.dense is not None:
            dense = query.dense
            sides.append(
                {
                    chunk_id: _cosine(dense, chunk.dense)
                    for chunk_id, chunk in shelf.chunks.items()
                    if _selected(query.selection, chunk.stored)
                }
            )
        if query.mode is not Mode.DENSE and query.sparse is not None:
            weighs = Capability.IDF in self._capabilities
            sides.append(_sparse_scores(shelf, query.selection, query.sparse, weighs=weighs))
        if query.mode is not Mode.HYBRID:
            return sides[0]
        if Capability.FUSION not in self._capabilities:
            raise ValueError("this store does not fuse")
        fused: dict[str, float] = {}
        for side in sides:
            ranked = sorted(side, key=lambda chunk_id: (-side[chunk_id], chunk_id))
            for rank, chunk_id in enumerate(ranked[: max(query.candidates, query.limit)], start=1):
                fused[chunk_id] = fused.get(chunk_id, 0.0) + 1 / (query.rrf_k + rank)
        return fused

    def _shelf(self, name: str) -> _StoredDocuments:
        if name not in self._shelves:
            raise InvalidProject(f"There is no collection '{name}'", "Create it first.")
        return self._shelves[name]


def _hit(chunk: EmbeddedChunk, score: float, query: IndexQuery) -> Hit:
    if not query.with_vectors:
        return Hit(stored=chunk.stored, score=score)
    dense = None if query.sparse_alone else chunk.dense
    return Hit(stored=chunk.stored, score=score, dense=dense, sparse=chunk.sparse)


def _models(collection: Collection) -> tuple[str, int, str | None]:
    return collection.dense_model, collection.dimension, collection.sparse_model


def _check_chunk(collection: Collection, chunk: EmbeddedChunk) -> None:
    stored = chunk.stored
    models = (stored.embed_model, len(chunk.dense), stored.sparse_model)
    if models != _models(collection) or (chunk.sparse is not None) != collection.hybrid:
        raise EmbeddingMismatch(
            f"Collection '{collection.name}' is bound to {_models(collection)}, not to {models}",
            "Use `citeloom ingest --rebuild`.",
        )
    _check_dense(collection, chunk.dense)
    if chunk.sparse is not None and not all(map(math.isfinite, chunk.sparse.values)):
        raise EmbeddingMismatch(
            f"A sparse vector of {models} holds a value that is no number", "Check the model."
        )


def _check_dense(collection: Collection, vector: DenseVector) -> None:
    length = sum(x * x for x in vector)
    if len(vector) != collection.dimension or not math.isfinite(length) or length == 0:
        raise EmbeddingMismatch(f"Not a vector of {_models(collection)}", "Check the model.")


def _selected(selection: Selection, stored: StoredChunk) -> bool:
    chunk, citation = stored.chunk, stored.citation
    wanted: list[tuple[object, object]] = [
        (selection.doc_id, chunk.doc_id),
        (selection.citekey, citation.citekey if citation else None),
        (selection.source_path, stored.source_path),
    ]
    return (
        stored.project_id == selection.project_id
        and all(want is None or want == have for want, have in wanted)
        and all(set(values) & set(keywords(stored, key)) for key, values in selection.scopes)
        and _is_added_since(selection, citation)
        and _in_years(selection, citation)
        and (not selection.kinds or chunk.kind in selection.kinds)
        and chunk.kind not in selection.without_kinds
        and (
            not selection.section
            or section_key(selection.section) in section_keys(chunk.section_path, *chunk.sections)
        )
        and (
            selection.chunks is None
            or selection.chunks[0] <= chunk.chunk_idx <= selection.chunks[1]
        )
        and all(_holds(where, _value_of(where, stored)) for where in selection.where)
    )


def _value_of(where: Where, stored: StoredChunk) -> MetadataValue | None:
    if not where.on_chunk:
        return stored.metadata.get(where.field)
    chunk = stored.chunk
    lesson = chunk.lesson.section_type if chunk.lesson else None
    value = {"section_type": chunk.section_type, "lesson_section_type": lesson}[where.field]
    return None if value is None else value.value


def _is_added_since(selection: Selection, citation: CitationMeta | None) -> bool:
    if selection.added_since is None:
        return True
    day = citation.added_day if citation else None
    return day is not None and day >= selection.added_since.toordinal()


def _in_years(selection: Selection, citation: CitationMeta | None) -> bool:
    if selection.year_from is None and selection.year_to is None:
        return True
    if citation is None or citation.year is None:
        return False
    lowest = selection.year_from if selection.year_from is not None else citation.year
    highest = selection.year_to if selection.year_to is not None else citation.year
    return lowest <= citation.year <= highest


def _holds(where: Where, have: MetadataValue | None) -> bool:
    if where.operator is Operator.NOT_EQUAL:
        return not _holds(replace(where, operator=Operator.EQUAL), have)
    if have is None:
        return False
    if isinstance(where.value, tuple):
        return bool(set(where.value) & set(have if isinstance(have, tuple) else (have,)))
    number = number_of(have)
    return number is not None and _COMPARED[where.operator](number, where.value)


_COMPARED: dict[Operator, Callable[[float, float], bool]] = {
    Operator.EQUAL: lambda have, want: have == want,
    Operator.LESS: lambda have, want: have < want,
    Operator.AT_MOST: lambda have, want: have <= want,
    Operator.MORE: lambda have, want: have > want,
    Operator.AT_LEAST: lambda have, want: have >= want,
}


def _sparse_scores(
    shelf: _StoredDocuments, selection: Selection, vector: SparseVector, *, weighs: bool
) -> dict[str, float]:
    terms = {
        chunk_id: chunk.sparse.weights if chunk.sparse else {}
        for chunk_id, chunk in shelf.chunks.items()
    }
    frequency = Counter(index for of_chunk in terms.values() for index in of_chunk)
    weights = vector.weights
    if weighs:
        for index in weights:
            without, having = len(terms) - frequency[index], frequency[index]
            weights[index] *= math.log((without + 0.5) / (having + 0.5) + 1)
    return {
        chunk_id: sum(weights[index] * terms[chunk_id][index] for index in shared)
        for chunk_id, chunk in shelf.chunks.items()
        if _selected(selection, chunk.stored)
        and (shared := weights.keys() & terms[chunk_id].keys())
    }


def _cosine(a: DenseVector, b: DenseVector) -> float:
    dot = sum(x * y for x, y in zip(a, b))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def _updated(stored: StoredChunk, update: MetadataUpdate) -> StoredChunk:
    if update.citation is not None:
        stored = replace(stored, citation=update.citation.citation)
    if update.location is not None:
        origin = update.location.origin
        stored = replace(
            stored,
            source_path=update.location.source_path,
            attachment_key=origin.attachment_key if origin else None,
            zotero_library=origin.library if origin else None,
        )
    if update.page_labels is not None:
        printed = span_labels(update.page_labels, stored.chunk.page_span)
        stored = replace(stored, chunk=replace(stored.chunk, page_labels=printed))
    if update.machines is not None:
        stored = replace(stored, machines=update.machines)
    return stored
