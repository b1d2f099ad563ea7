"""One execution of an ingest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from uuid import uuid4

from citeloom.application.ingest.borne_out import BorneOut, borne_out
from citeloom.application.ingest.catalogue import Catalogue, Outcome
from citeloom.application.ingest.cleanup import Cleanup
from citeloom.application.ingest.converting import source_of, take_notes
from citeloom.application.ingest.fingerprints import policy_fingerprint
from citeloom.application.ingest.images import (
    advice_on_language,
    is_read_as_wanted,
    wanted_reading,
)
from citeloom.application.ingest.indexing import Indexer, Prepared, grouped
from citeloom.application.ingest.metadata_updates import BATCH, MetadataUpdates
from citeloom.application.ingest.parts import IngestParts, IngestRequest
from citeloom.application.ingest.plan import CurrentState, Plan, PlannedDocument, make_plan
from citeloom.application.ingest.target import Target, current_target, make_target
from citeloom.application.ports.document_converter import Source
from citeloom.application.ports.reference_library import Match, MatchedBy
from citeloom.application.ports.source_files import Listing
from citeloom.application.reports import DocumentFailure, IngestReport, Unmatched
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import CiteloomError, ConfigError, SourceUnavailable
from citeloom.domain.manifest import Status
from citeloom.domain.printed_pages import printed_labels


class Run:
    """Plans, works and reports; made for one request and used once."""

    def __init__(self, parts: IngestParts, request: IngestRequest) -> None:
        project = parts.project
        self._parts = parts
        self._project = project
        self._request = request
        self._catalogue = Catalogue(project.id, parts.manifest, parts.clock)
        self._buried = {grave.doc_id for grave in parts.manifest.tombstones(project.id)}
        self._truth = BorneOut()
        self.report = IngestReport(
            project=project.id,
            collection=project.collection,
            models={"dense": project.embedding_model, "sparse": project.bound_sparse_model},
            run_id=uuid4().hex[:12],
            dry_run=request.dry_run,
            zotero=request.zotero,
        )

    def look(self) -> IngestReport:
        """Report what there is to do, and change nothing."""
        listing = self._listing()
        target = current_target(self._parts.index, self._project, rebuild=self._request.rebuild)
        self._truth = self._borne_out(target)
        plan = self._plan(listing, self._state(target))
        moved = (document for document, _ in plan.update_location)
        waiting = (
            document.file.name for document in chain(moved, plan.update_citation, plan.rematch)
        )
        self.report.pending = list(dict.fromkeys((*self.report.pending, *waiting)))
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
        self._truth = self._borne_out(target)
        state = self._state(target)
        plan = self._plan(listing, state)
        self._work(plan, target, state)
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

    def _borne_out(self, target: Target | None) -> BorneOut:
        deleted = frozenset() if self._request.restore else self._buried
        return borne_out(self._parts.index, target, self._project.id, deleted)

    def _plan(self, listing: Listing, state: CurrentState) -> Plan:
        plan = make_plan(
            listing=listing,
            entries=self._truth.entries(self._catalogue.entries),
            state=state,
            files=self._parts.files,
            force=self._request.force,
        )
        report = self.report
        report.deleted = self._truth.withhold_deleted(plan)
        report.missing = self._truth.missing(plan, self._catalogue.entries)
        report.found, report.ignored = len(listing.files), listing.ignored
        report.unchanged = plan.unchanged
        report.gone = [entry.path for entry in plan.gone]
        report.left = [entry.path for entry in plan.left]
        report.pending = [document.file.name for document in plan.process]
        report.failed.extend(plan.unreadable)
        return plan

    def _listing(self) -> Listing:
        """The files of the sources, and for a rebuild those of every document there is."""
        request, entries = self._request, self._catalogue.entries.values()
        sources = request.sources or (self._project.sources if request.zotero is None else ())
        known = [e.path for e in entries if e.origin is None] if request.rebuild else []
        if request.rebuild and request.zotero is None and any(e.origin for e in entries):
            raise ConfigError(
                f"project '{self._project.id}' holds documents of Zotero, which a rebuild reads",
                f"Rebuild it with: citeloom ingest --project {self._project.id} --zotero --rebuild",
            )
        if not sources and not known and request.zotero is None:
            raise ConfigError(
                f"nothing to ingest: project '{self._project.id}' has no sources",
                "Name files or folders, set sources in citeloom.toml, or ask for --zotero.",
            )
        listing = self._parts.files.find((*sources, *known), self._parts.converter.suffixes)
        self.report.passed_over.extend(listing.passed_over)
        self.report.unreadable.extend(u for u in listing.unreadable if u.name not in sources)
        self.report.failed.extend(
            DocumentFailure.of(u.name, SourceUnavailable(u.reason, "Check its permissions."))
            for u in listing.unreadable
            if u.name in sources
        )
        absent = SourceUnavailable("no such file or folder", "Check the path.")
        self.report.failed.extend(
            DocumentFailure.of(source, absent) for source in listing.missing if source not in known
        )
        return listing

    # -- working

    def _stopped(self) -> bool:
        self.report.interrupted = self.report.interrupted or self._request.stop()
        return self.report.interrupted

    def _work(self, plan: Plan, target: Target, state: CurrentState) -> None:
        parts = self._parts
        todo = plan.process[: self._request.limit]
        parts.progress.start(len(todo) + len(plan.update_citation) + len(plan.rematch))
        tidying = Cleanup(
            index=parts.index, target=target, catalogue=self._catalogue, report=self.report
        )
        updates = MetadataUpdates(
            index=parts.index,
            target=target,
            catalogue=self._catalogue,
            tidying=tidying,
            progress=parts.progress,
            report=self.report,
        )
        if self._request.restore:
            restored = self._buried & {document.doc_id for document in plan.process}
            parts.manifest.remove_tombstones(self._project.id, *restored)
            self._buried -= restored
        updates.update_locations(plan.update_location)
        self._index(todo, tidying, state)
        self._update_citations(plan.update_citation, updates, state)
        self._rematch(plan.rematch, updates, state)
        self._clean_up(plan, tidying)
        if target.staged:
            self._promote(tidying)

    def _index(self, todo: list[PlannedDocument], tidying: Cleanup, state: CurrentState) -> None:
        if not todo:
            return
        parts, target = self._parts, tidying.target
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
        self._catalogue.mark(Status.PENDING, *todo)
        for group in grouped(self._prepared(todo, indexer)):
            new = [p.document for p in group if p.document.doc_id not in self._truth.stored]
            self._catalogue.intend(new, target.generation)
            for stored in indexer.store(group):
                self._finish(stored, tidying, state)
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
                    least = self._parts.ocr_min_confidence
                    take_notes(document.file.name, outcome, self.report, least=least)
                    yield document, outcome.result
                if self._stopped():
                    return
        finally:
            outcomes.close()

    def _begun(self, documents: Sequence[PlannedDocument]) -> Iterator[Source]:
        for document in documents:
            self._catalogue.mark(Status.PROCESSING, document)
            self._parts.progress.stage(document.file.name, "convert")
            yield source_of(document, self._parts)

    def _reading(self, document: PlannedDocument) -> str:
        """What reads the document's images."""
        return self._parts.reading(wanted_reading(document, self._parts))

    def _note_language(
        self, document: PlannedDocument, result: ConversionResult, match: Match
    ) -> None:
        advice = advice_on_language(document, result, match.citation, self._project.id)
        if advice:
            self.report.notes.setdefault(document.file.name, []).append(advice)

    def _match(self, document: PlannedDocument, result: ConversionResult) -> Match:
        started = self._parts.clock.monotonic()
        citation = document.file.citation
        if citation is not None:
            match = Match(citation=citation, by=MatchedBy.ITEM, score=1.0)
        else:
            match = self._parts.references.match(document.file.name, result.embedded)
        if match.by is not None:
            self.report.matched[match.by.value] = self.report.matched.get(match.by.value, 0) + 1
        else:
            self.report.unmatched.append(
                Unmatched(path=document.file.name, candidates=match.candidates)
            )
        self.report.spend("match", self._parts.clock.monotonic() - started)
        return match

    def _finish(self, stored: Prepared, tidying: Cleanup, state: CurrentState) -> None:
        """The document is safe in the index: drop its earlier content, then record it."""
        document, citation = stored.document, stored.match.citation
        chunks = len(stored.chunked.chunks)
        previous = document.previous
        if previous is not None and previous.doc_id != document.doc_id:
            tidying.drop([previous])
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
        self._catalogue.mark(Status.FAILED, document, error=error)
        self._parts.progress.advance(document.file.name, f"failed: {error.code}")

    def _update_citations(
        self, documents: list[PlannedDocument], updates: MetadataUpdates, state: CurrentState
    ) -> None:
        for start in range(0, len(documents), BATCH):
            if not self._stopped():
                updates.update_citations(documents[start : start + BATCH], state.references)

    def _rematch(
        self, documents: list[PlannedDocument], updates: MetadataUpdates, state: CurrentState
    ) -> None:
        """Match unchanged documents against changed references; only the citation is rewritten."""
        if self.report.interrupted or not documents:
            return
        self._parts.references.references()
        sources = (source_of(document, self._parts) for document in documents)
        for document, result in self._converted(documents, sources):
            citation = self._match(document, result).citation
            labels = printed_labels(result, citation.pages if citation else None)
            updates.rematched(document, citation, labels, state.references)

    # -- tidying

    def _clean_up(self, plan: Plan, tidying: Cleanup) -> None:
        """Record duplicates and moves, and drop what is gone where that was asked for."""
        self.report.duplicates = {d.file.name: first for d, first in plan.duplicates}
        standing = [pair for pair in plan.duplicates if self._catalogue.is_indexed(pair[1])]
        tidying.drop([document.previous for document, _ in standing if document.previous])
        self._catalogue.duplicates(standing)
        self._catalogue.remove_moved(plan.moved)
        if not self._stopped():
            self._prune(plan, tidying)
        tidying.delete_leftovers()
        if self.report.matched or self.report.unmatched:
            self.report.reference_diagnostics = self._parts.references.diagnostics()

    def _prune(self, plan: Plan, tidying: Cleanup) -> None:
        if self._request.prune:
            tidying.prune(plan.gone)
            self.report.gone = []
        if self._request.prune or self._request.drop_left:
            tidying.prune(plan.left)
            self.report.left = []

    def _promote(self, tidying: Cleanup) -> None:
        """Swap the rebuilt collection in if nothing the old one holds would be lost."""
        tidying.delete_buried(self._buried)
        self.report.left_behind = tidying.left_behind()
        self.report.promoted = not self.report.left_behind
        if self.report.promoted:
            self._parts.index.promote(self._project.collection)
