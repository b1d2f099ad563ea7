"""The use case `inspect`: describes a project and its index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from citeloom.application.binding import existing_collection
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.vector_reader import IndexDescription
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Collection, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A project's collection, its documents by status, and some of its chunks."""

    project: Project
    description: IndexDescription
    documents: tuple[ManifestEntry, ...]
    by_status: dict[str, int]
    by_kind: dict[str, int]
    staged: Collection | None
    sample: tuple[StoredChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspect:
    """Describes a project without changing it."""

    project: Project
    index: VectorIndex
    manifest: ManifestStore

    def __call__(self, *, sample: int = 0) -> Inspection:
        """Describe the project, with `sample` of its chunks."""
        existing_collection(self.index, self.project)
        name, everything = self.project.collection, Selection(project_id=self.project.id)
        documents = self.manifest.entries(self.project.id)
        return Inspection(
            project=self.project,
            description=self.index.describe(name),
            documents=tuple(documents),
            by_status=dict(Counter(entry.status.value for entry in documents)),
            by_kind=self.index.facets(name, "kind", everything),
            staged=self.index.staged(name),
            sample=tuple(islice(self.index.scroll(name, everything), sample)),
        )
