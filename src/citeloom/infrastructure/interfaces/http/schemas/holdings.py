"""The JSON of projects, documents, validation, jobs and Zotero."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.documents import DocumentPage, ListedDocument, OutlineEntry
from citeloom.application.jobs import JobCounts, JobState
from citeloom.application.reports import IngestReport
from citeloom.application.validate.chunk_checks import CheckedDocument, Finding
from citeloom.infrastructure.interfaces.http.schemas.passages import ShownPassage

# The JSON of projects, documents, validation and Zotero.


class Health(TypedDict):
    """That the server is up."""

    status: str
    version: str


class Readiness(TypedDict):
    """Whether the models are loaded, so that queries are answered at once."""

    ready: bool


class DocumentPageAnswer(TypedDict):
    """Some of a project's documents: `count` of `total`, from `offset` on."""

    project: str
    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[ListedDocument]


class ChunkPage(TypedDict):
    """Some of a document's chunks in reading order: `count` of `total`, from `offset` on."""

    total: int
    offset: int
    count: int
    items: list[ShownPassage]


class DocumentAnswer(TypedDict):
    """A document with its headings, its pages and some of its chunks."""

    project: str
    content: Literal["untrusted"]
    document: ListedDocument
    outline: list[OutlineEntry]
    pages: list[DocumentPage]
    chunks: ChunkPage


class ValidationAnswer(TypedDict):
    """What validation found."""

    project: str
    content: Literal["untrusted"]
    passed: bool
    strict: bool
    checks: list[str]
    documents: int
    chunks: int
    findings: list[Finding]
    by_document: list[CheckedDocument]


class CollectionEntry(TypedDict):
    """A collection of Zotero."""

    library: str
    key: str
    parent: str | None
    path: list[str]
    items: int
    items_below: int


class CreatorEntry(TypedDict):
    """A creator of an item."""

    role: str
    name: str


class ItemTag(TypedDict):
    """A tag of an item."""

    name: str
    automatic: bool


class AttachmentEntry(TypedDict):
    """An attachment; of its path there is only what does not tell of the server's machine."""

    key: str
    link_mode: str
    content_type: str
    title: str
    path: str | None
    exists: bool
    url: str | None


class ItemEntry(TypedDict):
    """An item of Zotero with its attachments."""

    library: str
    key: str
    item_type: str
    citekey: str | None
    citekey_source: str | None
    title: str
    year: int | None
    creators: list[CreatorEntry]
    doi: str | None
    tags: list[ItemTag]
    collections: list[str]
    added: str | None
    modified: str | None
    attachments: list[AttachmentEntry]


class TagEntry(TypedDict):
    """A tag in Zotero."""

    library: str
    name: str
    items: int
    automatic: int


class CollectionList(TypedDict):
    """Some of Zotero's collections: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[CollectionEntry]


class ItemList(TypedDict):
    """Some of Zotero's items: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[ItemEntry]


class TagList(TypedDict):
    """Some of Zotero's tags: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    total: int
    offset: int
    count: int
    items: list[TagEntry]


# The JSON of jobs.


class JobError(TypedDict):
    """Why a job failed."""

    code: str
    message: str
    hint: str
    correlation_id: str


class JobAnswer(TypedDict):
    """A job as it is now."""

    job_id: str
    project: str
    content: Literal["untrusted"]
    state: JobState
    cancelling: bool
    sources: list[str]
    correlation_id: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    counts: JobCounts
    last_event: int
    report: IngestReport | None
    error: JobError | None


class JobList(TypedDict):
    """The jobs of a project, the newest first."""

    project: str
    count: int
    items: list[JobAnswer]
