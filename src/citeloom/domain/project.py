"""A library scope, the vector collection behind it, and the models it is bound to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

from citeloom.domain.chunks.chunk import check_point_id, point_id_fields
from citeloom.domain.documents.metadata import MetadataSchema
from citeloom.domain.errors import InvalidProject
from citeloom.domain.fields import Example, Reads, Text, Texts
from citeloom.domain.policies import (
    DEFAULT_DENSE_MODEL,
    DEFAULT_SPARSE_MODEL,
    ChunkingPolicy,
    RetrievalPolicy,
)
from citeloom.domain.references.citation_label import CitationLabel
from citeloom.domain.zotero.selection import ZoteroSelection

# An embedding model that a service runs.


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model whose texts are sent to `endpoint`.

    `inputs` says by which family of services and how passages and questions are told apart; vectors
    made with other inputs are not comparable. `dimension` is None where it is not configured.
    """

    endpoint: str
    inputs: str
    dimension: int | None = None

    @property
    def host(self) -> str:
        """The host of the service, with its port where the address names one."""
        return urlsplit(self.endpoint).netloc


# The precision a dense model computes in, which is a part of its name.

INT8 = "int8"
_SUFFIX = f":{INT8}"


def quantised_name(model: str) -> str:
    """The name of a model's quantised form. Raises `ValueError` for a model that has none."""
    if not reads_english_alone(model):
        raise ValueError(f"precision: only {DEFAULT_DENSE_MODEL} can be had in {INT8}, not {model}")
    return f"{published_name(model)}{_SUFFIX}"


def published_name(model: str) -> str:
    """The name of the model as published, whatever its precision."""
    return model.removesuffix(_SUFFIX)


def reads_english_alone(model: str) -> bool:
    """Whether the dense model is the default one, in either precision: it was trained on English,
    and has no words of other scripts.
    """
    return published_name(model).lower() == DEFAULT_DENSE_MODEL.lower()


# A library scope and the vector collection behind it.

SCHEMA_VERSION = "1"

_PROJECT_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,199}")


_PLAIN_ID = re.compile(r"[a-z0-9][a-z0-9_]*(/[a-z0-9][a-z0-9_]*(-[a-z0-9_]+)*)?")
_PLAIN_LENGTH = 120
_DIGEST_DIGITS = 12


def collection_name_for(project_id: str) -> str:
    """The default collection of a project: `citeloom/clean-arch` → `proj-citeloom-clean-arch`.

    Names are unique even on case-insensitive file systems: an id that cannot be derived from its
    name gets a SHA-256 prefix after a double hyphen.
    """
    name = "proj-" + re.sub(r"[^A-Za-z0-9_]+", "-", project_id).strip("-").lower()
    if len(project_id) <= _PLAIN_LENGTH and _PLAIN_ID.fullmatch(project_id):
        return name
    digest = hashlib.sha256(project_id.encode()).hexdigest()[:_DIGEST_DIGITS]
    return f"{name[:_PLAIN_LENGTH].rstrip('-')}--{digest}"


@dataclass(frozen=True, kw_only=True)
class VectorStorage:
    """Where a store keeps the vectors of a new collection."""

    on_disk_vectors: bool = False
    """Keep vectors on disk: less memory, slower queries."""
    on_disk_hnsw: bool = False
    """Keep the HNSW graph on disk as well; needs on_disk_vectors."""

    def __post_init__(self) -> None:
        if self.on_disk_hnsw and not self.on_disk_vectors:
            raise ValueError("on_disk_hnsw requires on_disk_vectors = true")


def _label(written: object) -> object:
    template = written.strip() if isinstance(written, str) else ""
    if not template:
        raise ValueError("must be text with a field in braces")
    return CitationLabel(template)


def _template(written: object) -> object:
    if isinstance(written, str):
        point_id_fields(written.strip())
    return written


@dataclass(frozen=True, kw_only=True)
class ProjectOptions:
    """What a project's table says without tables of its own.

    `references` and `sources` are paths as configured; an empty `collection` is derived from the
    id. Without a sparse model, or with `hybrid_enabled` off, queries are dense.
    """

    collection: Text = ""
    """Name of the vector collection. Unset, derived from the id."""
    references: Annotated[Text | None, Example("references.json")] = None
    """CSL-JSON (a Better BibTeX export), BibTeX or RIS."""
    sources: Annotated[Texts, Example(("library/",))] = ()
    """Files and folders that `citeloom ingest` reads when none are named."""
    embedding_model: Text = DEFAULT_DENSE_MODEL
    """The dense model, for search by meaning."""
    sparse_model: Text | None = DEFAULT_SPARSE_MODEL
    """The sparse model, for search by words. BM25 treats each text in its own language, or all
    texts in the language named after it: `Qdrant/bm25:portuguese`.
    """
    hybrid_enabled: bool = True
    """Whether to search by words as well as by meaning."""
    citation_label: Annotated[
        CitationLabel | None, Example("[{module}, {title}]"), Reads(_label)
    ] = None
    """A template for the label of a passage, made of fields of the front matter and of the
    reference.
    """
    point_id: Annotated[
        Text | None, Example("{title}:{section_title}:{chunk_index}"), Reads(_template)
    ] = None
    """Template of chunk ids, which are UUIDv5 of its text. It may name fields of the front matter,
    section_title, section_path, chunk_index, chunk_idx and doc_id. Unset, ids are derived from the
    document and the chunk's position in it.
    """


@dataclass(frozen=True, kw_only=True)
class Project(ProjectOptions, VectorStorage):
    """One library scope, bound to one embedding model and one collection.

    `remote` is where texts are sent for their dense vectors, None where the model runs on this
    machine.
    """

    id: str
    remote: RemoteModel | None = None
    zotero: ZoteroSelection | None = None
    chunking: ChunkingPolicy = field(default_factory=ChunkingPolicy)
    retrieval: RetrievalPolicy = field(default_factory=RetrievalPolicy)
    front_matter: MetadataSchema = field(default_factory=MetadataSchema)

    def __post_init__(self) -> None:
        VectorStorage.__post_init__(self)
        if not _PROJECT_ID.fullmatch(self.id):
            raise InvalidProject(
                f"'{self.id}' is not a project id",
                "Write it as name or namespace/name, from letters, digits, '.', '_' and '-', "
                "e.g. citeloom/clean-arch.",
            )
        if not self.collection:
            object.__setattr__(self, "collection", collection_name_for(self.id))
        if not _COLLECTION_NAME.fullmatch(self.collection):
            raise InvalidProject(
                f"'{self.collection}' is not a collection name",
                "Use letters, digits, '_' and '-'.",
            )
        if self.citation_label is not None:
            self.citation_label.check(self.front_matter)
        if self.point_id is not None:
            check_point_id(self.point_id, self.front_matter)
        if self.hybrid_enabled and not self.sparse_model:
            raise ValueError(f"project {self.id} is hybrid and so needs a sparse_model")

    @property
    def has_references(self) -> bool:
        """Whether references are configured: a file, or a Zotero selection."""
        return self.references is not None or self.zotero is not None

    @property
    def bound_sparse_model(self) -> str | None:
        """The sparse model the collection is built with, if any."""
        return self.sparse_model if self.hybrid_enabled else None

    @property
    def dense_inputs(self) -> str | None:
        """How a remote model is given its texts; None for a model on this machine."""
        return self.remote.inputs if self.remote else None

    @property
    def sends_text_to(self) -> str | None:
        """The address that the project's texts and questions are sent to, if any."""
        return self.remote.endpoint if self.remote else None


def collisions(projects: Iterable[Project]) -> dict[str, InvalidProject]:
    """Errors by project id for projects that share a collection name.

    Names are compared case-insensitively, as some file systems do.
    """
    sharing: dict[str, list[Project]] = {}
    for project in projects:
        sharing.setdefault(project.collection.lower(), []).append(project)
    errors: dict[str, InvalidProject] = {}
    for together in sharing.values():
        named = " and ".join(f"'{project.id}'" for project in together)
        for project in together if len(together) > 1 else ():
            errors[project.id] = InvalidProject(
                f"the projects {named} have the same collection '{project.collection}'",
                f'Give each a name of its own: collection = "…" under [project."{project.id}"].',
            )
    return errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection(VectorStorage):
    """A vector collection and the models it is bound to.

    `generation` is new for each newly built collection: documents indexed into an earlier one count
    as not indexed. `dimension` is that of the dense vectors; `dense_inputs` says how a remote model
    was given its texts, `dense_arithmetic` what computed them where that matters.
    """

    name: str
    """Its name in the store."""
    project_id: str
    """The project."""
    generation: str
    """New for each that is built."""
    dense_model: str
    """With `:int8` behind the name of the quantised form."""
    dimension: int
    """Of the dense vectors."""
    dense_inputs: str | None = None
    """How a service is asked."""
    dense_arithmetic: str | None = None
    """The processor's instructions that made vectors which depend on them, such as `x86_64
    avx512_vnni`; null for 32-bit floats and for a service.
    """
    sparse_model: str | None = None
    """Null without one."""
    schema_version: str = SCHEMA_VERSION
    """Of what is stored of a chunk."""
    created_at: datetime | None = None
    """When it was built."""

    def __post_init__(self) -> None:
        if not _COLLECTION_NAME.fullmatch(self.name):
            raise InvalidProject(
                f"'{self.name}' is not a collection name",
                "Use letters, digits, '_' and '-'.",
            )
        if self.dimension < 1:
            raise ValueError("a collection's vectors must have at least one dimension")
        VectorStorage.__post_init__(self)

    @property
    def hybrid(self) -> bool:
        """Whether the collection has sparse vectors beside the dense ones."""
        return self.sparse_model is not None
