"""The report of an ingest, for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from citeloom.application.reports import DocumentFailure, IngestReport, NamedInZotero, Unmatched
from citeloom.domain.policies import StrategyName
from citeloom.domain.references.evidence import MatchConflict
from citeloom.domain.references.matching import ReferenceCandidate
from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import as_line, painter

OBJECTIONS: Mapping[MatchConflict, str] = {
    MatchConflict.EQUAL: "another reference fits as well",
    MatchConflict.DOI: "the document's DOI and its title are those of different references",
    MatchConflict.DISTANT: "the titles differ",
    MatchConflict.WORDS: "the titles differ in a word",
    MatchConflict.NUMBERS: "the titles differ in a number, year or part",
    MatchConflict.COMPANION: "one of them is a reply to, or a correction or review of, the other",
    MatchConflict.HIDDEN: "the title is in the file's metadata, but not on its first pages",
    MatchConflict.SHORTENED: "one title is part of the other, and no author of it was found",
    MatchConflict.INEXACT: "a title this short must match exactly",
    MatchConflict.UNSUPPORTED: "the title alone is not enough, and no author of it was found",
}
_LISTED = 10
_NAMED = 3  # of the documents that failed for the same reason


def summary(report: IngestReport) -> str:
    """The report, the counts first, then whatever needs attention."""
    return "\n".join(
        as_line(line)
        for line in (
            *_counts(report),
            *_failures(report),
            *_images(report),
            *_other_kinds(report),
            *_not_read(report),
            *_references(report),
            *_zotero(report),
            *_marks(report),
            *_rest(report),
        )
    )


def _counts(report: IngestReport) -> Iterator[str]:
    paint = painter(sys.stdout)
    parts = [
        f"{report.found} found",
        f"{len(report.indexed)} indexed",
        f"{len(report.unchanged)} unchanged",
        f"{len(report.failed)} failed",
    ]
    for number, word in (
        (len(report.failed_before), "failed before"),
        (len(set(report.updated) - report.references_lost.keys()), "with a new reference"),
        (len(report.references_lost), "without the reference they had"),
        (len(report.moved), "moved"),
        (len(report.pending), "to do"),
        (len(report.duplicates), "duplicates"),
        (len(report.pruned), "pruned"),
        (len(report.deleted), "deleted before"),
        (report.ignored, "files of other kinds"),
    ):
        if number:
            parts.append(f"{number} {word}")
    yield paint(f"{report.project}: ", "bold") + ", ".join(parts)
    if report.indexed:
        yield from _chunks(report)
    if report.sends_text_to:
        yield _embedding(report)


def _chunks(report: IngestReport) -> Iterator[str]:
    chunks = report.chunks
    stored = chunks.added + chunks.rewritten
    yield (
        f"chunks: {chunks.added} added, {chunks.rewritten} rewritten, {chunks.removed} removed; "
        f"{chunks.body_share:.1%} of the text kept, "
        f"{chunks.with_heading / max(stored, 1):.0%} under a heading"
    )
    if chunks.filtered:
        listed = ", ".join(
            f"{n} {reason.replace('_', ' ')}" for reason, n in chunks.filtered.items()
        )
        yield f"left out: {listed}"
    yield from _listed(
        f"left out as noise: {counted(len(report.dropped_sections), 'part')} of sections",
        [section.place for section in report.dropped_sections],
    )
    yield from _divided(report)
    seconds = ", ".join(
        f"{stage} {spent:.1f}" for stage, spent in report.seconds.items() if stage != "total"
    )
    total = report.seconds.get("total", 0.0)
    pages = f"{counted(report.pages, 'page')} in " if report.pages else ""
    yield f"{pages}{total:.1f} s (seconds of work: {seconds})"


def _embedding(report: IngestReport) -> str:
    """What a remote model was asked for, or would be."""
    reused = f", {report.embed_reused} vectors were kept" if report.embed_reused else ""
    if report.dry_run:
        return (
            f"embedding would take about {report.embed_api_calls} calls of "
            f"{report.embed_tokens} tokens to {report.sends_text_to}{reused}"
        )
    return (
        f"embedding: {report.embed_api_calls} calls of {report.embed_tokens} tokens to "
        f"{report.sends_text_to}, {report.embed_seconds:.1f} s{reused}"
    )


def _divided(report: IngestReport) -> Iterator[str]:
    """How documents were divided, where it is not simply along headings by exact counts."""
    chunking, chunks = report.chunking, report.chunks
    if chunking is None:
        return
    if chunking.strategy != StrategyName.HEADINGS:
        low, high = chunking.target_tokens or (0, 0)
        aimed = f", targeting {low} to {high}" if high else ""
        yield (
            f"strategy {chunking.strategy}: chunks of at most {chunking.max_tokens} tokens"
            f"{aimed}; {chunks.split_count} divided because they were longer"
        )
    if chunks.chunks_by_type:
        types = ", ".join(
            f"{n} {name.replace('_', ' ')}" for name, n in chunks.chunks_by_type.items()
        )
        yield f"types: {types}; {chunks.enriched_count} enriched with context"
    if chunking.token_count_estimated:
        yield "token counts are estimates: the model's tokenizer is not available"


def _failures(report: IngestReport) -> Iterator[str]:
    if report.failed:
        yield painter(sys.stdout)(f"failed: {len(report.failed)}", "red")
    for code, alike in _by_code(report.failed).items():
        if len(alike) > 1:
            yield f"  {code}: {len(alike)}"
        for failure in alike[:_NAMED]:
            yield f"  {failure.path}  {code}: {failure.message}"
            if failure.hint:
                yield f"    {failure.hint}"
        yield from _more(len(alike), _NAMED)
    if report.failed_before:
        codes = ", ".join(f"{len(a)} {c}" for c, a in _by_code(report.failed_before).items())
        yield (
            f"{len(report.failed_before)} failed before, unchanged ({codes}); "
            "--retry-failed tries them again"
        )
    for path, pages in report.page_failures.items():
        yield f"  {path}  indexed without {', '.join(pages)}"
    doubtful = [path for path, notes in report.notes.items() if any(map(_is_doubtful, notes))]
    for path, notes in report.notes.items():
        yield from (f"  {path}  {note}" for note in notes if not _is_doubtful(note))
    if doubtful:
        named = ", ".join(doubtful[:_NAMED]) + (", …" if len(doubtful) > _NAMED else "")
        yield (
            f"  doubtful tables, whose words do not fit their columns, in "
            f"{counted(len(doubtful), 'document')}: {named}; compare before you cite from them; "
            "--json has the pages"
        )


def _by_code(failures: Sequence[DocumentFailure]) -> dict[str, list[DocumentFailure]]:
    by_code: dict[str, list[DocumentFailure]] = {}
    for failure in failures:
        by_code.setdefault(failure.code, []).append(failure)
    return by_code


def _is_doubtful(note: str) -> bool:
    return note.startswith("a table on ") and " is doubtful" in note


def _images(report: IngestReport) -> Iterator[str]:
    for path, images in report.images_read.items():
        count = f"{images.pages} page{'s' if images.pages > 1 else ''}"
        languages = "+".join(images.languages)
        yield f"  {path}  {count} read as images by {images.engine} in {languages}"
        if images.poor:
            poor = ", ".join(f"{page} ({sure:.0%})" for page, sure in images.poor.items())
            yield f"    hard to read, compare before citing: page {poor}"


def _other_kinds(report: IngestReport) -> Iterator[str]:
    """Which files were passed over, by suffix; and where nothing is left, that this is so."""
    kinds = sorted(report.other_kinds.items(), key=lambda kind: (-kind[1], kind[0]))
    if kinds:
        listed = [f"{number} {suffix or 'without a suffix'}" for suffix, number in kinds]
        yield f"of unsupported kinds: {', '.join(listed[:_LISTED])}"
        yield from _more(len(listed))
    if not (report.found or report.failed or report.unreadable or report.zotero):
        yield "nothing to ingest: the sources contain no file of a supported kind"


def _not_read(report: IngestReport) -> Iterator[str]:
    for said, ones in (
        ("skipped", report.passed_over),
        ("cannot be accessed", report.unreadable),
    ):
        yield from _listed(f"{said}: {len(ones)}", [f"{one.name}  {one.reason}" for one in ones])


def _references(report: IngestReport) -> Iterator[str]:
    yield from _unmatched(report)
    lost = counted(len(report.references_lost), "document")
    yield from _listed(
        f"references lost: {lost} can no longer be cited",
        [f"{path}  was @{citekey}" for path, citekey in report.references_lost.items()],
    )
    yield from _listed(
        f"remarks on references: {len(report.reference_diagnostics)}", report.reference_diagnostics
    )
    if others := report.other_reference_diagnostics:
        yield f"remarks on references of no document of this run: {others}; see citeloom validate"


def _unmatched(report: IngestReport) -> Iterator[str]:
    """How many documents have a reference, and those that nearly have one."""
    matched, unmatched = sum(report.matched.values()), len(report.unmatched)
    if unmatched and not matched and report.without_references:
        yield f"no references are configured: {counted(unmatched, 'document')} cited by path"
        return
    if matched:
        ways = ", ".join(f"{number} by {way}" for way, number in report.matched.items())
        yield f"references: {matched} matched ({ways}), {unmatched} unmatched"
    elif unmatched:
        yield f"references: none of {counted(unmatched, 'document')} matched"
    yield from _near_and_far(report.unmatched)
    if unmatched and not report.without_references and report.zotero is None:
        yield "  `citeloom match` offers the nearest references for each"


def _near_and_far(unmatched: Sequence[Unmatched]) -> Iterator[str]:
    """The documents that nearly have a reference, each with why not, and how many others."""
    near = [one for one in unmatched if one.candidates]
    far = [one.path for one in unmatched if not one.candidates]
    for one in near[:_LISTED]:
        yield f"  {one.path}  no reference"
        yield from (f"    not {line}" for line in _objections(one.candidates))
    yield from _more(len(near))
    if far:
        named = ", ".join(far[:_NAMED]) + (", …" if len(far) > _NAMED else "")
        yield f"  {counted(len(far), 'document')} without a similar reference: {named}"


def _objections(candidates: Sequence[ReferenceCandidate]) -> Iterator[str]:
    """The candidates that were not taken, those for the same reason together."""
    for objection in dict.fromkeys(candidate.objection for candidate in candidates):
        alike = [candidate for candidate in candidates if candidate.objection is objection]
        named = ", ".join(f"{one.citekey} ({one.score:.2f})" for one in alike)
        yield f"{named}: {OBJECTIONS[objection]}"


def _zotero(report: IngestReport) -> Iterator[str]:
    reading = report.zotero
    if reading is None:
        return
    paint = painter(sys.stdout)
    yield (
        paint("Zotero: ", "bold")
        + f"{counted(reading.documents, 'document')} selected in {reading.source}"
    )
    yield from (f"  warning: {warning}" for warning in reading.warnings)
    for said, named in (
        ("attachments whose file is not there", reading.missing),
        ("attachments whose file is cited as another item", reading.sharing),
        ("items without a document", reading.without_file),
    ):
        yield from _listed(f"{said}: {len(named)}", [_known_as(one) for one in named])
    if reading.generated_citekeys:
        yield (
            f"items without a citekey: {reading.generated_citekeys}; they are cited by generated "
            "keys that no .bib contains"
        )
    if reading.flaws:
        yield f"remarks on items: {len(reading.flaws)}; --json has them"


def _marks(report: IngestReport) -> Iterator[str]:
    for kind, counts in report.marks.items():
        counted_words = (
            (counts.indexed, "indexed"),
            (counts.unchanged, "unchanged"),
            (counts.updated, "with a new reference"),
            (counts.removed, "removed"),
            (counts.deleted, "deleted before"),
            (counts.pending, "to do"),
            (counts.wordless, "without words (left out)"),
            (counts.too_long, "longer than 1,000,000 characters (left out)"),
        )
        yield f"{kind}s: " + ", ".join(
            f"{number} {word}" for number, word in counted_words if number
        )


def _known_as(one: NamedInZotero) -> str:
    name = f"@{one.citekey}" if one.citekey else one.item_key or one.attachment_key or ""
    return "  ".join(filter(None, (name, one.title, one.path)))


def _rest(report: IngestReport) -> Iterator[str]:
    if report.not_optimized:
        yield (
            "everything is stored, but the index is not optimised, so it opens and answers more "
            f"slowly until the next documents are ingested: {report.not_optimized}"
        )
    duplicates = counted(len(report.duplicates), "file")
    yield from _listed(
        f"duplicates: {duplicates} with the content of another, which is cited",
        [f"{path}  as {first}" for path, first in report.duplicates.items()],
    )
    missing = counted(len(report.missing), "document")
    yield from _listed(
        f"missing: {missing} no longer in the index, ingested again",
        report.missing,
    )
    if report.deleted:
        yield (
            f"deleted: {counted(len(report.deleted), 'document')} deleted before and not ingested; "
            "citeloom ingest --restore restores them"
        )
    yield from _without_file(report)
    yield from _listed(
        f"the new collection was not swapped in; it lacks "
        f"{counted(len(report.left_behind), 'document')} of the old one: fix them, or remove "
        "missing ones with --prune",
        report.left_behind,
    )
    if others := report.left_behind_of_other_machines:
        yield (
            f"  {counted(others, 'document')} of them of other machines: run "
            "`citeloom ingest --rebuild` there, too, which goes on with this one"
        )
    if report.promoted and not report.left_behind:
        yield "the new collection is in place"


def _without_file(report: IngestReport) -> Iterator[str]:
    """The documents that were not removed, and those that may be."""
    for one in report.withheld:
        documents = counted(len(one.documents), "document")
        step = (
            "remove them with --yes"
            if one.can_be_confirmed
            else "restore it, or remove it from the sources"
        )
        yield from _listed(
            f"not removed: {documents} of {one.source}: {one.reason}; {step}", one.documents
        )
    withheld = {path for one in report.withheld for path in one.documents}
    missing = [path for path in report.gone if path not in withheld]
    unselected = [path for path in report.left if path not in withheld]
    yield from _listed(
        f"without a file: {counted(len(missing), 'document')}; --prune removes them",
        missing,
    )
    yield from _listed(
        f"no longer selected in Zotero: {counted(len(unselected), 'document')}; "
        "`citeloom sync` or --prune removes them",
        unselected,
    )


def _listed(headline: str, lines: Sequence[str]) -> Iterator[str]:
    """The headline and the first of its lines; nothing if there are none."""
    if lines:
        yield headline
        yield from (f"  {line}" for line in lines[:_LISTED])
        yield from _more(len(lines))


def _more(number: int, listed: int = _LISTED) -> Iterator[str]:
    if number > listed:
        yield f"  … and {number - listed} more; --json has all"
