"""What a run finds, and what it has to do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import PurePath

from citeloom.application.ingest.catalogue import Catalogue
from citeloom.application.ingest.events import Failed, Planned, Unread
from citeloom.application.ingest.fingerprints import failure_fingerprint, policy_fingerprint
from citeloom.application.ingest.images import is_read_as_wanted, wanted_reading
from citeloom.application.ingest.indexed_state import IndexedState
from citeloom.application.ingest.journal import Journal
from citeloom.application.ingest.parts import IngestParts, IngestRequest
from citeloom.application.ingest.plan import CurrentState, Plan, PlannedDocument, make_plan
from citeloom.application.ingest.target import Target
from citeloom.application.ports.source_files import Listing
from citeloom.application.reports import DocumentFailure
from citeloom.domain.errors import ConfigError, SourceUnavailable
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.metadata import FRONT_MATTER_SUFFIXES


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """Looks and changes nothing."""

    parts: IngestParts
    request: IngestRequest
    catalogue: Catalogue
    journal: Journal

    def listing(self) -> Listing:
        """The files of the sources, and for a rebuild those of every document there is.

        Raises `ConfigError` where there are no sources.
        """
        request, entries = self.request, self.catalogue.entries.values()
        sources = request.sources or (self.parts.project.sources if not request.zotero else ())
        known = [e.path for e in entries if e.origin is None] if request.rebuild else []
        self._check(sources=(*sources, *known))
        suffixes = self.parts.tools.converter.suffixes
        listing = self.parts.files.find((*sources, *known), suffixes)
        self.journal.add(
            Unread(
                passed_over=tuple(listing.passed_over),
                unreadable=tuple(u for u in listing.unreadable if u.name not in sources),
            )
        )
        for one in listing.unreadable:
            if one.name in sources:
                error = SourceUnavailable(one.reason, "Check its permissions.")
                self.journal.add(Failed(failure=DocumentFailure.of(one.name, error)))
        absent = SourceUnavailable("no such file or folder", "Check the path.")
        for source in listing.missing:
            if source not in known:
                self.journal.add(Failed(failure=DocumentFailure.of(source, absent)))
        return listing

    def state(self, target: Target | None) -> CurrentState:
        """What a document must have been indexed with to be left as it is."""
        parts, tools = self.parts, self.parts.tools

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
                reading=parts.reading(wanted_reading(document, parts)),
                limits=parts.limits,
            )

        return CurrentState(
            fingerprint_of=fingerprint_of,
            generation=target.generation if target else "",
            references=tools.references.fingerprint,
            is_read_as_wanted=partial(is_read_as_wanted, parts=parts),
            failing=failing,
        )

    def plan(self, listing: Listing, state: CurrentState, truth: IndexedState) -> Plan:
        """The work of the run, as the index bears the catalogue out."""
        plan = make_plan(
            listing=listing,
            entries=truth.entries(self.catalogue.entries),
            state=state,
            files=self.parts.files,
            force=self.request.force,
            retry_failed=self.request.retry_failed,
        )
        deleted = truth.exclude_deleted(plan)
        self.journal.add(
            Planned(
                found=len(listing.files),
                ignored=listing.ignored,
                other_kinds=listing.other_kinds,
                unchanged=tuple(plan.unchanged),
                gone=tuple(entry.path for entry in plan.gone),
                left=tuple(entry.path for entry in plan.left),
                deleted=tuple(deleted),
                missing=tuple(truth.missing(plan, self.catalogue.entries)),
                pending=tuple(document.file.name for document in plan.process),
                failed_before=tuple(failure_of(one, entry) for one, entry in plan.failed_before),
            ),
            *(Failed(failure=failure) for failure in plan.unreadable),
        )
        return plan

    def _check(self, sources: tuple[str, ...]) -> None:
        request, project_id = self.request, self.parts.project.id
        if request.zotero is not None:
            return
        if request.rebuild and any(entry.origin for entry in self.catalogue.entries.values()):
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
