"""The report of an ingest in lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from citeloom.application.ports.conversion import KINDS_READ
from citeloom.application.reports import DocumentFailure, IngestReport
from citeloom.domain.documents.language import name_of_guessed
from citeloom.domain.policies import MULTILINGUAL_MODEL, StrategyName
from citeloom.domain.references.evidence import MatchConflict
from citeloom.infrastructure.answers.text import counted, some, tally

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


Paint = Callable[[str, str], str]
"""Gives a text in a style."""


def _plain(text: str, _style: str) -> str:
    return text


def report_lines(
    report: IngestReport, *, naming: bool = False, paint: Paint = _plain
) -> Iterator[str]:
    """The report, the counts first, then, with `naming`, the documents that changed, and whatever
    needs attention; details are indented. A name in a line may have line breaks of its own.
    """
    yield from _counts(report, paint)
    if naming:
        for kind, documents in report.changes.items():
            yield from _listed(f"{kind}:", documents)
    yield from _failures(report, paint)
    yield from _conversion_notes(report)
    yield from _other_files(report)
    yield from _references(report)
    yield from _zotero(report, paint)
    yield from _marks(report)
    yield from _index(report)
    yield from _without_file(report)


def _counts(report: IngestReport, paint: Paint) -> Iterator[str]:
    others = {
        "failed before": len(report.failed_before),
        "with a new reference": len(set(report.updated) - report.references_lost.keys()),
        "without the reference they had": len(report.references_lost),
        "moved": len(report.moved),
        "to do": len(report.pending),
        "duplicate": len(report.duplicates),
        "pruned": len(report.pruned),
        "deleted before": len(report.deleted),
        "of other kinds": report.ignored,
    }
    yield paint(f"{report.project}: ", "bold") + ", ".join(
        filter(
            None,
            (
                f"{report.found} found, {len(report.indexed)} indexed",
                f"{len(report.unchanged)} unchanged, {len(report.failed)} failed",
                tally(others),
            ),
        )
    )
    if report.indexed:
        yield from _chunks(report)
    if host := report.sends_text_to:
        usage = report.usage
        reused = f", {usage.reused} vectors were kept" if usage.reused else ""
        calls = f"{usage.calls} calls of {usage.tokens} tokens to {host}"
        if report.dry_run:
            yield f"embedding would take about {calls}{reused}"
        else:
            yield f"embedding: {calls}, {usage.seconds:.1f} s{reused}"


def _chunks(report: IngestReport) -> Iterator[str]:
    """What documents were divided into, how where it is not simply along headings by exact counts,
    and how long it took.
    """
    chunking, chunks = report.chunking, report.chunks
    yield (
        f"chunks: {chunks.added} added, {chunks.rewritten} rewritten, {chunks.removed} removed; "
        f"{chunks.body_share:.1%} of the text kept, "
        f"{chunks.with_heading / max(chunks.total, 1):.0%} under a heading"
    )
    if chunks.filtered:
        yield f"left out: {tally(chunks.filtered)}"
    if chunks.left_out:
        yield (
            f"left out on purpose: {counted(sum(chunks.left_out.values()), 'word')} "
            f"({tally(chunks.left_out)}); `citeloom inspect --left-out` lists them"
        )
    yield from _listed(
        f"left out as noise: {counted(len(report.dropped_sections), 'part')} of sections",
        [section.place for section in report.dropped_sections],
    )
    if chunking is not None and chunking.strategy != StrategyName.HEADINGS:
        low, high = chunking.target_tokens or (0, 0)
        aim = f", targeting {low} to {high}" if high else ""
        yield (
            f"strategy {chunking.strategy}: chunks of at most {chunking.max_tokens} tokens"
            f"{aim}; {chunks.split_count} divided because they were longer"
        )
    if chunking is not None and chunks.chunks_by_type:
        types = tally(chunks.chunks_by_type)
        yield f"types: {types}; {chunks.enriched_count} enriched with context"
    if languages := [(name_of_guessed(code), n) for code, n in report.unread_languages.items()]:
        (first, number), *others = languages
        counts = [
            f"{counted(number, 'document')} in {first}",
            *(f"{n} in {of}" for of, n in others),
        ]
        yield (
            f"{', '.join(counts)}: {report.models['dense']} was trained on English. "
            f'embedding_model = "{MULTILINGUAL_MODEL}" reads them too: citeloom models --project '
            f"{report.project}"
        )
    if chunking is not None and chunking.token_count_estimated:
        yield "token counts are estimates: the model's tokenizer is not available"
    seconds = ", ".join(
        f"{stage} {spent:.1f}" for stage, spent in report.seconds.items() if stage != "total"
    )
    pages = f"{counted(report.pages, 'page')} in " if report.pages else ""
    yield f"{pages}{report.seconds.get('total', 0.0):.1f} s (seconds of work: {seconds})"


def _failures(report: IngestReport, paint: Paint) -> Iterator[str]:
    if report.failed:
        yield paint(f"failed: {len(report.failed)}", "red")
    by_code: dict[str, list[DocumentFailure]] = {}
    for failure in report.failed:
        by_code.setdefault(failure.code, []).append(failure)
    for code, failures in by_code.items():
        if len(failures) > 1:
            yield f"  {code}: {len(failures)}"
        for failure in failures[:_NAMED]:
            yield f"  {failure.path}  {code}: {failure.message}"
            if failure.hint:
                yield f"    {failure.hint}"
        yield from _more(len(failures), _NAMED)
    if report.failed_before:
        before = Counter(failure.code for failure in report.failed_before)
        codes = ", ".join(f"{number} {code}" for code, number in before.items())
        yield (
            f"{len(report.failed_before)} failed before, unchanged ({codes}); "
            "--retry-failed tries them again"
        )


def _conversion_notes(report: IngestReport) -> Iterator[str]:
    """What was not read as it should, and which pages were read as images."""
    for path, pages in report.page_failures.items():
        yield f"  {path}  indexed without {', '.join(pages)}"
    doubtful = []
    for path, notes in report.notes.items():
        tables = [n for n in notes if n.startswith("a table on ") and " is doubtful" in n]
        doubtful += [path] if tables else []
        yield from (f"  {path}  {note}" for note in notes if note not in tables)
    if doubtful:
        yield (
            "  doubtful tables, whose words do not fit their columns, in "
            f"{counted(len(doubtful), 'document')}: {some(doubtful, _NAMED)}; compare before you "
            "cite from them; --json has the pages"
        )
    for path, images in report.images_read.items():
        languages = "+".join(images.languages)
        yield (
            f"  {path}  {counted(images.pages, 'page')} read as images by {images.engine} in "
            f"{languages}"
        )
        if images.poor:
            poor = ", ".join(f"{page} ({sure:.0%})" for page, sure in images.poor.items())
            yield f"    hard to read, compare before citing: page {poor}"


def _other_files(report: IngestReport) -> Iterator[str]:
    """Which files were passed over; and where nothing is left, that this is so."""
    kinds = sorted(report.other_kinds.items(), key=lambda kind: (-kind[1], kind[0]))
    if kinds:
        listed = [f"{number} {suffix or 'without a suffix'}" for suffix, number in kinds]
        yield f"of unsupported kinds: {', '.join(listed[:_LISTED])}"
        yield from _more(len(listed))
    if not (report.found or report.failed or report.unreadable or report.zotero):
        yield (
            f"nothing to ingest: no file of a supported kind in {some(report.sources, _NAMED)}; "
            f"{KINDS_READ}"
        )
    for state, files in (
        ("skipped", report.passed_over),
        ("cannot be accessed", report.unreadable),
    ):
        yield from _listed(
            f"{state}: {len(files)}", [f"{file.name}  {file.reason}" for file in files]
        )


def _references(report: IngestReport) -> Iterator[str]:
    """How many documents have a reference, those that nearly have one, and what is odd."""
    matched, unmatched = sum(report.matched.values()), report.unmatched
    documents = counted(len(unmatched), "document")
    if unmatched and not matched and report.without_references:
        yield f"no references are configured: {documents} cited by path"
    else:
        if matched:
            ways = ", ".join(f"{number} by {way}" for way, number in report.matched.items())
            yield f"references: {matched} matched ({ways}), {len(unmatched)} unmatched"
        elif unmatched:
            yield f"references: none of {documents} matched"
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
    """The documents that nearly have a reference, each with why not, and how many others."""
    near = [document for document in report.unmatched if document.candidates]
    far = [document.path for document in report.unmatched if not document.candidates]
    for document in near[:_LISTED]:
        yield f"  {document.path}  no reference"
        order = [*dict.fromkeys(candidate.objection for candidate in document.candidates)]
        candidates = sorted(document.candidates, key=lambda one: order.index(one.objection))
        for objection, alike in groupby(candidates, key=lambda one: one.objection):
            named = ", ".join(f"{each.citekey} ({each.score:.2f})" for each in alike)
            yield f"    not {named}: {OBJECTIONS[objection]}"
    yield from _more(len(near))
    if far:
        documents = counted(len(far), "document")
        yield f"  {documents} without a similar reference: {some(far, _NAMED)}"
    if report.unmatched and not report.without_references and report.zotero is None:
        yield "  `citeloom match` offers the nearest references for each"


def _zotero(report: IngestReport, paint: Paint) -> Iterator[str]:
    reading = report.zotero
    if reading is None:
        return
    documents = counted(reading.documents, "document")
    yield f"{paint('Zotero: ', 'bold')}{documents} selected in {reading.source}"
    yield from (f"  warning: {warning}" for warning in reading.warnings)
    for what, entries in (
        ("attachments whose file is not there", reading.missing),
        ("attachments whose file is cited as another item", reading.sharing),
        ("items without a document", reading.without_file),
    ):
        lines = []
        for entry in entries:
            key = f"@{entry.citekey}" if entry.citekey else entry.item_key or entry.attachment_key
            lines.append("  ".join(filter(None, (key, entry.title, entry.path))))
        yield from _listed(f"{what}: {len(entries)}", lines)
    if reading.generated_citekeys:
        yield (
            f"items without a citekey: {reading.generated_citekeys}; they are cited by generated "
            "keys that no .bib contains"
        )
    if reading.flaws:
        yield f"remarks on items: {len(reading.flaws)}; --json has them"


def _marks(report: IngestReport) -> Iterator[str]:
    for kind, counts in report.marks.items():
        numbers = {
            "indexed": counts.indexed,
            "unchanged": counts.unchanged,
            "with a new reference": counts.updated,
            "removed": counts.removed,
            "deleted before": counts.deleted,
            "to do": counts.pending,
            "without words (left out)": counts.wordless,
            "longer than 1,000,000 characters (left out)": counts.too_long,
        }
        yield f"{kind}s: {tally(numbers)}"


def _index(report: IngestReport) -> Iterator[str]:
    if report.not_optimized:
        yield (
            "everything is stored, but the index is not optimised, so it opens and answers more "
            f"slowly until the next documents are ingested: {report.not_optimized}"
        )
    if (done := report.calibration) is not None and done.thresholds is not None:
        limits = done.thresholds
        yield (
            f"calibrated on {counted(done.chunks, 'chunk')} in {done.seconds:.1f} s: a question is "
            f"related from {limits.related:.2f}, answered from {limits.answered:.2f}"
        )
    elif done is not None and report.indexed:
        yield f"not calibrated, so that the default thresholds hold: {done.reason}"
    yield from _listed(
        f"duplicates: {counted(len(report.duplicates), 'file')} with the content of another, which "
        "is cited",
        [f"{path}  as {first}" for path, first in report.duplicates.items()],
    )
    yield from _listed(
        f"missing: {counted(len(report.missing), 'document')} no longer in the index, ingested "
        "again",
        report.missing,
    )
    if report.deleted:
        yield (
            f"deleted: {counted(len(report.deleted), 'document')} deleted before and not ingested; "
            "citeloom ingest --restore restores them"
        )


def _without_file(report: IngestReport) -> Iterator[str]:
    """The documents that were not removed, those that may be, and what a new collection lacks."""
    for removal in report.withheld:
        step = (
            "remove them with --yes"
            if removal.can_be_confirmed
            else "restore it, or remove it from the sources"
        )
        documents = counted(len(removal.documents), "document")
        yield from _listed(
            f"not removed: {documents} of {removal.source}: {removal.reason}; {step}",
            removal.documents,
        )
    withheld = {path for removal in report.withheld for path in removal.documents}
    missing = [path for path in report.gone if path not in withheld]
    unselected = [path for path in report.left if path not in withheld]
    yield from _listed(
        f"without a file: {counted(len(missing), 'document')}; --prune removes them", missing
    )
    yield from _listed(
        f"no longer selected in Zotero: {counted(len(unselected), 'document')}; "
        "`citeloom sync` or --prune removes them",
        unselected,
    )
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


def _listed(headline: str, lines: Sequence[str]) -> Iterator[str]:
    """The headline and the first of its lines; nothing if there are none."""
    if lines:
        yield headline
        yield from (f"  {line}" for line in lines[:_LISTED])
        yield from _more(len(lines))


def _more(number: int, listed: int = _LISTED) -> Iterator[str]:
    if number > listed:
        yield f"  … and {number - listed} more; --json has all"
