"""One execution of an ingest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from uuid import uuid4

from citeloom.application.ingest.catalogue import Catalogue, Outcome
from citeloom.application.ingest.fingerprints import citation_fingerprint, policy_fingerprint
from citeloom.application.ingest.images import (
    advice_on_language,
    is_read_as_wanted,
    wanted_reading,
)
from citeloom.application.ingest.indexing import Indexer, Prepared, grouped
from citeloom.application.ingest.parts import IngestParts, IngestRequest
from citeloom.application.ingest.plan import CurrentState, Plan, PlannedDocument, make_plan
from citeloom.application.ingest.target import Target, current_target, make_target
from citeloom.application.ports.document_converter import Converted, Source
from citeloom.application.ports.reference_library import Match
from citeloom.application.ports.source_files import Listing
from citeloom.application.reports import DocumentFailure, ImagesRead, IngestReport, Unmatched
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import CiteloomError, ConfigError, SourceUnavailable
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.passage import Selection
from citeloom.domain.printed_pages import printed_labels


class Run:
    """Plans, works and reports; made for one request and used once."""

    def __init__(self, parts: IngestParts, request: IngestRequest) -> None:
        project = parts.project
        self._parts = parts
        self._project = project
        self._request = request
        self._catalogue = Catalogue(project.id, parts.manifest, parts.clock)
        self._everything = Selection(project_id=project.id)
        self.report = IngestReport(
            project=project.id,
            collection=project.collection,
            models={"dense": project.embedding_model, "sparse": project.bound_sparse_model},
            run_id=uuid4().hex[:12],
            dry_run=request.dry_run,
        )

    def look(self) -> IngestReport:
        """Report what there is to do, and change nothing."""
        listing = self._listing()
        target = current_target(self._parts.index, self._project, rebuild=self._request.rebuild)
        plan = self._plan(listing, self._state(target))
        self.report.pending += [document.file.name for document in plan.rematch]
        self.report.duplicates = {d.file.name: first for d, first in plan.duplicates}
        return self.report

    def execute(self) -> IngestReport:
        """Do what there is to do, and report it."""
        parts, report = self._parts, self.report
        started = parts.clock.monotonic()
        listing = self._listing()
        target = current_target(parts.index, self._project, rebuild=self._request.rebuild)
        if target is None:
            self._check_ready()
            target = make_target(parts.index, self._project, parts.dense, parts.clock)
        state = self._state(target)
        plan = self._plan(listing, state)
        todo = plan.process[: self._request.limit]
        parts.progress.start(len(todo) + len(plan.rematch))
        self._index(todo, target, state)
        self._rematch(plan.rematch, target, state)
        self._tidy(plan, target)
        if target.staged:
            self._promote(target)
        done = {*report.indexed, *(failure.path for failure in report.failed)}
        report.pending = [name for name in report.pending if name not in done]
        report.spend("total", parts.clock.monotonic() - started)
        parts.audit.append(self._project.id, asdict(report))
        return report

    # -- planning

    def _state(self, target: Target | None) -> CurrentState:
        return CurrentState(
            fingerprint=policy_fingerprint(self._project, self._parts.converter.version),
            generation=target.generation if target else "",
            references=self._parts.references.fingerprint,
            is_read_as_wanted=partial(is_read_as_wanted, parts=self._parts),
        )

    def _plan(self, listing: Listing, state: CurrentState) -> Plan:
        plan = make_plan(
            listing=listing,
            entries=self._catalogue.entries,
            state=state,
            files=self._parts.files,
            force=self._request.force,
        )
        report = self.report
        report.found, report.ignored = len(listing.files), listing.ignored
        report.unchanged = [entry.path for entry in plan.unchanged]
        report.gone = [entry.path for entry in plan.gone]
        report.pending = [document.file.name for document in plan.process]
        report.failed.extend(plan.unreadable)
        return plan

    def _listing(self) -> Listing:
        """The files of the sources, and for a rebuild those of every document there is."""
        sources = self._request.sources or self._project.sources
        known = tuple(self._catalogue.entries) if self._request.rebuild else ()
        if not sources and not known:
            raise ConfigError(
                f"nothing to ingest: project '{self._project.id}' has no sources",
                "Name files or folders, or set sources in citeloom.toml.",
            )
        listing = self._parts.files.find((*sources, *known), self._parts.converter.suffixes)
        absent = SourceUnavailable("no such file or folder", "Check the path.")
        self.report.failed.extend(
            DocumentFailure.of(source, absent) for source in listing.missing if source in sources
        )
        return listing

    # -- working

    def _stopped(self) -> bool:
        self.report.interrupted = self.report.interrupted or self._request.stop()
        return self.report.interrupted

    def _index(self, todo: list[PlannedDocument], target: Target, state: CurrentState) -> None:
        if not todo:
            return
        parts = self._parts
        indexer = Indexer(
            project=self._project,
            policy=self._project.chunking.fitted(parts.counter.window),
            target=target,
            counter=parts.counter,
            dense=parts.dense,
            sparse=parts.sparse,
            index=parts.index,
            clock=parts.clock,
            report=self.report,
        )
        self._check_ready()
        for document in todo:
            self._catalogue.mark(document, Status.PENDING)
        for group in grouped(self._prepared(todo, indexer)):
            for stored in indexer.store(group):
                self._finish(stored, target, state)
        self._sweep(target)
        parts.index.optimize(target.name)

    def _check_ready(self) -> None:
        """Load models and references, so that what is amiss is known before hours of work."""
        self._parts.references.references()
        self._parts.dense.embed_query(self._project.id)
        if self._parts.sparse is not None:
            self._parts.sparse.embed_query(self._project.id)

    def _prepared(self, todo: list[PlannedDocument], indexer: Indexer) -> Iterator[Prepared]:
        for document, result in self._converted(todo, self._begun(todo)):
            try:
                match = self._match(document, result)
                self._note_language(document, result, match)
                yield indexer.prepare(document, result, match)
            except CiteloomError as error:
                self._fail(document, error)

    def _converted(
        self, documents: Sequence[PlannedDocument], sources: Iterator[Source]
    ) -> Iterator[tuple[PlannedDocument, ConversionResult]]:
        """Each document with its conversion, in order; those that fail are recorded and left out.

        The converter works ahead of the consumer, and is stopped with it.
        """
        outcomes = self._parts.converter.convert(sources)
        try:
            for document, outcome in zip(documents, outcomes):
                self.report.spend("convert", outcome.seconds)
                if outcome.error is not None:
                    self._fail(document, outcome.error)
                elif outcome.result is not None:
                    self._note_pages(document, outcome)
                    self._note_images(document, outcome)
                    yield document, outcome.result
                if self._stopped():
                    return
        finally:
            outcomes.close()

    def _begun(self, documents: Sequence[PlannedDocument]) -> Iterator[Source]:
        for document in documents:
            self._catalogue.mark(document, Status.PROCESSING)
            self._parts.progress.stage(document.file.name, "convert")
            yield self._source(document)

    def _source(self, document: PlannedDocument) -> Source:
        return Source(
            path=document.file.path,
            doc_id=document.doc_id,
            content_hash=document.content_hash,
            ocr=wanted_reading(document, self._parts),
        )

    def _reading(self, document: PlannedDocument) -> str:
        """What reads the document's images."""
        return self._parts.reading(wanted_reading(document, self._parts))

    def _note_language(
        self, document: PlannedDocument, result: ConversionResult, match: Match
    ) -> None:
        advice = advice_on_language(document, result, match.citation, self._project.id)
        if advice:
            self.report.notes.setdefault(document.file.name, []).append(advice)

    def _note_images(self, document: PlannedDocument, outcome: Converted) -> None:
        result, wanted = outcome.result, outcome.source.ocr
        if result is not None and wanted is not None and result.ocr_pages:
            least = self._parts.ocr_min_confidence
            self.report.images_read[document.file.name] = ImagesRead(
                engine=result.ocr_engine,
                languages=result.ocr_languages,
                source=wanted.source,
                pages=len(result.ocr_pages),
                poor={page: sure for page, sure in result.ocr_pages.items() if sure < least},
            )

    def _note_pages(self, document: PlannedDocument, outcome: Converted) -> None:
        if outcome.result is not None and outcome.result.notes:
            self.report.notes[document.file.name] = list(outcome.result.notes)
        if outcome.result is not None and outcome.result.page_failures:
            self.report.page_failures[document.file.name] = [
                f"page {failure.page}: {failure.reason}" for failure in outcome.result.page_failures
            ]

    def _match(self, document: PlannedDocument, result: ConversionResult) -> Match:
        started = self._parts.clock.monotonic()
        match = self._parts.references.match(document.file.name, result.embedded)
        if match.by is not None:
            self.report.matched[match.by.value] = self.report.matched.get(match.by.value, 0) + 1
        else:
            self.report.unmatched.append(
                Unmatched(path=document.file.name, candidates=match.candidates)
            )
        self.report.spend("match", self._parts.clock.monotonic() - started)
        return match

    def _finish(self, stored: Prepared, target: Target, state: CurrentState) -> None:
        """The document is safe in the index: drop its earlier content, then record it."""
        document, citation = stored.document, stored.match.citation
        chunks = len(stored.chunked.chunks)
        previous = document.previous
        if previous is not None and previous.doc_id != document.doc_id:
            self._drop([previous], target)
        outcome = Outcome(
            state=state,
            citation=citation,
            chunks=chunks,
            pages=stored.pages,
            body_share=stored.chunked.body_share,
            ocr=self._reading(document) if stored.depends_on_ocr else "",
        )
        self._catalogue.indexed(document, outcome)
        self.report.indexed.append(document.file.name)
        self.report.pages += stored.pages
        cited = f"@{citation.citekey}" if citation else "no reference"
        self._parts.progress.advance(document.file.name, f"indexed: {chunks} chunks, {cited}")

    def _fail(self, document: PlannedDocument, error: CiteloomError) -> None:
        self.report.failed.append(DocumentFailure.of(document.file.name, error))
        self._catalogue.mark(document, Status.FAILED, error)
        self._parts.progress.advance(document.file.name, f"failed: {error.code}")

    def _rematch(
        self, documents: list[PlannedDocument], target: Target, state: CurrentState
    ) -> None:
        """Match unchanged documents against changed references; only the citation is rewritten."""
        if self.report.interrupted or not documents:
            return
        self._parts.references.references()
        sources = (self._source(document) for document in documents)
        for document, result in self._converted(documents, sources):
            entry = self._catalogue.entries[document.file.name]
            citation = self._match(document, result).citation
            if citation_fingerprint(citation) == entry.citation:
                self.report.unchanged.append(document.file.name)
            else:
                selection = Selection(project_id=self._project.id, doc_id=document.doc_id)
                labels = printed_labels(result, citation.pages if citation else None)
                self._parts.index.recite(target.name, selection, citation)
                self._parts.index.relabel(target.name, selection, labels)
                self._parts.index.flush(target.name)
                self.report.recited.append(document.file.name)
            self._catalogue.cited(entry, citation, state.references)
            self._parts.progress.advance(document.file.name, "unchanged")

    # -- tidying

    def _tidy(self, plan: Plan, target: Target) -> None:
        """Record duplicates and moves, and drop what is gone where that was asked for."""
        for document, stands_for in plan.duplicates:
            self.report.duplicates[document.file.name] = stands_for
            if self._catalogue.is_indexed(stands_for):
                self._drop([document.previous] if document.previous else [], target)
                self._catalogue.duplicate(document, stands_for)
        self._catalogue.remove_moved(plan.moved)
        if self._request.prune and not self._stopped():
            self._prune(plan.gone, target)
        if self.report.matched or self.report.unmatched:
            self.report.reference_diagnostics = self._parts.references.diagnostics()

    def _prune(self, gone: list[ManifestEntry], target: Target) -> None:
        self._drop(gone, target)
        self._catalogue.remove(gone)
        self.report.pruned = [entry.path for entry in gone]
        self.report.gone = []

    def _drop(self, entries: Sequence[ManifestEntry], target: Target) -> None:
        """Delete the entries' chunks, save those of content that another path stands for."""
        for doc_id in {e.doc_id for e in entries} - self._catalogue.doc_ids(without=entries):
            self._delete(doc_id, target)

    def _sweep(self, target: Target) -> None:
        """Delete chunks of documents no entry knows, as a run killed at a bad moment leaves."""
        stored = self._parts.index.facets(target.name, "doc_id", self._everything)
        for doc_id in stored.keys() - self._catalogue.doc_ids():
            self._delete(doc_id, target)

    def _delete(self, doc_id: str, target: Target) -> None:
        selection = Selection(project_id=self._project.id, doc_id=doc_id)
        self.report.chunks.removed += self._parts.index.delete(target.name, selection)
        self._parts.index.flush(target.name)

    def _promote(self, target: Target) -> None:
        """Swap the rebuilt collection in if nothing the old one holds would be lost."""
        self._sweep(target)
        self.report.left_behind = [
            entry.path
            for entry in self._catalogue.entries.values()
            if entry.generation not in ("", target.generation)
        ]
        self.report.promoted = not self.report.left_behind
        if self.report.promoted:
            self._parts.index.promote(self._project.collection)
