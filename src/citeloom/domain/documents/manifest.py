"""The manifest: a project's documents, the status of each, and tombstones of deleted ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from citeloom.domain.documents.conversion import LeftOut
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.references.citation import ZoteroOrigin

# Tombstones of deleted documents, and intents of unfinished writes.


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deleted document: its content is not indexed again until it is restored.

    Until it is `finished`, remaining chunks of the document must be deleted.
    """

    project_id: str
    doc_id: str
    path: str
    citekey: str | None = None
    created_at: datetime | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteIntent:
    """A write of new content that is about to start, or was running when a run was killed.

    It proves that chunks of this document and path were written by this project's own run.
    `generation` is that of the target collection.
    """

    project_id: str
    path: str
    doc_id: str
    generation: str


# The manifest: a project's documents and the status of each.

_ESCAPED_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")


def name_of_path(path: str) -> str:
    """A file's path as it can be printed and stored: bytes that are no UTF-8 as in Python."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def path_of_name(name: str) -> str:
    """The path that `name_of_path` gives this name."""
    return _ESCAPED_BYTE.sub(lambda byte: chr(0xDC00 + int(byte[1], 16)), name)


class Status(StrEnum):
    """The status of a document: `pending → processing → indexed | failed`."""

    PENDING = "pending"
    PROCESSING = "processing"
    INDEXED = "indexed"
    FAILED = "failed"


class DocumentState(StrEnum):
    """The state of a document.

    `missing` ones should be in the index but are not; `unlisted` ones are in the index but not in
    the manifest; `other-machine` ones are there, too, and were ingested on another machine;
    `deleted` ones are excluded until they are restored.
    """

    PENDING = "pending"
    PROCESSING = "processing"
    INDEXED = "indexed"
    FAILED = "failed"
    MISSING = "missing"
    UNLISTED = "unlisted"
    OTHER_MACHINE = "other-machine"
    DELETED = "deleted"


TEXT_LAYER = "text layer"
"""In the place of what read the images of a document: they come with a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One source file of one project.

    A document counts as unchanged while its content hash, the fingerprint of every policy and
    model it went through, and the collection's generation are what they were. `references` is
    the fingerprint of the reference library it was last matched against, `citation` that of the
    reference it got, `citation_pages` the page range of this one. `body_share` is the share of its
    body text that its chunks hold; `lost_words` counts by page the words that its conversion lost,
    and `left_out` has the texts of each that are in no passage on purpose.
    `ocr` names what read its images, that nothing did, or that they come with a text, `TEXT_LAYER`;
    it is empty for a document without any. `created_at` is when the path was first taken up,
    `updated_at` when the entry last changed. `error` holds a code and a message for a failed
    document. A document of Zotero's has an `attachment_key`, the path of the library, and its
    item's key. A file with the content of another one is a `copy_of` that one, under whose path
    the chunks are stored. `metadata` is what could be read of a failed document's front matter.
    """

    project_id: str
    path: str
    status: Status
    content_hash: str = ""
    doc_id: str = ""
    size: int = 0
    modified_ns: int = 0
    fingerprint: str = ""
    generation: str = ""
    references: str = ""
    citekey: str | None = None
    citation: str = ""
    citation_pages: str | None = None
    chunks: int = 0
    pages: int = 0
    body_share: float = 1.0
    lost_words: Mapping[int, int] = field(default_factory=dict)
    left_out: Mapping[int, tuple[LeftOut, ...]] = field(default_factory=dict)
    ocr: str = ""
    error_code: str | None = None
    error: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    zotero_library: str | None = None
    attachment_key: str | None = None
    item_key: str | None = None
    copy_of: str | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    @property
    def is_searchable(self) -> bool:
        """Whether passages of the document answer: it is indexed, or was, and is to be anew."""
        return self.status is Status.INDEXED or bool(self.generation)

    @property
    def origin(self) -> ZoteroOrigin | None:
        """The document's Zotero attachment; None for a file from elsewhere."""
        if self.attachment_key is None or self.zotero_library is None:
            return None
        return ZoteroOrigin(
            library=self.zotero_library,
            attachment_key=self.attachment_key,
            item_key=self.item_key,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldRemoval:
    """The `documents` of a source that were not removed although their files are gone, and why.

    A confirmation removes those that `can_be_confirmed`; the others stay until their source is
    there, or no source any more.
    """

    source: str
    """The source."""
    reason: str
    """Why they stay."""
    documents: tuple[str, ...]
    """Their paths."""
    can_be_confirmed: bool
    """Whether a confirmation removes them."""
