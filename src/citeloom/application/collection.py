"""The collection that an ingest fills, the documents in it, and its chunks selected by filters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import TYPE_CHECKING
from uuid import uuid4

from citeloom.application.open_project import OpenProject, check_binding
from citeloom.application.ports.vector_index import Capability, VectorIndex
from citeloom.domain.chunks.chunk import LEFT_OUT, MARKS
from citeloom.domain.errors import InvalidFilter, nearest, nearest_hint
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.filters import (
    ALIASES,
    READING_AGAIN,
    SCOPES,
    Conditions,
    Filters,
    resolved,
    section_key,
)
from citeloom.domain.retrieval.passage import Selection, StoredChunk, keywords

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder


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


def current_target(project: OpenProject, *, rebuild: bool) -> Target | None:
    """The collection to fill if it is already there, or None if it has to be made first."""
    bound = project.find_collection()
    if bound is None or rebuild:
        return None
    check_binding(bound, project.settings)
    return Target(name=bound.name, collection=bound.name, generation=bound.generation)


def make_target(project: OpenProject, dense: DenseEmbedder) -> Target:
    """Make the project's collection, or stage a successor beside the one there is."""
    settings, index = project.settings, project.index
    collection = Collection(
        name=settings.collection,
        project_id=settings.id,
        generation=uuid4().hex,
        dense_model=settings.embedding_model,
        dimension=dense.dimension,
        dense_inputs=settings.dense_inputs,
        dense_arithmetic=dense.arithmetic,
        sparse_model=settings.bound_sparse_model,
        on_disk_vectors=settings.on_disk_vectors,
        on_disk_hnsw=settings.on_disk_hnsw,
        created_at=project.clock.now(),
    )
    if index.binding(collection.name) is None:
        index.create(collection)
        created = index.binding(collection.name) or collection  # another client's, if it was first
        return Target(name=created.name, collection=created.name, generation=created.generation)
    name = index.stage(collection)
    staged = index.staged(collection.name) or collection
    return Target(name=name, collection=collection.name, generation=staged.generation, staged=True)


# The documents in a collection, and the machines that ingested them.


def stored_documents(index: VectorIndex, name: str, project_id: str) -> dict[str, int]:
    """Chunk counts by document id, without annotations and notes."""
    return index.facets(name, "doc_id", Selection(project_id=project_id, without_kinds=MARKS))


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
    project: OpenProject, listed: AbstractSet[str]
) -> dict[str, tuple[str, ...]]:
    """The machines of each document that other machines ingested and that is not `listed` here."""
    machine = project.machine
    if machine is None:
        return {}
    body = replace(project.everything, without_kinds=MARKS)
    if not project.facets("doc_id", body).keys() - listed:
        return {}
    return {
        stored.chunk.doc_id: stored.machines
        for stored in project.chunks(replace(body, chunks=(0, 0)))
        if stored.chunk.doc_id not in listed and is_of_others(stored, machine)
    }


def empty_note(project: OpenProject) -> tuple[str, ...]:
    """What to do in a project of which nothing is indexed; nothing in any other."""
    if project.index.count(project.collection, project.everything):
        return ()
    return (
        f"nothing is indexed in project '{project.id}': put documents into its sources, then run "
        f"citeloom ingest --project {project.id}",
    )


# The selection of chunks by filters, and notes on filters that select nothing.


def selection_of(project: OpenProject, filters: Filters) -> Selection:
    """The selection for the filters. Without `kinds`, reference lists are excluded.

    Raises `InvalidFilter` for a condition on an unknown field of front matter, or one that does
    not fit its type, and for a tag, a collection or the like that nothing in the project has.
    """
    conditions = {field.name: getattr(filters, field.name) for field in fields(Conditions)}
    schema = project.settings.front_matter
    if _aliases(project, filters):
        conditions["citekey"] = None
    conditions["where"] = tuple(resolved(where, schema) for where in filters.where)
    return Selection(
        project_id=project.id,
        scopes=(*_scopes(project, filters), *_aliases(project, filters)),
        without_kinds=() if filters.kinds else LEFT_OUT,
        **conditions,
    )


def filter_notes(project: OpenProject, filters: Filters) -> tuple[str, ...]:
    """Why the filters select nothing: unknown values with the nearest known ones, or that no
    passage matches all filters; empty if something is selected.
    """
    name, selection = project.collection, selection_of(project, filters)
    if filters == Filters() or project.index.count(name, selection):
        return ()
    notes, requested = [], []
    if filters.added_since and not project.index.count(
        name, replace(project.everything, added_since=date.min)
    ):
        notes.append(f"no passage has the day it was added to Zotero; {READING_AGAIN}")
    for what, key, value in (
        ("document", "doc_id", filters.doc_id),
        ("citekey", "citekey", filters.citekey),
        ("section", "section_keys", filters.section and section_key(filters.section)),
        ("source", "source_path", filters.source_path),
    ):
        if value:
            requested.append((what, key, str(value)))
    for what, key, value in requested:
        values = _values(project, key)
        if value.casefold() not in {stored.casefold() for stored in values}:
            near = nearest(value, values)
            hint = f"; nearest: {', '.join(near)}" if near else ""
            notes.append(f"the project has no {what} '{value}'{hint}")
    return tuple(notes) or ("no passage in the project meets all the filters",)


def _scopes(project: OpenProject, filters: Filters) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The key and the stored values of each group of which a chunk must have one."""
    for scope in SCOPES:
        requested: tuple[str, ...] = getattr(filters, scope.name)
        known = sorted(_values(project, scope.key)) if requested else []
        groups = [
            [value for value in known if scope.matches(text, value, filters.subcollections)]
            for text in requested
        ]
        for text, values in zip(requested, groups):
            if not values:
                raise InvalidFilter(
                    f"the project has no {scope.noun} '{text}'",
                    _BELOW
                    if any(scope.matches(text, value, True) for value in known)
                    else _hint(text, known, scope.adding),
                )
        if not scope.every and groups:
            groups = [[value for values in groups for value in values]]
        yield from ((scope.key, tuple(dict.fromkeys(values))) for values in groups)


_BELOW = "The works are in its subcollections: count these, too, with --subcollections."


def _hint(text: str, known: Sequence[str], adding: str) -> str:
    """The nearest of the values that there are, or all of a few, or how passages get some."""
    if not known:
        return f"No passage has one; {adding}."
    named = [value for value in known if not _KEYS.fullmatch(value)]
    few = f"There are: {'; '.join(named)}." if len(named) <= _FEW else _MANY
    return nearest_hint(text, named, few)


_KEYS = re.compile(r"[A-Z0-9]{8}(?:/[A-Z0-9]{8})*")
"""Keys of a collection in Zotero, and of those above it."""
_FEW = 10
_MANY = "`citeloom list --json` shows what each document has."


def _aliases(project: OpenProject, filters: Filters) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The alias that a citekey is, where no work is cited by it."""
    if filters.citekey is None or project.find_collection() is None:
        return ()
    cited = replace(project.everything, citekey=filters.citekey)
    if project.index.count(project.collection, cited):
        return ()
    alias = filters.citekey
    return ((ALIASES, (alias,)),) if alias in set(_values(project, ALIASES)) else ()


def _values(project: OpenProject, key: str) -> Iterable[str]:
    if Capability.FACETS in project.index.capabilities:
        return project.facets(key)
    return Counter(value for stored in project.chunks() for value in keywords(stored, key))
