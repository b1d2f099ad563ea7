"""How the report of a run is made from what happened in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from citeloom.application.ingest.events import (
    Chunked,
    Confirmed,
    Converted,
    Diagnosed,
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
    Stored,
    Unread,
    Updated,
    Withheld,
    Written,
)
from citeloom.application.reports import DroppedSection, IngestReport, Unmatched


def reduce(report: IngestReport, event: object) -> None:
    """Add an event to the report; what the report does not tell of leaves it as it is."""
    _reduce(event, report)


@singledispatch
def _reduce(_event: object, _report: IngestReport) -> None: ...


@_reduce.register
def _planned(event: Planned, report: IngestReport) -> None:
    report.found, report.ignored = event.found, event.ignored
    report.other_kinds = dict(event.other_kinds)
    report.unchanged = list(event.unchanged)
    report.gone, report.left = list(event.gone), list(event.left)
    report.pending = list(event.pending)
    report.deleted, report.missing = list(event.deleted), list(event.missing)
    report.failed_before = list(event.failed_before)


@_reduce.register
def _unread(event: Unread, report: IngestReport) -> None:
    report.passed_over.extend(event.passed_over)
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
def _stored(event: Stored, report: IngestReport) -> None:
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


def _tell_loss(event: Stored | Updated, report: IngestReport) -> None:
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
    report.left_behind = list(event.left_behind)
    report.left_behind_of_other_machines = event.of_others
    report.promoted = not event.left_behind


@_reduce.register
def _finished(event: Finished, report: IngestReport) -> None:
    place = {name: number for number, name in enumerate(report.pending)}
    report.indexed.sort(key=place.__getitem__)
    report.failed.sort(key=lambda failure: place.get(failure.path, -1))
    report.unmatched.sort(key=lambda unmatched: place.get(unmatched.path, -1))
    done = {*report.indexed, *(failure.path for failure in report.failed)}
    report.pending = [name for name in report.pending if name not in done]
    report.spend("total", event.seconds)
