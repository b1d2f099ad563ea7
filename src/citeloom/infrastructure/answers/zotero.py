"""What is seen of Zotero, as it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from citeloom.application.ports.sources import FileOutcome
from citeloom.application.zotero.browse import ListedCollection, ListedItem, ListedTag
from citeloom.application.zotero.doctor import Diagnosis
from citeloom.application.zotero.snapshot import DownloadedFile, DownloadReport
from citeloom.domain.validation import Severity
from citeloom.domain.zotero.items import ZoteroAttachment
from citeloom.infrastructure.answers.model import UNTRUSTED, ListPart, Model, Untrusted, filled


class CollectionEntry(Model):
    """A collection of Zotero."""

    library: str
    """`library` for your own, `groups/ID` for a group's; keys are unique within one."""
    key: str
    """Zotero's key of it."""
    parent: str | None
    """The key of the collection it is in."""
    path: tuple[str, ...]
    """Names from the top down."""
    items: int
    """How many are in it."""
    items_below: int
    """With those of all collections below, each once."""

    @classmethod
    def of(cls, listed: ListedCollection) -> Self:
        """A collection."""
        return filled(cls, listed, listed.collection, library=listed.collection.library.path)


class CreatorEntry(Model):
    """A creator of an item."""

    role: str
    """As `author`."""
    name: str
    """The name."""


class ItemTag(Model):
    """A tag of an item."""

    name: str
    """The tag."""
    automatic: bool
    """Whether it came with the import."""


class AttachmentEntry(Model):
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

    @classmethod
    def of(cls, attachment: ZoteroAttachment) -> Self:
        """An attachment."""
        link_mode, url = attachment.link_mode.name.lower(), attachment.url or None
        return filled(cls, attachment, link_mode=link_mode, url=url)


class ItemEntry(Model):
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
    creators: tuple[CreatorEntry, ...]
    """In order."""
    doi: str | None
    """The DOI."""
    tags: tuple[ItemTag, ...]
    """Its tags."""
    collections: tuple[str, ...]
    """The paths of its collections."""
    added: datetime | None
    """In UTC."""
    modified: datetime | None
    """In UTC."""
    attachments: tuple[AttachmentEntry, ...]
    """Its files and links."""

    @classmethod
    def of(cls, listed: ListedItem) -> Self:
        """An item."""
        item = listed.item
        return filled(
            cls,
            listed,
            item,
            library=item.library.path,
            citekey=item.citekey or None,
            citekey_source=item.citekey_source if item.citekey else None,
            creators=tuple(map(CreatorEntry.of, listed.creators)),
            doi=item.fields.get("DOI") or None,
            tags=tuple(map(ItemTag.of, item.tags)),
            attachments=tuple(map(AttachmentEntry.of, listed.attachments)),
        )


class TagEntry(Model):
    """A tag in Zotero."""

    library: str
    """As of a collection."""
    name: str
    """The tag."""
    items: int
    """How many items have it."""
    automatic: int
    """On how many of them it came with the import."""

    @classmethod
    def of(cls, tag: ListedTag) -> Self:
        """A tag."""
        return filled(cls, tag, library=tag.library.path)


class CollectionList(ListPart):
    """Some of Zotero's collections."""

    LEADING = ("content",)

    content: Untrusted = UNTRUSTED
    """Names are a document's."""
    items: tuple[CollectionEntry, ...]
    """The collections."""


class ItemList(ListPart):
    """Some of Zotero's items."""

    LEADING = ("content",)

    content: Untrusted = UNTRUSTED
    """Titles are a document's."""
    items: tuple[ItemEntry, ...]
    """The items."""


class TagList(ListPart):
    """Some of Zotero's tags."""

    LEADING = ("content",)

    content: Untrusted = UNTRUSTED
    """Names are a document's."""
    items: tuple[TagEntry, ...]
    """The tags."""


class DiagnosisFinding(Model):
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


class DiagnosisAnswer(Model):
    """What is missing or out of date: that of `zotero doctor --json`."""

    source: str
    """What was read."""
    project: str | None
    """Null without one."""
    libraries: tuple[str, ...]
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
    counts: Mapping[str, int]
    """How much each check found, for every check that ran."""
    findings: tuple[DiagnosisFinding, ...]
    """What is wrong."""

    @classmethod
    def of(cls, diagnosis: Diagnosis) -> Self:
        """What the doctor found: how grave it is, and what mends it."""
        findings = (
            DiagnosisFinding.of(symptom, hint=diagnosis.hint(symptom.check))
            for symptom in diagnosis.symptoms
        )
        return filled(cls, diagnosis, findings=tuple(findings))


class DownloadEntry(Model):
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

    @classmethod
    def of(cls, file: DownloadedFile) -> Self:
        """A file."""
        attachment = file.attachment
        return filled(
            cls,
            file,
            attachment,
            library=attachment.library.path,
            attachment_key=attachment.key,
            item_key=attachment.parent,
        )


class DownloadAnswer(Model):
    """The files of a selection: that of `zotero download --json`."""

    source: str
    """What was read."""
    files: tuple[DownloadEntry, ...]
    """Each file."""

    @classmethod
    def of(cls, report: DownloadReport) -> Self:
        """A download."""
        return filled(cls, report, files=tuple(map(DownloadEntry.of, report.files)))
