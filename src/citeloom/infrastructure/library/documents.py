"""What fills, keeps and checks a project: ingests, documents, references, validation, deletion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.events import ReadEvent, reader_of
from citeloom.application.requests.documents import DocumentsRequest
from citeloom.application.requests.fields import accepts
from citeloom.application.requests.ingest import (
    IngestRequest,
    SyncRequest,
    WatchRequest,
    absolute,
)
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.library.parts import ProjectParts

if TYPE_CHECKING:
    from citeloom.application.delete import Delete, DeleteReport
    from citeloom.application.documents import DocumentDetail, Inspection, ListedDocument
    from citeloom.application.match import MatchCandidates, MatchDocuments
    from citeloom.application.ports.runtime import Cancellation
    from citeloom.application.ports.sources import SourceFiles
    from citeloom.application.repair import RepairReport
    from citeloom.application.reports import IngestReport
    from citeloom.application.validate import ValidationReport


class ProjectDocuments(ProjectParts):
    """A project's documents: ingested, listed, matched with references, checked and deleted."""

    @accepts(IngestRequest)
    def ingest(self, request: IngestRequest) -> IngestReport:
        """Ingest files, folders or a Zotero selection; relative sources are of the current folder.

        Raises `IndexLocked` while another process changes the project.
        """
        from citeloom.application.ingest import ingest
        from citeloom.application.zotero.ingest import IngestZotero

        request = replace(request, sources=absolute(request.files))
        send = reader_of(request.progress, request.events)
        parts = self.ingest_parts(request.references)
        if request.zotero is None:
            return ingest(parts, request, send)
        run = IngestZotero(parts=parts, reach=lambda: self.parts.zotero)
        return run(request, request.zotero, send)

    @accepts(SyncRequest)
    def sync(self, request: SyncRequest) -> IngestReport:
        """Update the project from its Zotero selection.

        Raises `ConfigError` if it has none.
        """
        from citeloom.application.zotero.ingest import IngestZotero

        run = IngestZotero(parts=self.ingest_parts(), reach=lambda: self.parts.zotero)
        return run.sync(
            request.ingesting(),
            reader_of(request.progress),
            annotations=request.annotations,
            notes=request.notes,
        )

    @accepts(WatchRequest)
    def watch(self, request: WatchRequest) -> None:
        """Keep the index equal to files and folders, or the project's configured sources, until
        `stop` is requested or returns True. `events` reads what happens: a report after each run
        that changed something, failures, and sources that are not there.

        A file is read once it has not changed for `settle_seconds`; every `sweep_seconds` all
        sources are looked at in case a change was missed. Documents are removed with their files.
        Raises `ConfigError` if there is no source.
        """
        from citeloom.application.ingest import ingest
        from citeloom.application.watching import Watch, WatchPolicy
        from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        chosen = absolute(request.sources) or self.project.sources
        if not chosen:
            raise ConfigError(
                "there is nothing to watch",
                "Name a folder, or set `sources` of the project in citeloom.toml.",
            )

        def ingest_from(
            files: SourceFiles, request: IngestRequest, send: ReadEvent
        ) -> IngestReport:
            parts = self.ingest_parts()
            return ingest(
                replace(parts, project=replace(parts.project, files=files)), request, send
            )

        base = self.parts.settings.base_dir
        watch = Watch(
            sources=chosen,
            suffixes=readable_suffixes(),
            files=self.parts.files,
            changes=WatchedFolders([_folder(base / source) for source in chosen]),
            clock=self.parts.clock,
            ingest=ingest_from,
            policy=WatchPolicy(
                settle_seconds=request.settle_seconds, sweep_seconds=request.sweep_seconds
            ),
        )
        watch(request.ingesting(), reader_of(request.progress, request.events))

    def inspect(self, *, sample: int = 0) -> Inspection:
        """Describe the project and its index, with `sample` of its chunks."""
        from citeloom.application.documents import inspect_project

        return inspect_project(self.opened, sample=sample)

    @accepts(DocumentsRequest)
    def documents(self, request: DocumentsRequest) -> list[ListedDocument]:
        """The documents that match every given filter, sorted by path. Raises `InvalidFilter`."""
        from citeloom.application.documents import list_documents

        return list_documents(self.opened, request)

    def document(self, doc_id: str) -> DocumentDetail:
        """A document with its outline, its pages and its chunks. Raises `NotFound`."""
        from citeloom.application.documents import describe_document

        return describe_document(self.opened, doc_id)

    def match_candidates(self, document: str | None = None) -> Iterator[MatchCandidates]:
        """The documents without a reference, each with the three references nearest to it; or one
        document, by its path, the end of it or its id.

        Raises `ConfigError` if the project has no references, `NotFound` for an unknown document.
        """
        return self._matching.candidates(document)

    def configure_reference(self, document: str, citekey: str) -> Path:
        """Write into citeloom.toml that a document is the work of a citekey, and return the file.
        An ingest of a library opened afterwards applies it.

        Raises `NotFound` for an unknown document or citekey, `ConfigError` where the file cannot be
        changed.
        """
        return self._matching.configure_reference(document, citekey)

    @property
    def _matching(self) -> MatchDocuments:
        from citeloom.application.match import MatchDocuments
        from citeloom.infrastructure.wiring.conversion import cached_first_pages
        from citeloom.infrastructure.wiring.zotero import configure_file

        settings = self.parts.settings
        return MatchDocuments(
            project=self.opened,
            references=self.references(),
            first_pages=cached_first_pages(settings),
            configure=partial(configure_file, settings, self.project.id),
        )

    def repair(
        self, *, dry_run: bool = False, waiting: Callable[[str], None] | None = None
    ) -> RepairReport:
        """Rebuild the manifest from the index, finish killed deletions, and report the rest."""
        from citeloom.application.repair import Repair

        repair = Repair(project=self.opened, audit=self.parts.audit, lease=self.parts.lease)
        return repair(dry_run=dry_run, waiting=waiting)

    def validate(
        self,
        *,
        only: frozenset[str] = frozenset(),
        skip: frozenset[str] = frozenset(),
        cancellation: Cancellation | None = None,
    ) -> ValidationReport:
        """Check models, store, references and every chunk, read-only; `cancellation` ends it from
        another thread.
        """
        from citeloom.application.validate import Validate

        validate = Validate(
            project=self.opened,
            policy=self.parts.settings.validation,
            references=self.references(),
            counter=self.embedders.counter,
            dense=self.embedders.dense,
        )
        return validate(only=only, skip=skip, cancellation=cancellation)

    def check_deletion(self, *, doc_id: str | None = None, citekey: str | None = None) -> None:
        """Raise `NotFound` where `delete` would, and change nothing."""
        if doc_id is not None:
            self._deletion.check("doc_id", doc_id)
        if citekey is not None:
            self._deletion.check("citekey", citekey)

    def delete(
        self,
        *,
        doc_id: str | None = None,
        citekey: str | None = None,
        everything: bool = False,
        waiting: Callable[[str], None] | None = None,
    ) -> DeleteReport:
        """Delete one document, every document of a work, or everything. Source files stay; ingests
        skip them until one runs with `restore`.

        Raises `ConfigError` unless exactly one of the three is given, `NotFound` for an unknown
        document or work. While another process changes the project, raises `IndexLocked`, or
        calls `waiting` with its owner and waits.
        """
        if sum((doc_id is not None, citekey is not None, everything)) != 1:
            raise ConfigError(
                "it is not clear what to delete",
                "Give exactly one of doc_id, citekey and everything.",
            )
        if doc_id is not None:
            return self._deletion.documents("doc_id", doc_id, waiting=waiting)
        if citekey is not None:
            return self._deletion.documents("citekey", citekey, waiting=waiting)
        return self._deletion.everything(waiting=waiting)

    @property
    def _deletion(self) -> Delete:
        from citeloom.application.delete import Delete

        return Delete(project=self.opened, audit=self.parts.audit, lease=self.parts.lease)


def _folder(source: Path) -> Path:
    """The folder to watch: an editor replaces a file, but leaves its folder."""
    return source.parent if source.is_file() else source
