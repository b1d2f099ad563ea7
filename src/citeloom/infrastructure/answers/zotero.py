"""What is seen of Zotero, as it is answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Self

from citeloom.application.ports.sources import FileOutcome
from citeloom.application.zotero.browse import (
    ListedAnnotation,
    ListedCollection,
    ListedItem,
    ListedTag,
)
from citeloom.application.zotero.doctor import Diagnosis, Symptom
from citeloom.application.zotero.snapshot import DownloadedFile, DownloadReport
from citeloom.domain.chunks.chunk import color_name
from citeloom.domain.zotero.items import ZoteroAttachment, ZoteroTag, citation_of
from citeloom.infrastructure.answers.markdown import escaped_markdown, heading
from citeloom.infrastructure.answers.model import UNTRUSTED, ListPart, Model, Untrusted, filled
from citeloom.infrastructure.answers.text import one_line, open_link, open_pdf_link, select_link


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
        return filled(cls, listed, listed.collection, library=listed.collection.library.path)


class CreatorEntry(Model):
    """A creator of an item."""

    role: str
    """As `author`."""
    name: str
    """The name."""


class ItemTag(Model, of=ZoteroTag):
    """A tag of an item."""


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


class TagEntry(Model, of=ListedTag):
    """A tag in Zotero."""

    library: str
    """As of a collection."""

    @classmethod
    def of(cls, tag: ListedTag) -> Self:
        return filled(cls, tag, library=tag.library.path)


class AnnotationEntry(Model):
    """An annotation in a file of Zotero."""

    library: str
    """As of a collection."""
    key: str
    """Zotero's key of it."""
    attachment_key: str
    """The file it is in."""
    item_key: str
    """The item that the file is of."""
    citekey: str
    """That of the item, generated where it has none."""
    title: str
    """That of the item."""
    type: str
    """`highlight`, `underline`, `note`, `image`, `ink` or `text`."""
    highlight: str
    """The work's words."""
    comment: str
    """The reader's words."""
    color: str
    """As Zotero has it."""
    color_name: str | None
    """Zotero's name of the colour."""
    page: str
    """What Zotero calls the page; empty where the file has none."""
    page_index: int | None
    """The physical page, from 0."""
    tags: tuple[str, ...]
    """Its own tags."""
    link: str
    """Opens it in Zotero's reader."""

    @classmethod
    def of(cls, listed: ListedAnnotation) -> Self:
        mark, item = listed.annotation, listed.item
        physical = None if mark.page_index is None else mark.page_index + 1
        library, file = mark.library.path, mark.attachment
        return filled(
            cls,
            mark,
            library=library,
            attachment_key=file,
            item_key=item.key,
            citekey=citation_of(item, {})[0].citekey,
            title=item.title,
            type=mark.type.name.lower(),
            highlight=mark.text,
            color_name=color_name(mark.color) or None,
            page=mark.page_label,
            tags=tuple(tag.name for tag in mark.tags),
            link=open_pdf_link(library, file, physical, mark.key)
            if physical
            else open_link(library, file, mark.key),
        )


def annotations_markdown(entries: Iterable[AnnotationEntry]) -> str:
    """Annotations below a heading for each item, as block quotations with a link to their place,
    for Obsidian, Logseq and other readers of Markdown.
    """
    blocks: list[str] = []
    for (library, key), group in groupby(entries, key=lambda each: (each.library, each.item_key)):
        marks = [*group]
        blocks.append(f"# {heading(marks[0].title) or key}")
        blocks.append(f"[@{marks[0].citekey}] · [in Zotero]({select_link(library, key)})")
        blocks += (block for mark in marks for block in _mark_blocks(mark))
    return "\n\n".join(blocks)


def _mark_blocks(mark: AnnotationEntry) -> Iterator[str]:
    place = f"p. {one_line(mark.page)}" if mark.page else "open"
    about = [f"[{escaped_markdown(place)}]({mark.link})"]
    about += [mark.color_name] if mark.color_name else []
    about += [escaped_markdown(f"#{'-'.join(tag.split())}").removeprefix("\\") for tag in mark.tags]
    quoted = escaped_markdown(mark.highlight) or f"({mark.type})"
    yield "\n".join(f"> {line}" for line in (*quoted.split("\n"), "", f"— {' · '.join(about)}"))
    if mark.comment:
        yield escaped_markdown(mark.comment)


class ZoteroList(ListPart):
    """Some of what Zotero has."""

    LEADING = ("content",)

    content: Untrusted = UNTRUSTED
    """Names, titles and words are a document's."""


class CollectionList(ZoteroList):
    """Some of Zotero's collections."""

    items: tuple[CollectionEntry, ...]
    """The collections."""


class ItemList(ZoteroList):
    """Some of Zotero's items."""

    items: tuple[ItemEntry, ...]
    """The items."""


class TagList(ZoteroList):
    """Some of Zotero's tags."""

    items: tuple[TagEntry, ...]
    """The tags."""


class AnnotationList(ZoteroList):
    """Some of the annotations in Zotero."""

    items: tuple[AnnotationEntry, ...]
    """The annotations."""


class CitekeyList(ZoteroList):
    """Some of the citekeys in Zotero."""

    items: tuple[str, ...]
    """The citekeys."""


_FINDING = (
    *("check", "severity", "message", "hint", "library", "item_key", "attachment_key"),
    *("citekey", "title", "path"),
)


class DiagnosisFinding(Model, of=Symptom, keys=_FINDING):
    """A fault in Zotero, or in what a project has indexed from it."""

    hint: str
    """The next step."""


_DIAGNOSIS = (
    *("source", "project", "libraries", "items", "documents", "passed", "strict"),
    *("sends_text_to", "counts", "findings"),
)


class DiagnosisAnswer(Model, of=Diagnosis, keys=_DIAGNOSIS):
    """What is missing or out of date: that of `zotero doctor --json`."""

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
        return filled(cls, report, files=tuple(map(DownloadEntry.of, report.files)))
