"""Fingerprints of what documents depend on, and the plan of a run: new, changed, unchanged,
deleted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from json import dumps

from citeloom.application.outcomes import DocumentFailure
from citeloom.application.ports.sources import FoundFile, SourceFiles, SourceListing
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import ChunkingPolicy, InstalledStrategy
from citeloom.domain.project import SCHEMA_VERSION, Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.zotero.items import ZoteroOrigin

# Short names for everything a stored chunk depends on, so that a change is noticed.

CHUNKER_VERSION = 4
"""Goes up whenever the same document would be cut or placed in another way."""

_CITED = tuple(field.name for field in fields(CitationMeta))
_ADDED = ("citekey_made_up", "attachment", "more_authors", "retracted")
"""Fields added since, which leave the fingerprints of references that have none as they were."""

_NO_LONGER_CHOSEN = {"tokenizer_id": None}
"""A setting taken out that stays in the fingerprint: documents need no processing again for it."""

_ANY_STRATEGY = (
    "max_tokens",
    "overlap_tokens",
    "heading_context",
    "min_chunk_tokens",
    "min_signal_to_noise",
)

EMBEDDED_VERSION = 2
"""Goes up whenever the same chunk would be given other vectors."""


MARKDOWN_VERSION = 3
"""Goes up whenever something else is stored of the same Markdown file."""


MARKS_VERSION = 2
"""Goes up whenever the same annotation or note would be made into other chunks."""


def policy_fingerprint(
    project: Project, converter_version: str, *, front_matter: bool = False
) -> str:
    """Changes when a document of the project has to be processed again; one that may have
    `front_matter` also when other fields are declared.
    """
    declared = project.front_matter.declared if front_matter else ()
    return _digest(
        **({"front_matter": [asdict(field) for field in declared]} if declared else {}),
        **({"markdown_version": MARKDOWN_VERSION} if front_matter else {}),
        converter=converter_version,
        chunker=CHUNKER_VERSION,
        embedded=EMBEDDED_VERSION,
        chunking=_chunking(project.chunking),
        dense=project.embedding_model,
        sparse=project.bound_sparse_model,
        schema=SCHEMA_VERSION,
        **({"point_id": project.point_id} if project.point_id else {}),
    )


def _chunking(policy: ChunkingPolicy) -> dict[str, object]:
    """The settings that chunks depend on; for headings the same as before there were other
    strategies.
    """
    shared = {name: getattr(policy, name) for name in _ANY_STRATEGY}
    strategy = policy.strategy
    if isinstance(strategy, InstalledStrategy):
        return {**shared, "strategy": strategy.value, "version": strategy.version}
    if policy.parameters is None:
        return {**shared, **_NO_LONGER_CHOSEN}
    return {**shared, "strategy": policy.strategy.value, **asdict(policy.parameters)}


def chunking_settings(policy: ChunkingPolicy) -> dict[str, str]:
    """The same settings by name, to be compared with those of another machine."""
    own = asdict(policy.parameters) if policy.parameters is not None else {}
    settings = {name: getattr(policy, name) for name in _ANY_STRATEGY} | own
    known = {name: "default" if value is None else str(value) for name, value in settings.items()}
    return {"strategy": policy.strategy.value, **known, "chunker version": str(CHUNKER_VERSION)}


def failure_fingerprint(policy: str, *, suffix: str, reading: str, limits: str) -> str:
    """Changes when a document that failed may be read: with its kind of file, with how its images
    would be read, and with the limits it is held to.
    """
    return _digest(policy=policy, suffix=suffix, reading=reading, limits=limits)


def citation_fingerprint(citation: CitationMeta | None) -> str:
    """Changes when what is stored of a reference changes; empty without one."""
    if citation is None:
        return ""
    fields = {name: getattr(citation, name) for name in _CITED}
    return _digest(**{name: value for name, value in fields.items() if value or name not in _ADDED})


def mark_fingerprint(policy: str, **parts: object) -> str:
    """Changes when an annotation or a note, or what is known of its work, would be embedded anew.

    `policy` is the fingerprint of the project's policies and models.
    """
    return _digest(policy=policy, marks=MARKS_VERSION, **parts)


def _digest(**parts: object) -> str:
    return hashlib.sha256(dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


# The plan of an ingest: which documents are new, changed, unchanged or missing.

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
    """The conditions under which an indexed document counts as unchanged.

    `fingerprint_of` names the policies for a file of that name. `has_current_ocr` says whether its
    images were read as they would be now; `failing` names what a document would have failed under.
    """

    fingerprint_of: Callable[[str], str]
    generation: str
    references: str
    has_current_ocr: Callable[[PlannedDocument, ManifestEntry], bool]
    failing: Callable[[PlannedDocument], str]

    def holds(self, entry: ManifestEntry) -> bool:
        """Whether the entry's content is in the index as it would be put there now."""
        return (
            entry.status is Status.INDEXED
            and entry.fingerprint == self.fingerprint_of(entry.path)
            and entry.generation == self.generation
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


def make_plan(
    *,
    listing: SourceListing,
    entries: Mapping[str, ManifestEntry],
    state: CurrentState,
    files: SourceFiles,
    force: bool,
    retry_failed: bool = False,
) -> Plan:
    """Sort the listed files, and the entries without one, by what has to be done.

    A file whose size and time of change are those of its entry is not read again, save by force,
    and one that failed is not tried again while it and all it depends on are unchanged.
    A run without references leaves an unchanged document the one it was given before.
    """
    planner = _Planner(listing, entries, state, files, force=force, retry_failed=retry_failed)
    planner.add_all(listing.files)
    planner.add_orphans()
    return planner.plan


class _Planner:
    """Sorts one file after another into the plan of a run."""

    def __init__(
        self,
        listing: SourceListing,
        entries: Mapping[str, ManifestEntry],
        state: CurrentState,
        files: SourceFiles,
        *,
        force: bool,
        retry_failed: bool,
    ) -> None:
        self.plan = Plan()
        self._entries = entries
        self._state = state
        self._files = files
        self._force = force
        self._orphans = _orphans(listing, entries, files)
        stored = [entry for entry in entries.values() if state.holds(entry)]
        self._stored = _StoredDocuments(stored, self._orphans, listing)
        self._failures = _Failures([] if force or retry_failed else entries.values(), state)
        self._first_of: dict[str, str] = {}

    def add_all(self, found: Iterable[FoundFile]) -> None:
        """Sort in the listed files; those that were indexed with their content come before copies
        of them.
        """
        documents = [document for file in found if (document := self._document_of(file))]
        for document in sorted(documents, key=lambda planned: not _is_original(planned)):
            self._add(document)

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
        first = self._first_of.get(content_hash) or self._stored.stands_for(document)
        if failure := self._failures.entry_of(document):
            self.plan.failed_before.append((document, failure))
        elif first is not None and file.size > 0:
            self.plan.duplicates.append((document, first))
        else:
            self._first_of[content_hash] = file.name
            stored = None if self._force else self._stored.entry_of(document)
            _sort_in(self.plan, document, self._state, stored)

    def add_orphans(self) -> None:
        """Sort in the entries without a file, once every file is known."""
        known = {content_hash[:_DOC_ID_DIGITS] for content_hash in self._first_of}
        known |= {document.doc_id for document, _ in self.plan.failed_before}
        for entry in self._orphans:
            if entry.doc_id in known:
                self.plan.moved.append(entry)
            else:
                (self.plan.left if entry.origin else self.plan.without_file).append(entry)


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


class _Failures:
    """The documents that failed, as the entries have it."""

    def __init__(self, entries: Iterable[ManifestEntry], state: CurrentState) -> None:
        self._state = state
        self._failed: dict[str, list[ManifestEntry]] = {}
        for entry in entries:
            if entry.status is Status.FAILED and entry.fingerprint:
                self._failed.setdefault(entry.content_hash, []).append(entry)

    def entry_of(self, document: PlannedDocument) -> ManifestEntry | None:
        """How a document's content failed under what holds now, at its own path before others."""
        known = self._failed.get(document.content_hash)
        if not known:
            return None
        failing = self._state.failing(document)
        same = (entry for entry in known if entry.fingerprint == failing)
        return min(same, key=lambda e: (e.path != document.file.name, e.path), default=None)


class _StoredDocuments:
    """Where the chunks are that would be stored the same now, as the entries have it."""

    def __init__(
        self,
        stored: Sequence[ManifestEntry],
        orphans: Sequence[ManifestEntry],
        listing: SourceListing,
    ) -> None:
        self._listed = {file.name for file in listing.files}
        self._orphaned = {entry.path for entry in orphans}
        self._by_doc_id: dict[str, list[ManifestEntry]] = {}
        for entry in stored:
            self._by_doc_id.setdefault(entry.doc_id, []).append(entry)

    def entry_of(self, document: PlannedDocument) -> ManifestEntry | None:
        """The entry of a document's content: one without a file before that of its own path."""

        def rank(entry: ManifestEntry) -> tuple[bool, bool]:
            return entry.path not in self._orphaned, entry.path != document.file.name

        return min(self._by_doc_id.get(document.doc_id, ()), key=rank, default=None)

    def stands_for(self, document: PlannedDocument) -> str | None:
        """The path, out of the listing but still there, that has the content of a plain file."""
        stored = self._by_doc_id.get(document.doc_id)
        if document.file.origin is not None or not stored:
            return None
        if any(entry.path in self._listed or entry.path in self._orphaned for entry in stored):
            return None
        return stored[0].path


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
