"""Planning a run: what is found, what has to be done, and what may be removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import PurePath, PurePosixPath

from citeloom.application.ingest.context import IngestParts, IngestRequest, RunContext, Target
from citeloom.application.ingest.document_metadata import has_current_ocr, requested_ocr
from citeloom.application.ingest.indexed_state import IndexedState
from citeloom.application.ingest.plan import (
    CurrentState,
    Plan,
    PlannedDocument,
    failure_fingerprint,
    make_plan,
    policy_fingerprint,
)
from citeloom.application.outcomes import DocumentFailure, OutcomeState
from citeloom.application.ports.sources import SourceFolder, SourceListing
from citeloom.application.reports import WithheldRemoval
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.documents.metadata import FRONT_MATTER_SUFFIXES
from citeloom.domain.errors import ConfigError, SourceUnavailable

# What a run finds, and what it has to do.


def list_sources(run: RunContext) -> SourceListing:
    """The files of the sources, and for a rebuild those of every document there is.

    Raises `ConfigError` where there are no sources.
    """
    request, parts, record = run.request, run.parts, run.record
    sources = request.sources or (parts.project.sources if not request.zotero else ())
    entries = run.catalogue.entries.values()
    known = [e.path for e in entries if e.origin is None] if request.rebuild else []
    _check_sources(run, (*sources, *known))
    listing = parts.files.find((*sources, *known), parts.tools.converter.suffixes)
    record.note(
        found=len(listing.files),
        ignored=listing.ignored,
        other_kinds=dict(listing.other_kinds),
        passed_over=tuple(listing.skipped),
        unreadable=tuple(u for u in listing.unreadable if u.name not in sources),
    )
    for file in listing.unreadable:
        if file.name in sources:
            error = SourceUnavailable(file.reason, "Check its permissions.")
            record.failed(DocumentFailure.of(file.name, error))
    absent = SourceUnavailable("no such file or folder", "Check the path.")
    for source in listing.missing:
        if source not in known:
            record.failed(DocumentFailure.of(source, absent))
    return listing


def current_state(parts: IngestParts, target: Target | None) -> CurrentState:
    """The conditions under which an indexed document counts as unchanged."""
    tools = parts.tools

    @cache
    def of_kind(suffix: str) -> str:
        return policy_fingerprint(
            parts.project,
            tools.converter.version_of(suffix),
            front_matter=suffix in FRONT_MATTER_SUFFIXES,
        )

    def fingerprint_of(name: str) -> str:
        return of_kind(PurePath(name).suffix.lower())

    def failing(document: PlannedDocument) -> str:
        return failure_fingerprint(
            fingerprint_of(document.file.name),
            suffix=document.file.path.suffix.lower(),
            reading=parts.reading(requested_ocr(document, parts)),
            limits=parts.limits,
        )

    return CurrentState(
        fingerprint_of=fingerprint_of,
        generation=target.generation if target else "",
        references=tools.references.fingerprint,
        has_current_ocr=partial(has_current_ocr, parts=parts),
        failing=failing,
    )


def plan_run(
    run: RunContext, listing: SourceListing, state: CurrentState, truth: IndexedState
) -> Plan:
    """The plan of the run, by the manifest as verified against the index."""
    entries, record = run.catalogue.entries, run.record
    plan = make_plan(
        listing=listing,
        entries=truth.entries(entries),
        state=state,
        files=run.parts.files,
        force=run.request.force,
        retry_failed=run.request.retry_failed,
    )
    deleted = truth.exclude_deleted(plan)
    for failure in plan.unreadable:
        record.failed(failure)
    todo = (*plan.process, *plan.update_citation, *plan.rematch)
    record.set_all(OutcomeState.UNCHANGED, plan.unchanged)
    record.set_all(OutcomeState.PENDING, (document.file.name for document in todo))
    record.set_all(OutcomeState.DELETED, deleted)
    record.set_all(OutcomeState.WITHOUT_FILE, (entry.path for entry in plan.without_file))
    record.set_all(OutcomeState.LEFT, (entry.path for entry in plan.left))
    for document, entry in plan.failed_before:
        failure = failure_of(document, entry)
        record.set(failure.path, state=OutcomeState.FAILED_BEFORE, failure=failure)
    for name in truth.missing(plan, entries):
        record.set(name, was_missing=True)
    return plan


def _check_sources(run: RunContext, sources: tuple[str, ...]) -> None:
    request, project_id = run.request, run.parts.project.id
    if request.zotero is not None:
        return
    if request.rebuild and any(entry.origin for entry in run.catalogue.entries.values()):
        raise ConfigError(
            f"project '{project_id}' holds documents of Zotero, which a rebuild reads",
            f"Rebuild it with: citeloom ingest --project {project_id} --zotero --rebuild",
        )
    if not sources:
        raise ConfigError(
            f"nothing to ingest: project '{project_id}' has no sources",
            "Name files or folders, set sources in citeloom.toml, or ask for --zotero.",
        )


def failure_of(document: PlannedDocument, entry: ManifestEntry) -> DocumentFailure:
    """How a document failed, as the entry says."""
    return DocumentFailure(
        path=document.file.name, code=entry.error_code or "", message=entry.error or ""
    )


# The rule by which documents whose files are gone are removed.

FEW = 2
"""So many documents of a source are removed without a confirmation, unless they are all of it."""

SHARE = 0.25
"""The share of a source's documents that is removed without a confirmation."""


def is_many(removed: int, total: int) -> bool:
    """Whether removing so many of the `total` documents of a source needs a confirmation."""
    return removed >= total or (removed > FEW and removed > SHARE * total)


def divide_removals(
    run: RunContext, removals: Sequence[ManifestEntry]
) -> tuple[list[ManifestEntry], list[WithheldRemoval]]:
    """The entries of documents without a file to remove, and for each source whose documents stay
    the reason.

    A file counts as missing only if its source is there and can be read. A document that was named
    on its own, or whose source is no longer one, belongs to the folder of its file. Whether many
    documents are to be removed at once is asked of the request's `confirm`, unless `yes` says so.
    """
    removed: list[ManifestEntry] = []
    withheld: list[WithheldRemoval] = []
    place_of = _places(run)
    totals: dict[_Place, int] = defaultdict(int)
    groups: dict[_Place, list[ManifestEntry]] = defaultdict(list)
    for entry in run.catalogue.entries.values():
        totals[place_of(entry)] += 1
    for entry in removals:
        groups[place_of(entry)].append(entry)
    for place, entries in groups.items():
        doubt = _doubt(place, entries, totals[place])
        if doubt is None or (doubt.can_be_confirmed and _is_confirmed(doubt, run.request)):
            removed += entries
        else:
            withheld.append(doubt)
    return removed, withheld


def _places(run: RunContext) -> Callable[[ManifestEntry], _Place]:
    """The function that says where an entry's document comes from."""
    sources = (*run.request.sources, *run.parts.project.sources)
    named = {source: run.parts.files.folder(source) for source in dict.fromkeys(sources)}
    entries = run.catalogue.entries
    folders = [folder for folder in named.values() if folder.name not in entries]
    folders.sort(key=lambda folder: -len(PurePosixPath(folder.name).parts))
    roots = [
        (PurePosixPath(folder.name), _Place(folder=folder, is_source=True)) for folder in folders
    ]
    parents: dict[PurePosixPath, _Place] = {}

    def place(entry: ManifestEntry) -> _Place:
        if entry.origin is not None:
            return _Place(folder=SourceFolder(name=entry.origin.library), in_zotero=True)
        path = PurePosixPath(entry.path)
        for root, source in roots:
            if path.is_relative_to(root):
                return source
        if path.parent not in parents:
            parents[path.parent] = _Place(folder=run.parts.files.folder(str(path.parent)))
        return parents[path.parent]

    return place


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A source folder, the folder of single files, or a library of Zotero's."""

    folder: SourceFolder
    is_source: bool = False
    in_zotero: bool = False


def _doubt(place: _Place, removals: Sequence[ManifestEntry], total: int) -> WithheldRemoval | None:
    """Why the documents of a place are not removed without being asked about; None if they are."""
    reason = ""
    if place.folder.fault:
        reason = place.folder.fault
    elif is_many(len(removals), total):
        without = "no longer selected" if place.in_zotero else "gone"
        reason = f"{len(removals)} of its {total} documents are {without} at once"
    if not reason:
        return None
    return WithheldRemoval(
        source=f"Zotero {place.folder.name}" if place.in_zotero else place.folder.name,
        reason=reason,
        documents=tuple(sorted(entry.path for entry in removals)),
        can_be_confirmed=not (place.is_source and place.folder.fault),
    )


def _is_confirmed(doubt: WithheldRemoval, request: IngestRequest) -> bool:
    if request.yes or request.dry_run:
        return request.yes
    return request.confirm is not None and request.confirm(doubt)
