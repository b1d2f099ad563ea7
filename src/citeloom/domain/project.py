"""A library scope and the vector collection behind it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from citeloom.domain.errors import InvalidProject
from citeloom.domain.policies import (
    DEFAULT_DENSE_MODEL,
    DEFAULT_SPARSE_MODEL,
    ChunkingPolicy,
    RetrievalPolicy,
)
from citeloom.domain.zotero_selection import ZoteroSelection

SCHEMA_VERSION = "1"

_PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,199}")


def collection_name_for(project_id: str) -> str:
    """The default collection of a project: `citeloom/clean-arch` → `proj-citeloom-clean-arch`."""
    return "proj-" + re.sub(r"[^A-Za-z0-9_]+", "-", project_id).strip("-").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One library scope, bound to one embedding model and one collection.

    `references` and `sources` are paths as configured, `zotero` what of Zotero belongs to it;
    without a `collection` the name is derived from the id. Without a sparse model, or with
    `hybrid_enabled` off, queries are dense. The `on_disk` flags are those of the collection when
    it is made.
    """

    id: str
    collection: str = ""
    references: str | None = None
    sources: tuple[str, ...] = ()
    zotero: ZoteroSelection | None = None
    embedding_model: str = DEFAULT_DENSE_MODEL
    sparse_model: str | None = DEFAULT_SPARSE_MODEL
    hybrid_enabled: bool = True
    on_disk_vectors: bool = False
    on_disk_hnsw: bool = False
    chunking: ChunkingPolicy = field(default_factory=ChunkingPolicy)
    retrieval: RetrievalPolicy = field(default_factory=RetrievalPolicy)

    def __post_init__(self) -> None:
        if not _PROJECT_ID.fullmatch(self.id):
            raise InvalidProject(
                f"'{self.id}' is not a project id",
                "Write it as namespace/name from letters, digits, '.', '_' and '-', "
                "e.g. citeloom/clean-arch.",
            )
        if not self.collection:
            object.__setattr__(self, "collection", collection_name_for(self.id))
        if not _COLLECTION_NAME.fullmatch(self.collection):
            raise InvalidProject(
                f"'{self.collection}' is not a collection name",
                "Use letters, digits, '_' and '-'.",
            )
        if self.hybrid_enabled and not self.sparse_model:
            raise ValueError(f"project {self.id} is hybrid and so needs a sparse_model")

    @property
    def bound_sparse_model(self) -> str | None:
        """The sparse model the collection is built with, if any."""
        return self.sparse_model if self.hybrid_enabled else None


def check_unique(projects: Iterable[Project]) -> None:
    """Raise `InvalidProject` when two projects share an id or a collection."""
    listed = list(projects)
    for what, values in (
        ("id", [p.id for p in listed]),
        ("collection", [p.collection for p in listed]),
    ):
        for value, times in Counter(values).items():
            if times > 1:
                raise InvalidProject(
                    f"{times} projects have the {what} '{value}'",
                    f"Give each project a {what} of its own.",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A vector collection and the models it is bound to.

    `generation` is new each time a collection is built from nothing: what was indexed into an
    earlier generation counts as not indexed. `dimension` is the dense vectors' size.
    """

    name: str
    project_id: str
    generation: str
    dense_model: str
    dimension: int
    sparse_model: str | None = None
    on_disk_vectors: bool = False
    on_disk_hnsw: bool = False
    schema_version: str = SCHEMA_VERSION
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        if not _COLLECTION_NAME.fullmatch(self.name):
            raise InvalidProject(f"'{self.name}' is not a collection name")
        if self.dimension < 1:
            raise ValueError("a collection's vectors must have at least one dimension")
        if self.on_disk_hnsw and not self.on_disk_vectors:
            raise ValueError("on_disk_hnsw requires on_disk_vectors")

    @property
    def hybrid(self) -> bool:
        """Whether the collection has sparse vectors beside the dense ones."""
        return self.sparse_model is not None
