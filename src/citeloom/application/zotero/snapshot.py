"""A snapshot of the documents of a Zotero selection, and the use case that downloads its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from citeloom.application.events import DocumentDone, ReadEvent, StageReached, reported_run
from citeloom.application.ports.sources import FileOutcome, ZoteroFiles, ZoteroLibrary
from citeloom.application.zotero.browse import read_selected
from citeloom.domain.chunks.notes import ZoteroAddress
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.zotero.attachments import attachment_name, main_attachment
from citeloom.domain.zotero.items import (
    CITED_FIELDS,
    FILELESS,
    STORED,
    ContentScope,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroItem,
    citation_of,
)
from citeloom.domain.zotero.selection import (
    ZoteroSelection,
    selected_items,
    selects,
)

# A snapshot of the documents of a Zotero selection.


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedItem:
    """An item and what it is cited as."""

    item: ZoteroItem
    citation: CitationMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroDocument:
    """An attached file with its item and citation; a standalone attachment has neither."""

    attachment: ZoteroAttachment
    item: ZoteroItem | None = None
    citation: CitationMeta | None = None

    @property
    def address(self) -> ZoteroAddress:
        library = self.attachment.library
        return ZoteroAddress(group_id=library.group_id, key=self.attachment.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroSnapshot:
    """The selected items, their documents by path, each path once, and the items and files that
    were left out.

    Documents with an item come before those without. Of attachments that share a file the first by
    library and key represents all; `sharing` has the others under the path. `missing` are documents
    whose file does not exist, `without_file` items that have none. `flaws` has a sentence for each
    fault of an item.
    """

    source: str
    warnings: tuple[str, ...] = ()
    items: tuple[CitedItem, ...] = ()
    documents: Mapping[Path, ZoteroDocument] = field(default_factory=dict)
    sharing: Mapping[Path, tuple[ZoteroDocument, ...]] = field(default_factory=dict)
    missing: tuple[ZoteroDocument, ...] = ()
    without_file: tuple[ZoteroItem, ...] = ()
    flaws: tuple[str, ...] = ()
    contents: tuple[ZoteroContent, ...] = ()

    @property
    def standing(self) -> dict[ZoteroAddress, ZoteroDocument]:
        """Each selected attachment's document: that of its file, which several may share."""
        own = [*self.documents.values(), *self.missing]
        standing = {document.address: document for document in own}
        for path, others in self.sharing.items():
            standing |= dict.fromkeys((o.address for o in others), self.documents[path])
        return standing

    def with_copies(self, copies: Mapping[Path, Path]) -> ZoteroSnapshot:
        """The snapshot with each document whose file is a copy of another's shared with that."""
        documents = {path: one for path, one in self.documents.items() if path not in copies}
        sharing = {path: them for path, them in self.sharing.items() if path not in copies}
        for copy, first in copies.items():
            others = (self.documents[copy], *self.sharing.get(copy, ()))
            sharing[first] = (*sharing.get(first, ()), *others)
            documents[first] = _cited_as_all((documents[first], *others))
        return replace(self, documents=documents, sharing=sharing)

    @property
    def refused(self) -> frozenset[str]:
        """The paths of the libraries that Zotero gave no access to."""
        return frozenset(content.library.path for content in self.contents if content.refused)

    @property
    def selected(self) -> list[ZoteroDocument]:
        """Every selected document, missing ones included, each of those that share a file."""
        shared = (document for others in self.sharing.values() for document in others)
        return [*self.documents.values(), *shared, *self.missing]


def take_snapshot(zotero: ZoteroLibrary, selection: ZoteroSelection) -> ZoteroSnapshot:
    """Read the selected libraries once, their annotations and notes where these are selected.

    Raises `NotFound` for an unknown library or collection, and what `ZoteroLibrary` raises.
    """
    scope = ContentScope(
        fields=CITED_FIELDS, annotations=selection.annotations, notes=selection.notes
    )
    contents = read_selected(zotero, selection, scope)
    by_path: dict[Path, list[ZoteroDocument]] = defaultdict(list)
    every: list[ZoteroDocument] = []
    missing: list[ZoteroDocument] = []
    cited: list[CitedItem] = []
    bare: list[ZoteroItem] = []
    flaws: list[str] = []
    for content in contents:
        items, warnings = cited_in(content, selection)
        documents, without = _documents(content, selection, items)
        cited += items
        every += documents
        bare += without
        flaws += (*content.flaws, *warnings)
    for document in sorted(every, key=lambda selected: selected.item is None):
        path = document.attachment.path
        if path is not None and document.attachment.exists:
            by_path[path].append(document)
        else:
            missing.append(document)
    return ZoteroSnapshot(
        source=zotero.source,
        warnings=zotero.warnings,
        items=tuple(cited),
        documents={path: _cited_as_all(documents) for path, documents in by_path.items()},
        sharing={path: tuple(others) for path, (_, *others) in by_path.items() if others},
        missing=tuple(missing),
        without_file=tuple(bare),
        flaws=tuple(flaws),
        contents=contents,
    )


def _cited_as_all(documents: Sequence[ZoteroDocument]) -> ZoteroDocument:
    """The first of the documents of a file, found as each of their items."""
    first, *others = documents
    citation = first.citation
    for other in others:
        if citation is not None and other.citation is not None:
            citation = citation.with_copy(other.citation)
    return replace(first, citation=citation)


def cited_in(
    content: ZoteroContent, selection: ZoteroSelection
) -> tuple[list[CitedItem], list[str]]:
    """A library's selected items with their citations, and the flaws of these."""
    collections = {collection.key: collection for collection in content.collections}
    cited, flaws = list[CitedItem](), list[str]()
    for item in selected_items(content, selection):
        citation, warnings = citation_of(item, collections)
        flaws += warnings
        cited.append(CitedItem(item=item, citation=citation))
    return cited, flaws


def _documents(
    content: ZoteroContent, selection: ZoteroSelection, cited: Sequence[CitedItem]
) -> tuple[list[ZoteroDocument], list[ZoteroItem]]:
    """A library's selected documents, and the selected items without one."""
    selected = selects(selection, content)
    attached: dict[str | None, list[ZoteroAttachment]] = defaultdict(list)
    for attachment in content.attachments:
        if attachment.link_mode not in FILELESS:
            attached[attachment.parent].append(attachment)
    documents = [
        ZoteroDocument(attachment=attachment)
        for attachment in attached[None]
        if selected(attachment)
    ]
    for each in cited:
        item, citation = each.item, each.citation
        attachments = attached.get(item.key, [])
        main = main_attachment(item, attachments)  # it alone has the printed pages of the reference
        for attachment in attachments:
            name = attachment_name(attachment, attachments)
            if name is not None or (citation.pages and attachment is not main):
                pages = citation.pages if attachment is main else None
                citation_here = replace(citation, pages=pages, attachment=name)
            else:
                citation_here = citation
            documents.append(
                ZoteroDocument(attachment=attachment, item=item, citation=citation_here)
            )
    return documents, [each.item for each in cited if each.item.key not in attached]


# Downloading the files of a Zotero selection, so that they can be ingested.


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadedFile:
    attachment: ZoteroAttachment
    outcome: FileOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadReport:
    """Every stored file of the selection; linked files are not on the web."""

    source: str
    files: tuple[DownloadedFile, ...]

    @property
    def unfetched(self) -> tuple[DownloadedFile, ...]:
        """The files that are not stored on the web, arrived damaged, or are too large."""
        failed = (FileOutcome.ABSENT, FileOutcome.DAMAGED, FileOutcome.TOO_LARGE)
        return tuple(file for file in self.files if file.outcome in failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Downloads the stored files of the selected items that are missing or have changed."""

    zotero: ZoteroLibrary
    files: ZoteroFiles
    events: ReadEvent

    def __call__(self, selection: ZoteroSelection) -> DownloadReport:
        """Download the selected files, by library and key.

        Raises `NotFound` for an unknown library or collection, and `SourceUnavailable` when
        Zotero cannot be reached; files downloaded before that are kept.
        """
        selected = [
            document.attachment for document in take_snapshot(self.zotero, selection).selected
        ]
        stored = [attachment for attachment in selected if attachment.link_mode in STORED]
        files = []
        with reported_run(len(stored), self.events):
            for attachment in sorted(stored, key=lambda file: (file.library, file.key)):
                name = attachment.stored_path.removeprefix("storage:")
                self.events(StageReached(document=name, stage="download"))
                outcome = self.files.fetch(attachment)
                self.events(DocumentDone(document=name, state=outcome.value))
                files.append(DownloadedFile(attachment=attachment, outcome=outcome))
        return DownloadReport(source=self.zotero.source, files=tuple(files))
