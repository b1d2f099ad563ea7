"""The documented JSON of what is seen of Zotero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.infrastructure.serialisation.json import json_of
from citeloom.infrastructure.serialisation.schemas.zotero import (
    DiagnosisAnswer,
    DiagnosisFinding,
    TagEntry,
)

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import ListedCollection, ListedItem, ListedTag
    from citeloom.application.zotero.doctor import Diagnosis
    from citeloom.application.zotero.snapshot import DownloadReport
    from citeloom.domain.zotero.items import ZoteroAttachment
    from citeloom.infrastructure.serialisation.schemas.zotero import (
        AttachmentEntry,
        CollectionEntry,
        DownloadAnswer,
        ItemEntry,
    )


def collection_json(one: ListedCollection) -> CollectionEntry:
    """The documented JSON of a collection."""
    return {
        "library": one.collection.library.path,
        "key": one.collection.key,
        "parent": one.collection.parent,
        "path": list(one.collection.path),
        "items": one.items,
        "items_below": one.items_below,
    }


def item_json(one: ListedItem) -> ItemEntry:
    """The documented JSON of an item with its attachments."""
    item = one.item
    return {
        "library": item.library.path,
        "key": item.key,
        "item_type": item.item_type,
        "citekey": item.citekey or None,
        "citekey_source": item.citekey_source if item.citekey else None,
        "title": item.title,
        "year": one.year,
        "creators": [{"role": c.role, "name": c.name} for c in item.creators],
        "doi": item.fields.get("DOI") or None,
        "tags": [{"name": tag.name, "automatic": tag.automatic} for tag in item.tags],
        "collections": list(one.collections),
        "added": item.added,
        "modified": item.modified,
        "attachments": [*map(_attachment_json, one.attachments)],
    }


def tag_json(one: ListedTag) -> TagEntry:
    """The documented JSON of a tag."""
    return json_of(TagEntry, one, library=one.library.path)


def diagnosis_json(diagnosis: Diagnosis) -> DiagnosisAnswer:
    """The documented JSON of the doctor: its findings, how grave they are and what mends them."""
    findings = [
        json_of(DiagnosisFinding, symptom, hint=diagnosis.hint(symptom.check))
        for symptom in diagnosis.symptoms
    ]
    return json_of(DiagnosisAnswer, diagnosis, findings=findings)


def download_json(report: DownloadReport) -> DownloadAnswer:
    """The documented JSON of a download."""
    return {
        "source": report.source,
        "files": [
            {
                "library": file.attachment.library.path,
                "attachment_key": file.attachment.key,
                "item_key": file.attachment.parent,
                "path": file.attachment.path.as_posix() if file.attachment.path else None,
                "outcome": file.outcome,
            }
            for file in report.files
        ],
    }


def _attachment_json(attachment: ZoteroAttachment) -> AttachmentEntry:
    return {
        "key": attachment.key,
        "link_mode": attachment.link_mode.name.lower(),
        "content_type": attachment.content_type,
        "title": attachment.title,
        "path": attachment.path.as_posix() if attachment.path else None,
        "exists": attachment.exists,
        "url": attachment.url or None,
    }
