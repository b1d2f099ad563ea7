"""The JSON of Zotero."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.application.ports.sources import FileOutcome
from citeloom.domain.validation import Severity


class CollectionEntry(TypedDict):
    """A collection of Zotero."""

    library: str
    """`library` for your own, `groups/ID` for a group's; keys are unique within one."""
    key: str
    """Zotero's key of it."""
    parent: str | None
    """The key of the collection it is in."""
    path: list[str]
    """Names from the top down."""
    items: int
    """How many are in it."""
    items_below: int
    """With those of all collections below, each once."""


class CreatorEntry(TypedDict):
    """A creator of an item."""

    role: str
    """As `author`."""
    name: str
    """The name."""


class ItemTag(TypedDict):
    """A tag of an item."""

    name: str
    """The tag."""
    automatic: bool
    """Whether it came with the import."""


class AttachmentEntry(TypedDict):
    """An attachment; of its path there is only what does not tell of the server's machine."""

    key: str
    """Zotero's key of it."""
    link_mode: str
    """`imported_file`, `imported_url`, `linked_file` or `linked_url`."""
    content_type: str
    """As `application/pdf`."""
    title: str
    """What Zotero calls it."""
    path: str | None
    """Where the file should be; null where that is unknown."""
    exists: bool
    """Whether it is there."""
    url: str | None
    """Where it is from."""


class ItemEntry(TypedDict):
    """An item of Zotero with its attachments."""

    library: str
    """As of a collection."""
    key: str
    """Zotero's key of it."""
    item_type: str
    """Zotero's name."""
    citekey: str | None
    """Null without one."""
    citekey_source: str | None
    """`field`, `better-bibtex`, `better-bibtex-rpc` or `extra`."""
    title: str
    """The title."""
    year: int | None
    """The year of issue."""
    creators: list[CreatorEntry]
    """In order."""
    doi: str | None
    """The DOI."""
    tags: list[ItemTag]
    """Its tags."""
    collections: list[str]
    """The paths of its collections."""
    added: datetime | None
    """In UTC."""
    modified: datetime | None
    """In UTC."""
    attachments: list[AttachmentEntry]
    """Its files and links."""


class TagEntry(TypedDict):
    """A tag in Zotero."""

    library: str
    """As of a collection."""
    name: str
    """The tag."""
    items: int
    """How many items have it."""
    automatic: int
    """On how many of them it came with the import."""


class CollectionList(TypedDict):
    """Some of Zotero's collections: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Names are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[CollectionEntry]
    """The collections."""


class ItemList(TypedDict):
    """Some of Zotero's items: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Titles are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[ItemEntry]
    """The items."""


class TagList(TypedDict):
    """Some of Zotero's tags: `count` of `total`, from `offset` on."""

    content: Literal["untrusted"]
    """Names are a document's."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[TagEntry]
    """The tags."""


class DiagnosisFinding(TypedDict):
    """A fault in Zotero, or in what a project has indexed from it."""

    check: str
    """The check ([what they mean](../zotero.md#what-is-missing-or-out-of-date))."""
    severity: Severity
    """How bad it is."""
    message: str
    """What is wrong."""
    hint: str
    """The next step."""
    library: str
    """As of a collection."""
    item_key: str | None
    """The item, if one is concerned."""
    attachment_key: str | None
    """The attachment, if one is concerned."""
    citekey: str | None
    """That of the item."""
    title: str
    """That of the item."""
    path: str | None
    """The file."""


class DiagnosisAnswer(TypedDict):
    """What is missing or out of date: that of `zotero doctor --json`."""

    source: str
    """What was read."""
    project: str | None
    """Null without one."""
    libraries: list[str]
    """Paths."""
    items: int
    """How many were looked at."""
    documents: int
    """How many were looked at."""
    passed: bool
    """Whether no finding fails the diagnosis."""
    strict: bool
    """Whether warnings fail it, too."""
    sends_text_to: str | None
    """The address of the project's remote model."""
    counts: dict[str, int]
    """How much each check found, for every check that ran."""
    findings: list[DiagnosisFinding]
    """What is wrong."""


class DownloadEntry(TypedDict):
    """A file that is stored on the web, and the outcome of its download."""

    library: str
    """As of a collection."""
    attachment_key: str
    """The attachment."""
    item_key: str | None
    """Null for a file that stands alone."""
    path: str | None
    """Where it is or would be."""
    outcome: FileOutcome
    """`kept`: here and unchanged; `absent`: not stored on the web; `damaged`: it differs from its
    checksum; `too large`: more than `max_download_mb`.
    """


class DownloadAnswer(TypedDict):
    """The files of a selection: that of `zotero download --json`."""

    source: str
    """What was read."""
    files: list[DownloadEntry]
    """Each file."""
