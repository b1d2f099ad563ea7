"""The use case `inspect`: describes a project and its index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, islice

from citeloom.application.binding import existing_collection
from citeloom.application.ingest.indexed_state import documents_of_others
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Collection, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A project's collection, its documents by status, and some of its chunks; of documents that
    other machines ingested their number by machine.
    """

    project: Project
    description: IndexDescription
    documents: tuple[ManifestEntry, ...]
    by_status: dict[str, int]
    by_kind: dict[str, int]
    staged: Collection | None
    sample: tuple[StoredChunk, ...]
    other_machines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    """Describes a project without changing it. `machine` is the id of this one in a store that
    several share, else None.
    """

    project: Project
    index: VectorIndex
    manifest: ManifestStore
    machine: str | None = None

    def __call__(self, *, sample: int = 0) -> Inspection:
        """Describe the project, with `sample` of its chunks."""
        existing_collection(self.index, self.project)
        name, everything = self.project.collection, Selection(project_id=self.project.id)
        documents = self.manifest.entries(self.project.id)
        listed = {entry.doc_id for entry in documents}
        others = documents_of_others(self.index, name, self.project.id, self.machine, listed)
        return Inspection(
            project=self.project,
            description=self.index.describe(name),
            documents=tuple(documents),
            by_status=dict(Counter(entry.status.value for entry in documents)),
            by_kind=self.index.facets(name, "kind", everything),
            staged=self.index.staged(name),
            sample=tuple(islice(self.index.scroll(name, everything), sample)),
            other_machines=dict(Counter(chain.from_iterable(others.values()))),
        )
