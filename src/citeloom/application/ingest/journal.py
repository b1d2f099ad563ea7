"""The journal of a run: its events, added to the report and shown as progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch

from citeloom.application.ingest.events import (
    Chunked,
    Confirmed,
    Converted,
    Diagnosed,
    DocumentStored,
    Duplicated,
    Embedded,
    Failed,
    FailedAlike,
    Finished,
    Interrupted,
    Matched,
    Moved,
    NotOptimized,
    Planned,
    Pruned,
    Rebuilt,
    Removed,
    ServiceUsed,
    Unread,
    Updated,
    Withheld,
    Written,
)
from citeloom.application.ports.runtime import PageBegun, Progress, StageBegun
from citeloom.application.reports import DroppedSection, IngestReport, Unmatched
from citeloom.domain.errors import CiteloomError

# How the report of a run is made from what happened in it.


def reduce(report: IngestReport, event: object) -> None:
    """Add an event to the report; events that the report does not contain leave it unchanged."""
    _reduce(event, report)


@singledispatch
def _reduce(_event: object, _report: IngestReport) -> None: ...


@_reduce.register
def _planned(event: Planned, report: IngestReport) -> None:
    report.found, report.ignored = event.found, event.ignored
    report.other_kinds = dict(event.other_kinds)
    report.unchanged = list(event.unchanged)
    report.gone, report.left = list(event.without_file), list(event.left)
    report.pending = list(event.pending)
    report.deleted, report.missing = list(event.deleted), list(event.missing)
    report.failed_before = list(event.failed_before)


@_reduce.register
def _unread(event: Unread, report: IngestReport) -> None:
    report.passed_over.extend(event.skipped)
    report.unreadable.extend(event.unreadable)


@_reduce.register
def _converted(event: Converted, report: IngestReport) -> None:
    report.spend("convert", event.seconds)
    if event.notes:
        report.notes[event.document] = list(event.notes)
    if event.page_failures:
        report.page_failures[event.document] = list(event.page_failures)
    if event.images is not None:
        report.images_read[event.document] = event.images


@_reduce.register
def _matched(event: Matched, report: IngestReport) -> None:
    report.spend("match", event.seconds)
    if event.by is not None:
        report.matched[event.by.value] = report.matched.get(event.by.value, 0) + 1
    else:
        report.unmatched.append(Unmatched(path=event.document, candidates=event.candidates))
    if event.advice:
        report.notes.setdefault(event.document, []).append(event.advice)


@_reduce.register
def _chunked(event: Chunked, report: IngestReport) -> None:
    report.spend("chunk", event.seconds)
    report.chunking = event.chunking


@_reduce.register
def _embedded(event: Embedded, report: IngestReport) -> None:
    report.spend("embed", event.seconds)


@_reduce.register
def _service_used(event: ServiceUsed, report: IngestReport) -> None:
    report.embedded(event.usage)


@_reduce.register
def _written(event: Written, report: IngestReport) -> None:
    report.spend("store", event.seconds)


@_reduce.register
def _stored(event: DocumentStored, report: IngestReport) -> None:
    report.indexed.append(event.document)
    _tell_loss(event, report)
    report.pages += event.pages
    counts, text = report.chunks, event.text
    counts.added += event.added
    counts.rewritten += event.rewritten
    counts.total += event.added + event.rewritten
    counts.with_heading += text.with_heading
    counts.body_characters += text.body_characters
    counts.kept_characters += text.kept_characters
    counts.enriched_count += text.enriched
    counts.split_count += text.split
    _add(counts.filtered, text.filtered)
    _add(counts.chunks_by_type, text.types)
    report.dropped_sections += [DroppedSection(event.document, part) for part in text.noisy]


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for name, number in more.items():
        counts[name] = counts.get(name, 0) + number


@_reduce.register
def _removed(event: Removed, report: IngestReport) -> None:
    report.chunks.removed += event.chunks


@_reduce.register
def _failed(event: Failed, report: IngestReport) -> None:
    report.failed.append(event.failure)
    if event.seconds:
        report.spend("convert", event.seconds)


@_reduce.register
def _failed_alike(event: FailedAlike, report: IngestReport) -> None:
    report.failed.extend(event.failures)


@_reduce.register
def _duplicated(event: Duplicated, report: IngestReport) -> None:
    report.duplicates = dict(event.duplicates)


@_reduce.register
def _moved(event: Moved, report: IngestReport) -> None:
    report.moved.extend(event.documents)


@_reduce.register
def _updated(event: Updated, report: IngestReport) -> None:
    report.updated.append(event.document)
    _tell_loss(event, report)


def _tell_loss(event: DocumentStored | Updated, report: IngestReport) -> None:
    if event.cited_as is not None and event.citekey is None:
        report.references_lost[event.document] = event.cited_as


@_reduce.register
def _confirmed(event: Confirmed, report: IngestReport) -> None:
    report.unchanged.append(event.document)


@_reduce.register
def _pruned(event: Pruned, report: IngestReport) -> None:
    report.pruned.extend(event.documents)
    report.gone = [path for path in report.gone if path not in event.documents]
    report.left = [path for path in report.left if path not in event.documents]


@_reduce.register
def _withheld(event: Withheld, report: IngestReport) -> None:
    report.withheld = list(event.removals)


@_reduce.register
def _diagnosed(event: Diagnosed, report: IngestReport) -> None:
    report.reference_diagnostics = event.diagnostics
    report.other_reference_diagnostics = event.others


@_reduce.register
def _not_optimized(event: NotOptimized, report: IngestReport) -> None:
    report.not_optimized = event.reason


@_reduce.register
def _interrupted(_event: Interrupted, report: IngestReport) -> None:
    report.interrupted = True


@_reduce.register
def _rebuilt(event: Rebuilt, report: IngestReport) -> None:
    report.left_behind = list(event.not_rebuilt)
    report.left_behind_of_other_machines = event.of_others
    report.promoted = not event.not_rebuilt


@_reduce.register
def _finished(event: Finished, report: IngestReport) -> None:
    place = {name: number for number, name in enumerate(report.pending)}
    report.indexed.sort(key=place.__getitem__)
    report.failed.sort(key=lambda failure: place.get(failure.path, -1))
    report.unmatched.sort(key=lambda unmatched: place.get(unmatched.path, -1))
    done = {*report.indexed, *(failure.path for failure in report.failed)}
    report.pending = [name for name in report.pending if name not in done]
    report.spend("total", event.seconds)


class Journal:
    """Takes every event of a run and shows it at once.

    Events of a document that is prepared beside others wait until that document is settled, so that
    a report does not depend on how the work was spread.
    """

    def __init__(
        self,
        report: IngestReport,
        progress: Progress,
        *,
        has_references: Callable[[], bool] = lambda: True,
    ) -> None:
        self.report = report
        self._progress = progress
        self._has_references = has_references
        self._pending: dict[str, list[object]] = {}
        self._pages: dict[str, int] = {}

    def start(self, documents: int) -> None:
        """So many documents are to be done."""
        self._progress.start(documents)

    def add(self, *events: object) -> None:
        """Add events to the report, and show them."""
        for event in events:
            self._show(event)
            reduce(self.report, event)

    def hold(self, document: str, event: object) -> None:
        """Show an event of a document, and add it to the report once the document is settled."""
        self.show(document, event)
        if not isinstance(event, PageBegun | StageBegun):
            self._pending.setdefault(document, []).append(event)

    def show(self, document: str, event: object) -> None:
        """Show an event of a document without adding it to the report."""
        if isinstance(event, PageBegun):
            self._show_page(document, event.page)
        elif isinstance(event, StageBegun):
            self._progress.stage(document, event.stage)
        else:
            self._show(event)

    def settle(self, document: str) -> tuple[object, ...]:
        """Add the document's events to the report, in order; returns them."""
        events = tuple(self._pending.pop(document, ()))
        for event in events:
            reduce(self.report, event)
        return events

    def ready(self, document: str) -> None:
        """All of a document is prepared and waits to be stored."""
        self._progress.stage(document, "store")

    def counted(self, document: str, error: CiteloomError | None) -> None:
        """A document was prepared, or could not be, to see what embedding it takes."""
        outcome = f"failed: {error.code}" if error else "unchanged: counted"
        self._progress.advance(document, outcome)

    def _show_page(self, document: str, page: int) -> None:
        if document not in self._pages:
            self._pages[document] = 0
            self._progress.stage(document, "convert")
        if (more := page - self._pages[document]) > 0:
            self._pages[document] = page
            self._progress.count(document, pages=more)

    def _show(self, event: object) -> None:
        progress = self._progress
        match event:
            case Converted(document=document, pages=pages):
                self._show_page(document, max(1, pages))
            case Embedded(document=document, chunks=chunks):
                progress.count(document, chunks=chunks)
            case DocumentStored(document=document, text=text):
                progress.advance(document, f"indexed: {text.chunks} chunks{self._cited(event)}")
            case Failed(failure=failure):
                progress.advance(failure.path, f"failed: {failure.code}")
            case Updated(document=document):
                progress.advance(document, f"updated{self._cited(event, ': ')}")
            case Confirmed(document=document):
                progress.advance(document, "unchanged")
            case _:
                pass

    def _cited(self, event: DocumentStored | Updated, before: str = ", ") -> str:
        """What a document is cited as, and whether that was lost; nothing where the project has no
        references.
        """
        if event.citekey:
            return f"{before}@{event.citekey}"
        if event.cited_as:
            return f"{before}lost its reference @{event.cited_as}"
        return f"{before}no reference" if self._has_references() else ""
