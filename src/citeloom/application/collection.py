"""A project's collection: found, checked or made before it is used; the documents in it, and its
chunks selected by filters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from citeloom.application.ports.vector_index import Capability, VectorIndex, VectorReader
from citeloom.domain.chunks.chunk import LEFT_OUT, MARKS
from citeloom.domain.errors import EmbeddingMismatch, InvalidProject, NotFound, nearest
from citeloom.domain.project import Collection, Project
from citeloom.domain.retrieval.filters import Filters, resolved, section_key, section_keys
from citeloom.domain.retrieval.passage import Selection, StoredChunk

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder
    from citeloom.application.ports.runtime import Clock


def existing_collection(index: VectorReader, project: Project) -> Collection:
    """The project's collection, found without opening it.

    Raises `InvalidProject` when there is none yet, or it is another project's.
    """
    bound = owned_collection(index, project)
    if bound is None:
        hint = f"Ingest something first: citeloom ingest --project {project.id} FOLDER"
        if Capability.RESTORE in index.capabilities:
            hint += ". If you have, its collection lost its name in the store: `citeloom repair`"
        raise InvalidProject(f"nothing has been ingested into project '{project.id}' yet", hint)
    return bound


def owned_collection(index: VectorReader, project: Project) -> Collection | None:
    """The project's collection, or None where there is none yet.

    Raises `InvalidProject` when it is another project's.
    """
    bound = index.binding(project.collection)
    if bound is not None and bound.project_id != project.id:
        raise InvalidProject(
            f"collection '{bound.name}' belongs to project '{bound.project_id}', "
            f"not to '{project.id}'",
            f'Give this project a collection of its own: collection = "…" under '
            f'[project."{project.id}"].',
        )
    return bound


def bound_collection(index: VectorReader, project: Project) -> Collection:
    """The project's collection, checked for the project's models.

    Raises `InvalidProject` when there is none yet or it is another project's, `EmbeddingMismatch`
    when it has other models.
    """
    bound = existing_collection(index, project)
    check_binding(bound, project)
    return bound


def stored_passage(index: VectorReader, project: Project, chunk_id: str) -> StoredChunk:
    """The passage of a project with that id. Raises `NotFound` where there is none."""
    existing_collection(index, project)
    stored = index.fetch(project.collection, Selection(project_id=project.id), [chunk_id])
    if not stored:
        raise NotFound(
            f"project '{project.id}' has no passage '{chunk_id}'",
            "A query returns the ids of passages; `citeloom query` prints them with --format json.",
        )
    return stored[0]


def check_binding(bound: Collection, project: Project) -> None:
    """Raise `EmbeddingMismatch` unless the collection is bound to the project's models."""
    for what, has, configured in (
        ("embedding model", bound.dense_model, project.embedding_model),
        ("sparse model", bound.sparse_model, project.bound_sparse_model),
    ):
        if has != configured:
            raise EmbeddingMismatch(
                f"collection '{bound.name}' is bound to the {what} {has or 'none'}, "
                f"but project '{project.id}' asks for {configured or 'none'}",
                "Set the project's model back, or rebuild the collection with the new model: "
                f"citeloom ingest --project {project.id} --rebuild",
            )
    _check_vectors(bound, project)


def check_dimension(bound: Collection, dimension: int) -> None:
    """Raise `EmbeddingMismatch` unless the collection's vectors have that many dimensions."""
    if bound.dimension != dimension:
        raise EmbeddingMismatch(
            f"collection '{bound.name}' holds vectors of {bound.dimension} dimensions; "
            f"{bound.dense_model} gives {dimension}",
            "Set the model's dimension back, or rebuild the collection: "
            f"citeloom ingest --project {bound.project_id} --rebuild",
        )


def _check_vectors(bound: Collection, project: Project) -> None:
    """Raise `EmbeddingMismatch` unless the same text would have the same vector as before."""
    if bound.dense_inputs != project.dense_inputs:
        raise EmbeddingMismatch(
            f"collection '{bound.name}' is bound to {bound.dense_model} asked as "
            f"{bound.dense_inputs or 'a local model'}, but project '{project.id}' asks it as "
            f"{project.dense_inputs or 'a local model'}",
            "Set the model's prefixes back, or rebuild the collection: "
            f"citeloom ingest --project {project.id} --rebuild",
        )
    if project.remote is not None and project.remote.dimension is not None:
        check_dimension(bound, project.remote.dimension)


# The collection an ingest fills: the project's own, a new one, or its successor.


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where chunks are written: `name` is the collection in the index, `generation` is recorded in
    the entries.

    `collection` is the project's, which a staged target is to replace.
    """

    name: str
    collection: str
    generation: str
    staged: bool = False


def current_target(index: VectorIndex, project: Project, *, rebuild: bool) -> Target | None:
    """The collection to fill if it is already there, or None if it has to be made first."""
    bound = owned_collection(index, project)
    if bound is None or rebuild:
        return None
    check_binding(bound, project)
    return Target(name=bound.name, collection=bound.name, generation=bound.generation)


def make_target(index: VectorIndex, project: Project, dense: DenseEmbedder, clock: Clock) -> Target:
    """Make the project's collection, or stage a successor beside the one there is."""
    collection = Collection(
        name=project.collection,
        project_id=project.id,
        generation=uuid4().hex,
        dense_model=project.embedding_model,
        dimension=dense.dimension,
        dense_inputs=project.dense_inputs,
        dense_arithmetic=dense.arithmetic,
        sparse_model=project.bound_sparse_model,
        on_disk_vectors=project.on_disk_vectors,
        on_disk_hnsw=project.on_disk_hnsw,
        created_at=clock.now(),
    )
    if index.binding(project.collection) is None:
        index.create(collection)
        made = index.binding(collection.name) or collection  # another client's, if it was first
        return Target(name=made.name, collection=made.name, generation=made.generation)
    name = index.stage(collection)
    staged = index.staged(project.collection) or collection
    return Target(name=name, collection=collection.name, generation=staged.generation, staged=True)


# The documents in a collection, and the machines that ingested them.


def stored_documents(index: VectorIndex, name: str, project_id: str) -> dict[str, int]:
    """Chunk counts by document id, without annotations and notes."""
    return index.facets(name, "doc_id", Selection(project_id=project_id, without_kinds=MARKS))


def first_chunk(index: VectorReader, name: str, project_id: str, doc_id: str) -> StoredChunk | None:
    """The first chunk of a document, or any; None if it is not stored."""
    for chunks in ((0, 0), None):
        selection = Selection(project_id=project_id, doc_id=doc_id, chunks=chunks)
        for stored in index.scroll(name, selection):
            return stored
    return None


def is_of_others(stored: StoredChunk | None, machine: str | None) -> bool:
    """Whether a chunk was ingested on other machines alone; `machine` is this one, None where the
    store is its own.
    """
    return (
        machine is not None
        and stored is not None
        and bool(stored.machines)
        and machine not in stored.machines
    )


def documents_of_others(
    index: VectorReader, name: str, project_id: str, machine: str | None, listed: AbstractSet[str]
) -> dict[str, tuple[str, ...]]:
    """The machines of each document that other machines ingested and that is not `listed` here."""
    if machine is None:
        return {}
    body = Selection(project_id=project_id, without_kinds=MARKS)
    if not index.facets(name, "doc_id", body).keys() - listed:
        return {}
    return {
        stored.chunk.doc_id: stored.machines
        for stored in index.scroll(name, replace(body, chunks=(0, 0)))
        if stored.chunk.doc_id not in listed and is_of_others(stored, machine)
    }


# The selection of chunks by filters, and notes on filters that select nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterTranslation:
    """Translates the filters of one project's queries."""

    reader: VectorReader
    project: Project

    def selection(self, filters: Filters) -> Selection:
        """The selection for the filters. Tags match case-insensitively; without `kinds`, reference
        lists are excluded. Raises `InvalidFilter` for a condition on an unknown field of front
        matter, or one that does not fit its type.
        """
        return Selection(
            project_id=self.project.id,
            doc_id=filters.doc_id,
            citekey=filters.citekey,
            tags=self._spellings(filters.tags),
            year_from=filters.year_from,
            year_to=filters.year_to,
            kinds=filters.kinds,
            without_kinds=() if filters.kinds else LEFT_OUT,
            section=filters.section,
            source_path=filters.source_path,
            where=tuple(resolved(where, self.project.front_matter) for where in filters.where),
        )

    def notes(self, filters: Filters) -> tuple[str, ...]:
        """Why the filters select nothing: unknown values with the nearest known ones, or that no
        passage matches all filters; empty if something is selected.
        """
        selection = self.selection(filters)
        if filters == Filters() or self.reader.count(self.project.collection, selection):
            return ()
        return tuple(self._unknown(filters)) or ("no passage in the project meets all the filters",)

    def _spellings(self, tags: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        if not tags:
            return ()
        stored = sorted(self._values("tags"))
        return tuple(
            tuple(value for value in stored if value.casefold() == tag.casefold()) or (tag,)
            for tag in tags
        )

    def _unknown(self, filters: Filters) -> Iterator[str]:
        requested = [("tag", "tags", tag) for tag in filters.tags]
        for what, key, value in (
            ("document", "doc_id", filters.doc_id),
            ("citekey", "citekey", filters.citekey),
            ("section", "section_keys", filters.section and section_key(filters.section)),
            ("source", "source_path", filters.source_path),
        ):
            if value:
                requested.append((what, key, str(value)))
        for what, key, value in requested:
            known = self._values(key)
            if value.casefold() not in {value.casefold() for value in known}:
                yield _note(what, value, known)

    def _values(self, key: str) -> Iterable[str]:
        """The values of a field in the project."""
        everything = Selection(project_id=self.project.id)
        if Capability.FACETS in self.reader.capabilities:
            return self.reader.facets(self.project.collection, key, everything)
        stored = self.reader.scroll(self.project.collection, everything)
        return Counter(value for stored_value in stored for value in _FIELDS[key](stored_value))


_FIELDS: dict[str, Callable[[StoredChunk], tuple[str, ...]]] = {
    "doc_id": lambda stored: (stored.chunk.doc_id,),
    "citekey": lambda stored: (stored.citation.citekey,) if stored.citation else (),
    "tags": lambda stored: stored.citation.tags if stored.citation else (),
    "section_keys": lambda stored: section_keys(stored.chunk.section_path),
    "source_path": lambda stored: (stored.source_path,),
}


def _note(what: str, value: str, known: Iterable[str]) -> str:
    near = nearest(value, known)
    return f"the project has no {what} '{value}'" + (
        f"; nearest: {', '.join(near)}" if near else ""
    )
