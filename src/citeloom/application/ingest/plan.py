"""The plan of a run: which documents are new, changed, unchanged or deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from citeloom.application.ingest.fingerprints import (
    citation_fingerprint,
    failure_fingerprint,
    policy_fingerprint,
)
from citeloom.application.ingest.request import IngestParts
from citeloom.application.ports.sources import FoundFile, SourceFiles, SourceListing
from citeloom.application.reports import DocumentFailure
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.documents.metadata import FRONT_MATTER_SUFFIXES
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrOptions, OcrSource
from citeloom.domain.references.citation import ZoteroOrigin

# A document, and what holds now.

_DOC_ID_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDocument:
    """A file to work on, its content's hash, and what the manifest knew of it.

    `shares_reference` says that another document has its reference, too.
    """

    file: FoundFile
    content_hash: str
    previous: ManifestEntry | None = None
    shares_reference: bool = False

    @property
    def doc_id(self) -> str:
        """The document's id: the first 32 hex digits of its content's SHA-256."""
        return self.content_hash[:_DOC_ID_DIGITS]

    @property
    def origin(self) -> ZoteroOrigin | None:
        """Where in Zotero it comes from, as found now or, where nobody asked Zotero, before."""
        return self.file.origin or (self.previous.origin if self.previous else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """The conditions under which an indexed document counts as unchanged: the policies and models
    of the project, the collection's `generation`, and the fingerprint of the `references`.
    """

    parts: IngestParts
    generation: str
    references: str
    _policies: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def holds(self, entry: ManifestEntry) -> bool:
        """Whether the entry's content is in the index as it would be put there now."""
        return (
            entry.status is Status.INDEXED
            and entry.fingerprint == self.fingerprint_of(entry.path)
            and entry.generation == self.generation
        )

    def fingerprint_of(self, name: str) -> str:
        """Names the policies for a file of that name."""
        suffix = PurePath(name).suffix.lower()
        if suffix not in self._policies:
            self._policies[suffix] = policy_fingerprint(
                self.parts.project.settings,
                self.parts.tools.converter.version_of(suffix),
                front_matter=suffix in FRONT_MATTER_SUFFIXES,
            )
        return self._policies[suffix]

    def failing(self, document: PlannedDocument) -> str:
        """Names what a document would have failed under."""
        return failure_fingerprint(
            self.fingerprint_of(document.file.name),
            suffix=document.file.path.suffix.lower(),
            reading=self.ocr_fingerprint(document),
            limits=self.parts.limits,
        )

    def ocr_fingerprint(self, document: PlannedDocument) -> str:
        """Names how the images of a document are to be read."""
        return self.parts.ocr_fingerprint(requested_ocr(document, self.parts))

    def has_current_ocr(self, document: PlannedDocument, stored: ManifestEntry) -> bool:
        """Whether an indexed document has no images, or they were read as they would be now, or in
        the language of the reference that its text was found to have.
        """
        if not stored.ocr:
            return True
        fingerprint, requested = self.parts.ocr_fingerprint, requested_ocr(document, self.parts)
        if fingerprint(requested) == stored.ocr:
            return True
        if requested is None or requested.source is OcrSource.ZOTERO_METADATA:
            return False
        cited = self.parts.tools.references.references() if stored.citekey else ()
        language = next((c.language for c in cited if c.citekey == stored.citekey), None)
        return language is not None and fingerprint(OcrOptions(languages=(language,))) == stored.ocr


def requested_ocr(document: PlannedDocument, parts: IngestParts) -> OcrOptions | None:
    """The OCR options of a document before its text is known: its reference comes with the file, or
    is found by path alone.
    """
    configured = parts.ocr_languages
    if configured is None:
        return None
    citation = document.file.citation
    if citation is None:
        citation = parts.tools.references.match(document.file.name, EmbeddedMetadata()).citation
    language = citation.language if citation else None
    return OcrOptions.choose(zotero=language, configured=configured)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedState:
    """What the index, which alone knows, says is stored: the chunk counts by document id; and the
    documents that a tombstone excludes.
    """

    stored: Mapping[str, int] = field(default_factory=dict)
    generation: str = ""
    deleted: AbstractSet[str] = frozenset()

    def entries(self, known: Mapping[str, ManifestEntry]) -> dict[str, ManifestEntry]:
        """The entries without deleted documents; those with missing chunks are pending."""
        return {
            path: replace(entry, status=Status.PENDING) if self.lost(entry) else entry
            for path, entry in known.items()
            if entry.doc_id not in self.deleted
        }

    def lost(self, entry: ManifestEntry) -> bool:
        """Whether the index holds fewer chunks of a document than were indexed."""
        return (
            entry.status is Status.INDEXED
            and entry.generation == self.generation
            and self.stored.get(entry.doc_id, 0) < entry.chunks
        )


@dataclass(slots=True, kw_only=True)
class Plan:
    """The work of a run."""

    process: list[PlannedDocument] = field(default_factory=list)
    """From the start."""
    update_location: list[tuple[PlannedDocument, ManifestEntry]] = field(default_factory=list)
    """Their chunks are stored for another place, that of the entry."""
    update_citation: list[PlannedDocument] = field(default_factory=list)
    """They get the reference that came with the file."""
    rematch: list[PlannedDocument] = field(default_factory=list)
    """They are matched against changed references."""
    unchanged: list[str] = field(default_factory=list)
    duplicates: list[tuple[PlannedDocument, str]] = field(default_factory=list)
    """Each with the file of equal content that stands for it."""
    failed_before: list[tuple[PlannedDocument, ManifestEntry]] = field(default_factory=list)
    """They failed as the entry says, and nothing changed since."""
    moved: list[ManifestEntry] = field(default_factory=list)
    """Their files have a new path."""
    without_file: list[ManifestEntry] = field(default_factory=list)
    left: list[ManifestEntry] = field(default_factory=list)
    """They are no longer in the Zotero selection."""
    unreadable: list[DocumentFailure] = field(default_factory=list)

    def exclude(self, deleted: AbstractSet[str]) -> list[str]:
        """Take deleted documents out of the plan; returns their names."""
        documents = (*self.process, *(document for document, _ in self.duplicates))
        self.process = [d for d in self.process if d.doc_id not in deleted]
        self.duplicates = [pair for pair in self.duplicates if pair[0].doc_id not in deleted]
        return [document.file.name for document in documents if document.doc_id in deleted]


def make_plan(
    request: IngestRequest,
    listing: SourceListing,
    entries: Mapping[str, ManifestEntry],
    state: CurrentState,
) -> Plan:
    """Sort the listed files, and the entries without one, by what has to be done.

    A file whose size and time of change are those of its entry is not read again, save by force,
    and one that failed is not tried again while it and all it depends on are unchanged.
    A run without references leaves an unchanged document the one it was given before.
    """
    planner = _Planner(request, listing, entries, state)
    planner.add_files(listing.files)
    planner.add_orphans()
    return planner.plan


class _Planner:
    """Sorts one file after another into the plan of a run."""

    def __init__(
        self,
        request: IngestRequest,
        listing: SourceListing,
        entries: Mapping[str, ManifestEntry],
        state: CurrentState,
    ) -> None:
        self.plan = Plan()
        self._force = request.force
        self._entries = entries
        self._state = state
        self._files = state.parts.project.files
        self._listed = {file.name for file in listing.files}
        self._orphans = {e.path: e for e in _orphans(listing, entries, self._files)}
        self._first_of: dict[str, str] = {}
        """The first file of each content hash."""
        self._stored: dict[str, list[ManifestEntry]] = defaultdict(list)
        """By document id; what would be stored the same now."""
        self._failed: dict[str, list[ManifestEntry]] = defaultdict(list)
        """By content hash; what is not tried again."""
        retries = request.force or request.retry_failed
        for entry in entries.values():
            if state.holds(entry):
                self._stored[entry.doc_id].append(entry)
            elif entry.status is Status.FAILED and entry.fingerprint and not retries:
                self._failed[entry.content_hash].append(entry)

    def add_files(self, files: Iterable[FoundFile]) -> None:
        """Sort in the listed files; those that were indexed with their content come before copies
        of them.
        """
        documents = [document for file in files if (document := self._document_of(file))]
        for document in sorted(documents, key=lambda planned: not _is_original(planned)):
            self._add(document)

    def add_orphans(self) -> None:
        """Sort in the entries without a file, once every file is known."""
        known = {content_hash[:_DOC_ID_DIGITS] for content_hash in self._first_of}
        known |= {document.doc_id for document, _ in self.plan.failed_before}
        for entry in self._orphans.values():
            if entry.doc_id in known:
                self.plan.moved.append(entry)
            else:
                (self.plan.left if entry.origin else self.plan.without_file).append(entry)

    def _document_of(self, file: FoundFile) -> PlannedDocument | None:
        """The file with the hash of its content; None, and listed as such, if it is unreadable."""
        previous = self._entries.get(file.name)
        try:
            content_hash = _content_hash(file, previous, self._files, force=self._force)
        except CiteloomError as error:
            self.plan.unreadable.append(DocumentFailure.of(file.name, error))
            return None
        return PlannedDocument(file=file, content_hash=content_hash, previous=previous)

    def _add(self, document: PlannedDocument) -> None:
        file, content_hash = document.file, document.content_hash
        first = self._first_of.get(content_hash) or self._standing_for(document)
        if failure := self._failure_of(document):
            self.plan.failed_before.append((document, failure))
        elif first is not None and file.size > 0:
            self.plan.duplicates.append((document, first))
        else:
            self._first_of[content_hash] = file.name
            stored = None if self._force else self._stored_as(document)
            _sort_in(self.plan, document, self._state, stored)

    def _failure_of(self, document: PlannedDocument) -> ManifestEntry | None:
        """How a document's content failed under what holds now, at its own path before others."""
        known = self._failed.get(document.content_hash)
        if not known:
            return None
        failing = self._state.failing(document)
        same = (entry for entry in known if entry.fingerprint == failing)
        return min(same, key=lambda e: (e.path != document.file.name, e.path), default=None)

    def _stored_as(self, document: PlannedDocument) -> ManifestEntry | None:
        """The entry of a document's content: one without a file before that of its own path."""

        def rank(entry: ManifestEntry) -> tuple[bool, bool]:
            return entry.path not in self._orphans, entry.path != document.file.name

        return min(self._stored.get(document.doc_id, ()), key=rank, default=None)

    def _standing_for(self, document: PlannedDocument) -> str | None:
        """The path, out of the listing but still there, that has the content of a plain file."""
        stored = self._stored.get(document.doc_id)
        if document.file.origin is not None or not stored:
            return None
        if any(entry.path in self._listed or entry.path in self._orphans for entry in stored):
            return None
        return stored[0].path


def _is_original(document: PlannedDocument) -> bool:
    """Whether the content was indexed as that of this very file; of Zotero's files with the same
    content the first in its order counts.
    """
    previous = document.previous
    return (
        document.file.origin is None
        and previous is not None
        and previous.status is Status.INDEXED
        and previous.content_hash == document.content_hash
    )


def _orphans(
    listing: SourceListing, entries: Mapping[str, ManifestEntry], files: SourceFiles
) -> list[ManifestEntry]:
    """The entries without a document: its file is gone, or, where Zotero was asked, it is no
    longer in the selection.
    """
    listed = {file.name for file in listing.files}
    elsewhere = [entry for name, entry in entries.items() if name not in listed]
    on_disk = [entry.path for entry in elsewhere if entry.origin is None]
    missing = set(files.find(on_disk, frozenset()).missing) if on_disk else set()
    absent = listing.absent
    return [
        entry
        for entry in elsewhere
        if entry.path in missing
        or (
            entry.origin is not None
            and absent is not None
            and (entry.origin.library, entry.origin.attachment_key) not in absent
        )
    ]


def _sort_in(
    plan: Plan, document: PlannedDocument, state: CurrentState, stored: ManifestEntry | None
) -> None:
    """Sort in a document whose chunks are stored as the entry `stored` says, if they are."""
    if stored is None or not state.has_current_ocr(document, stored):
        plan.process.append(document)
        return
    file = document.file
    elsewhere = stored.path != file.name or file.origin not in (None, stored.origin)
    if elsewhere:
        plan.update_location.append((document, stored))
    if file.citation is None:
        if _is_matched_anew(file, stored, state, elsewhere=elsewhere):
            plan.rematch.append(document)
        else:
            plan.unchanged.append(file.name)
    elif citation_fingerprint(file.citation) != stored.citation:
        same_pages = file.citation.pages == stored.citation_pages
        (plan.update_citation if same_pages else plan.rematch).append(document)
    else:
        plan.unchanged.append(file.name)


def _is_matched_anew(
    file: FoundFile, stored: ManifestEntry, state: CurrentState, *, elsewhere: bool
) -> bool:
    """Whether a file that comes without a reference may have another one than it was given."""
    if stored.origin is not None and file.origin is None:
        return False
    if stored.item_key is not None:
        return True
    return state.references != "" and (elsewhere or state.references != stored.references)


def _content_hash(
    file: FoundFile, previous: ManifestEntry | None, files: SourceFiles, *, force: bool
) -> str:
    if (
        previous is not None
        and previous.content_hash
        and not force
        and (previous.size, previous.modified_ns) == (file.size, file.modified_ns)
    ):
        return previous.content_hash
    return files.content_hash(file.path)


# Files of folders that were matched to one reference: its printed pages are those of one alone.


def documents_sharing_reference(
    entries: Iterable[ManifestEntry], files: SourceFiles
) -> list[PlannedDocument]:
    """The documents of folders that have the page range of a reference which another document has,
    too: which one it belongs to is unknown, so none of them gets it.
    """
    having: dict[str, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        if entry.citekey and entry.citation_pages and entry.status is Status.INDEXED:
            having[entry.citekey].append(entry)
    contested = [
        entry
        for sharing in having.values()
        if len({entry.doc_id for entry in sharing}) > 1
        for entry in sharing
        if entry.origin is None
    ]
    return [
        PlannedDocument(
            file=file, content_hash=entry.content_hash, previous=entry, shares_reference=True
        )
        for entry in contested
        for file in files.find([entry.path], frozenset()).files
        if (file.size, file.modified_ns) == (entry.size, entry.modified_ns)
    ]
