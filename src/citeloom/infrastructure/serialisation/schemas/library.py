"""The JSON of a library: projects, documents, models, validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.documents import DocumentPage, Inspection, ListedDocument, OutlineEntry
from citeloom.application.library_info import AnswerModelInfo, EntailmentInfo, RerankerInfo
from citeloom.application.models import AvailableEngine, AvailableModel, RecommendedModels
from citeloom.application.ports.vector_index import StoreState
from citeloom.application.validate.chunk_checks import CheckedDocument, Finding
from citeloom.infrastructure.serialisation.schemas.passages import ShownPassage


@dataclass(frozen=True, kw_only=True)
class InspectAnswer(Inspection):
    """What a project's index holds: that of `inspect --json`, with the models that write and judge
    answers, and the project's reranker.
    """

    answer_model: AnswerModelInfo | None
    """Null without one."""
    reranker: RerankerInfo | None
    """The project's reranker; null without one."""
    entailment: EntailmentInfo | None
    """Null without one."""
    content: Literal["untrusted"]
    """The sample's words are a document's."""


class ModelsAnswer(TypedDict):
    """Models and what reads images of pages: that of `models --json`."""

    models: list[AvailableModel]
    """Models and rerankers."""
    ocr_engines: list[AvailableEngine]
    """What may read images of pages."""
    recommended: RecommendedModels | None
    """Null without `--project`."""


@dataclass(frozen=True, kw_only=True)
class StoreAnswer(StoreState):
    """How the vector store is: that of `store check --json`."""

    available: bool
    """Whether it answers and may be read."""


class Health(TypedDict):
    """That the server is up."""

    status: str
    """`ok`."""
    version: str
    """That of citeloom."""


class Readiness(TypedDict):
    """Whether the models are loaded, so that queries are answered at once."""

    ready: bool
    """Whether they are."""


class DocumentPageAnswer(TypedDict):
    """Some of a project's documents: `count` of `total`, from `offset` on."""

    project: str
    """The project."""
    content: Literal["untrusted"]
    """Titles and metadata are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ListedDocument]
    """The documents, by path."""


class IndexedFile(TypedDict):
    """An indexed file."""

    content_hash: str
    """SHA-256."""
    last_ingested_at: str | None
    """When its state was last reached."""
    chunk_count: int
    """How many chunks."""


class ManifestAnswer(TypedDict):
    """The indexed files by path: that of `list --manifest`."""

    files: dict[str, IndexedFile]
    """By path."""
    last_run: str | None
    """When anything last changed."""


class ChunkPage(TypedDict):
    """Some of a document's chunks in reading order: `count` of `total`, from `offset` on."""

    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ShownPassage]
    """The chunks."""


class DocumentAnswer(TypedDict):
    """A document with its headings, its pages and some of its chunks."""

    project: str
    """The project."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    document: ListedDocument
    """As in `list --json`."""
    outline: list[OutlineEntry]
    """Its headings."""
    pages: list[DocumentPage]
    """Its pages."""
    chunks: ChunkPage
    """Its chunks."""


class Validation(TypedDict):
    """What validation found: that of `validate --format json`."""

    project: str
    """The project."""
    passed: bool
    """Whether no finding fails validation."""
    strict: bool
    """Whether warnings fail it, too."""
    checks: list[str]
    """Those that ran ([what they mean](../ci.md))."""
    documents: int
    """How many."""
    chunks: int
    """How many."""
    findings: list[Finding]
    """What is wrong."""
    by_document: list[CheckedDocument]
    """Each document with its number of findings."""
    sends_text_to: str | None
    """The address of a remote model."""
    of_other_machines: int
    """How many documents other machines ingested."""


class ValidationAnswer(Validation):
    """Likewise over HTTP."""

    content: Literal["untrusted"]
    """Paths are a document's."""
