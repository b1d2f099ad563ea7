"""What an ingest has to do: which documents are new, changed, as they were, or gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citeloom.application.ports.source_files import FoundFile, Listing, SourceFiles
from citeloom.application.reports import DocumentFailure
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.zotero import ZoteroOrigin

_DOC_ID_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDocument:
    """A file to work on, its content's hash, and what the manifest knew of it."""

    file: FoundFile
    content_hash: str
    previous: ManifestEntry | None = None

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
    """What a document must have been indexed with to count as unchanged.

    `is_read_as_wanted` says whether its images were read as they would be now.
    """

    fingerprint: str
    generation: str
    references: str
    is_read_as_wanted: Callable[[PlannedDocument, ManifestEntry], bool]


@dataclass(slots=True, kw_only=True)
class Plan:
    """The work of a run, each document in one place.

    `process` from the start; `rematch` against changed references only; `duplicates` map a file
    to the one of equal content that stands for it; `moved` entries live on under another path;
    `gone` entries have no file any more.
    """

    process: list[PlannedDocument] = field(default_factory=list)
    rematch: list[PlannedDocument] = field(default_factory=list)
    unchanged: list[ManifestEntry] = field(default_factory=list)
    duplicates: list[tuple[PlannedDocument, str]] = field(default_factory=list)
    moved: list[ManifestEntry] = field(default_factory=list)
    gone: list[ManifestEntry] = field(default_factory=list)
    unreadable: list[DocumentFailure] = field(default_factory=list)


def make_plan(
    *,
    listing: Listing,
    entries: Mapping[str, ManifestEntry],
    state: CurrentState,
    files: SourceFiles,
    force: bool,
) -> Plan:
    """Sort the listed files, and the entries without one, by what has to be done.

    A file whose size and time of change are those of its entry is not read again, save by force.
    A run without references leaves an unchanged document the one it was given before.
    """
    plan = Plan()
    listed = {file.name for file in listing.files}
    elsewhere = [name for name in entries if name not in listed]
    missing = set(files.find(elsewhere, frozenset()).missing) if elsewhere else set()
    orphans = [entries[name] for name in elsewhere if name in missing]
    orphaned_ids = {entry.doc_id for entry in orphans if entry.doc_id}
    first_of: dict[str, str] = {}
    for file in listing.files:
        previous = entries.get(file.name)
        try:
            content_hash = _content_hash(file, previous, files, force=force)
        except CiteloomError as error:
            plan.unreadable.append(DocumentFailure.of(file.name, error))
            continue
        document = PlannedDocument(file=file, content_hash=content_hash, previous=previous)
        if content_hash in first_of:
            plan.duplicates.append((document, first_of[content_hash]))
            continue
        first_of[content_hash] = file.name
        fresh = force or document.doc_id in orphaned_ids
        _sort_in(plan, document, state, fresh=fresh)
    live_ids = {content_hash[:_DOC_ID_DIGITS] for content_hash in first_of}
    for entry in orphans:
        (plan.moved if entry.doc_id in live_ids else plan.gone).append(entry)
    return plan


def _sort_in(plan: Plan, document: PlannedDocument, state: CurrentState, *, fresh: bool) -> None:
    previous = document.previous
    as_it_was = (
        previous is not None
        and previous.status is Status.INDEXED
        and previous.content_hash == document.content_hash
        and previous.fingerprint == state.fingerprint
        and previous.generation == state.generation
        and state.is_read_as_wanted(document, previous)
    )
    if previous is None or fresh or not as_it_was:
        plan.process.append(document)
    elif state.references not in ("", previous.references):
        plan.rematch.append(document)
    else:
        plan.unchanged.append(previous)


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
