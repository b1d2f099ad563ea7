"""The use case `map`: a project's works on a plane, those with similar texts near one another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add
from threading import Lock
from typing import Protocol

from citeloom.application.documents import ListedDocument, list_documents
from citeloom.application.open_project import OpenProject
from citeloom.domain.chunks.chunk import LEFT_OUT, MARKS
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.retrieval.passage import DenseVector


class Projection(Protocol):
    """Lays vectors of one length out on a plane."""

    @abstractmethod
    def __call__(self, vectors: Sequence[DenseVector]) -> list[tuple[float, float]]:
        """The place of each vector on the plane on which they differ most, around (0, 0): the same
        for the same vectors on every machine.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedWork:
    """A document, and its place on the map."""

    document: ListedDocument
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMap:
    """The documents of a project that have vectors, on a plane, and those that have none; each by
    path.
    """

    works: tuple[MappedWork, ...] = ()
    without_vectors: tuple[ListedDocument, ...] = ()


class MapCache:
    """The map of a project, kept until its manifest or its index changes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: tuple[Hashable, WorkMap] | None = None

    def map_of(self, project: OpenProject, projection: Projection) -> WorkMap:
        """The map; whoever asks while it is made waits for it."""
        with self._lock:
            state = _state(project)
            if self._known is None or self._known[0] != state:
                self._known = state, _mapped(project, projection)
            return self._known[1]


def map_works(project: OpenProject, projection: Projection) -> WorkMap:
    """The map of a project's works, each where the mean of the dense vectors of its text is.

    Raises `InvalidProject` if nothing has been ingested yet.
    """
    project.existing_collection()
    return project.kept(MapCache).map_of(project, projection)


def _state(project: OpenProject) -> Hashable:
    collection = project.existing_collection()
    chunks = project.index.count(collection.name, project.everything)
    entries = tuple(
        (entry.doc_id, entry.status, entry.updated_at, entry.citekey) for entry in project.entries()
    )
    return collection.generation, chunks, entries


def _mapped(project: OpenProject, projection: Projection) -> WorkMap:
    means = _mean_vectors(project)
    documents = [
        document
        for document in list_documents(project)
        if document.state is not DocumentState.DELETED
    ]
    placed = [document for document in documents if document.doc_id in means]
    places = projection([means[document.doc_id] for document in placed]) if placed else []
    return WorkMap(
        works=tuple(
            MappedWork(document=document, x=x, y=y) for document, (x, y) in zip(placed, places)
        ),
        without_vectors=tuple(document for document in documents if document.doc_id not in means),
    )


def _mean_vectors(project: OpenProject) -> Mapping[str, DenseVector]:
    """The mean vector of the text of each document; references and what readers wrote are left
    out. No more than a page of chunks is in memory at a time.
    """
    sums: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    text = replace(project.everything, without_kinds=(*MARKS, *LEFT_OUT))
    for examined in project.index.examine(project.collection, text):
        if examined.stored is None or examined.dense is None:
            continue
        doc_id = examined.stored.chunk.doc_id
        so_far = sums.get(doc_id)
        sums[doc_id] = list(map(add, so_far, examined.dense) if so_far else examined.dense)
        counts[doc_id] = counts.get(doc_id, 0) + 1
    return {doc_id: [value / counts[doc_id] for value in total] for doc_id, total in sums.items()}
