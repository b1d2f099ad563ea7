"""The plan of a run: which documents are new, changed, unchanged or deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from posixpath import splitext

from citeloom.application.ingest.fingerprints import (
    citation_fingerprint,
    failure_fingerprint,
    policy_fingerprint,
)
from citeloom.application.ingest.prepare import Tools
from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.conversion import READ_AGAIN
from citeloom.application.ports.embedders import RemoteEmbedder
from citeloom.application.ports.records import AuditLog
from citeloom.application.ports.runtime import Cancellation, DiskSpace, Executor, WriteLease
from citeloom.application.ports.sources import FoundFile, SourceFiles, SourceListing
from citeloom.application.reports import CalibrationOutcome
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.documents.manifest import TEXT_LAYER, ManifestEntry, Status
from citeloom.domain.documents.metadata import FRONT_MATTER_SUFFIXES
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrOptions, OcrSource
from citeloom.domain.references.citation import ZoteroOrigin

_DOC_ID_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestParts:
    """The project and the adapters an ingest works with."""

    project: OpenProject
    tools: Tools
    """Those of this process, which plans and stores."""
    executor: Executor[Tools]
    """Prepares documents, with tools of its own."""
    audit: AuditLog
    lease: WriteLease
    space: DiskSpace
    ocr_fingerprint: Callable[[OcrOptions | None], str]
    """The fingerprint of OCR with such options."""
    ocr_languages: tuple[str, ...] | None = None
    """For images of documents whose reference names no language; English and German where empty,
    and None leaves images unread.
    """
    ocr_again: bool = False
    """Whether scans that have a text of their own are read, too."""
    ocr_min_confidence: float = DOCUMENT_LIMITS.ocr_min_confidence
    """Pages read with less are reported."""
    limits: str = ""
    """The fingerprint of the limits on documents."""
    remote: RemoteEmbedder | None = None
    """The service that embeds, where one does."""
    calibrate: Callable[[Cancellation, bool], CalibrationOutcome | None] | None = None
    """Calibrates a library that has changed; None where a service would be asked for it."""
    machine: Callable[[], str] | None = None
    """This machine's id, made at the first call; None where the store is not shared."""


# A document, and what holds now.


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

    @property
    def was_indexed(self) -> bool:
        """Whether the content was indexed as that of this very file; of Zotero's files with the
        same content the first in its order counts.
        """
        return (
            self.file.origin is None
            and self.previous is not None
            and self.previous.status is Status.INDEXED
            and self.previous.content_hash == self.content_hash
        )

    @property
    def precedence(self) -> int:
        """Of files with the same content the lowest is the one that is cited: the one whose path
        the chunks have, then its copies, then the others.
        """
        if not self.was_indexed or self.previous is None:
            return 2
        return 0 if self.previous.copy_of is None else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentState:
    """The conditions under which an indexed document counts as unchanged: the policies and models
    of the project and the collection's `generation`. The index, which alone knows, says how many
    chunks of each document are `stored`; a tombstone excludes the `deleted` ones.
    """

    parts: IngestParts
    generation: str = ""
    stored: Mapping[str, int] = field(default_factory=dict)
    deleted: AbstractSet[str] = frozenset()
    _policies: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def references(self) -> str:
        return self.parts.tools.references.fingerprint

    def lost(self, entry: ManifestEntry) -> bool:
        """Whether the index holds fewer chunks of a document than were indexed."""
        return (
            entry.status is Status.INDEXED
            and entry.generation == self.generation
            and self.stored.get(entry.doc_id, 0) < entry.chunks
        )

    def holds(self, entry: ManifestEntry) -> bool:
        """Whether the entry's content is in the index as it would be put there now."""
        return (
            entry.status is Status.INDEXED
            and entry.fingerprint == self.fingerprint_of(entry.path)
            and entry.generation == self.generation
        )

    def fingerprint_of(self, name: str) -> str:
        """Names the policies for a file of that name."""
        suffix = splitext(name)[1].lower()
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
        return self.parts.ocr_fingerprint(requested_ocr(document, self.parts))

    def has_current_ocr(self, document: PlannedDocument, stored: ManifestEntry) -> bool:
        """Whether an indexed document has no images, or they were read as they would be now, or in
        the language of the reference that its text was found to have.
        """
        if not stored.ocr:
            return True
        requested = requested_ocr(document, self.parts)
        again = requested is not None and requested.again
        if stored.ocr == TEXT_LAYER and not again:
            return True
        if again and not stored.ocr.endswith(READ_AGAIN):
            return False
        if self._are_read(requested, stored):
            return True
        if requested is None or requested.source is OcrSource.ZOTERO_METADATA:
            return False
        cited = self.parts.tools.references.references() if stored.citekey else ()
        language = next((c.language for c in cited if c.citekey == stored.citekey), None)
        return language is not None and self._are_read(OcrOptions(languages=(language,)), stored)

    def _are_read(self, options: OcrOptions | None, stored: ManifestEntry) -> bool:
        """Whether a document's images were read with these options, or once more with them."""
        once = replace(options, again=False) if options else None
        return self.parts.ocr_fingerprint(once) == stored.ocr.removesuffix(READ_AGAIN)


def requested_ocr(document: PlannedDocument, parts: IngestParts) -> OcrOptions | None:
    """The OCR options of a document before its text is known; what was read again stays so."""
    configured = parts.ocr_languages
    if configured is None:
        return None
    citation = document.file.citation
    if citation is None:
        citation = parts.tools.references.match(document.file.name, EmbeddedMetadata()).citation
    language = citation.language if citation else None
    read_again = document.previous is not None and document.previous.ocr.endswith(READ_AGAIN)
    options = OcrOptions.choose(zotero=language, configured=configured)
    return replace(options, again=parts.ocr_again or read_again)


@dataclass(slots=True, kw_only=True)
class Plan:
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
    unreadable: list[tuple[PlannedDocument, CiteloomError]] = field(default_factory=list)
    """Their content is unknown, and so is its hash."""

    def exclude(self, deleted: AbstractSet[str]) -> list[str]:
        """Take deleted documents out of the plan; returns their names."""
        documents = (*self.process, *(document for document, _ in self.duplicates))
        self.process = [d for d in self.process if d.doc_id not in deleted]
        self.duplicates = [pair for pair in self.duplicates if pair[0].doc_id not in deleted]
        return [document.file.name for document in documents if document.doc_id in deleted]


def make_plan(
    request: IngestRequest,
    listing: SourceListing,
    written: Mapping[str, ManifestEntry],
    state: CurrentState,
) -> Plan:
    """Sort the listed files, and the entries `written` in the manifest without one, by what has to
    be done. Entries of deleted documents do not count, those with lost chunks are pending.

    A file whose size and time of change are those of its entry is not read again, save by force,
    and one that failed is not tried again while it and all it depends on are unchanged.
    A run without references leaves an unchanged document the one it was given before.
    """
    plan, files = Plan(), state.parts.project.files
    retries = request.force or request.retry_failed
    entries = {
        path: replace(entry, status=Status.PENDING) if state.lost(entry) else entry
        for path, entry in written.items()
        if entry.doc_id not in state.deleted
    }
    orphans = {entry.path: entry for entry in _orphans(listing, entries, files)}
    stored: dict[str, list[ManifestEntry]] = defaultdict(list)  # as it would be now, by document
    failed: dict[str, list[ManifestEntry]] = defaultdict(list)  # not tried again, by content
    for entry in entries.values():
        if state.holds(entry):
            stored[entry.doc_id].append(entry)
        elif entry.status is Status.FAILED and entry.fingerprint and not retries:
            failed[entry.content_hash].append(entry)
    documents = _with_copies(_hashed(plan, request, listing, entries, files))
    in_sight = {file.name for file in listing.files} | orphans.keys()
    first_of: dict[str, str] = {}  # the first file of each content
    for document in sorted(documents, key=lambda planned: planned.precedence):
        failure = _failure_of(document, failed.get(document.content_hash, ()), state)
        copies = stored.get(document.doc_id, [])
        first = first_of.get(document.content_hash)
        if first is None and copies and document.file.origin is None:
            # a path out of the listing, but still there, stands for a plain file of its content
            first = None if in_sight & {entry.path for entry in copies} else copies[0].path
        if failure is not None:
            plan.failed_before.append((document, failure))
        elif first is not None and document.file.size > 0:
            plan.duplicates.append((document, first))
        else:
            first_of[document.content_hash] = document.file.name
            _sort_in(plan, document, state, [] if request.force else copies, orphans)
    known = {content_hash[:_DOC_ID_DIGITS] for content_hash in first_of}
    known |= {document.doc_id for document, _ in plan.failed_before}
    plan.moved = [entry for entry in orphans.values() if entry.doc_id in known]
    removed = [entry for entry in orphans.values() if entry.doc_id not in known]
    plan.left = [entry for entry in removed if entry.origin]
    plan.without_file = [entry for entry in removed if not entry.origin]
    return plan


def _hashed(
    plan: Plan,
    request: IngestRequest,
    listing: SourceListing,
    entries: Mapping[str, ManifestEntry],
    files: SourceFiles,
) -> Iterator[PlannedDocument]:
    """The listed files with their contents' hashes; the plan gets those that are unreadable."""
    for file in listing.files:
        previous, content_hash = entries.get(file.name), ""
        if previous is not None and not request.force:
            unchanged = (previous.size, previous.modified_ns) == (file.size, file.modified_ns)
            content_hash = previous.content_hash if unchanged else ""
        try:
            content_hash = content_hash or files.content_hash(file.path)
        except CiteloomError as error:
            unread = PlannedDocument(file=file, content_hash="", previous=previous)
            plan.unreadable.append((unread, error))
        else:
            yield PlannedDocument(file=file, content_hash=content_hash, previous=previous)


def _with_copies(documents: Iterable[PlannedDocument]) -> list[PlannedDocument]:
    """The documents, of files of Zotero with the same content the first cited as all of them."""
    first_of: dict[str, int] = {}
    cited: list[PlannedDocument] = []
    for document in documents:
        cited.append(document)
        citation = document.file.citation
        if document.file.origin is None or citation is None:
            continue
        at = first_of.setdefault(document.content_hash, len(cited) - 1)
        first = cited[at]
        if first is not document and first.file.citation is not None:
            both = first.file.citation.with_copy(citation)
            cited[at] = replace(first, file=replace(first.file, citation=both))
    return cited


def _failure_of(
    document: PlannedDocument, failed: Sequence[ManifestEntry], state: CurrentState
) -> ManifestEntry | None:
    """How a document's content failed under what holds now, at its own path before others."""
    conditions = state.failing(document) if failed else ""
    failures = [entry for entry in failed if entry.fingerprint == conditions]
    return min(failures, key=lambda e: (e.path != document.file.name, e.path), default=None)


def _orphans(
    listing: SourceListing, entries: Mapping[str, ManifestEntry], files: SourceFiles
) -> list[ManifestEntry]:
    """The entries whose file is gone, or is no longer in the selection where Zotero was asked."""
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
            and entry.origin.library not in listing.refused
            and (entry.origin.library, entry.origin.attachment_key) not in absent
        )
    ]


def _sort_in(
    plan: Plan,
    document: PlannedDocument,
    state: CurrentState,
    copies: Sequence[ManifestEntry],
    orphans: Container[str],
) -> None:
    """Sort in a document by the entries with its content, first one without a file."""
    file = document.file

    def rank(entry: ManifestEntry) -> tuple[bool, bool]:
        return entry.path not in orphans, entry.path != file.name

    stored = min(copies, key=rank, default=None)
    if stored is None or not state.has_current_ocr(document, stored):
        plan.process.append(document)
        return
    elsewhere = (
        stored.path != file.name
        or (stored.copy_of is not None and stored.copy_of not in {copy.path for copy in copies})
        or file.origin not in (None, stored.origin)
    )
    if elsewhere:
        plan.update_location.append((document, stored))
    if file.citation is not None:
        same_pages = file.citation.pages == stored.citation_pages
        if citation_fingerprint(file.citation) == stored.citation:
            plan.unchanged.append(file.name)
        else:
            (plan.update_citation if same_pages else plan.rematch).append(document)
    elif (stored.origin is None or file.origin is not None) and (
        stored.item_key is not None
        or (state.references and (elsewhere or state.references != stored.references))
    ):
        plan.rematch.append(document)
    else:
        plan.unchanged.append(file.name)


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
