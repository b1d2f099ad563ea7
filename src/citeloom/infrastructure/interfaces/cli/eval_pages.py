"""`citeloom eval pages`, as text, JSON or JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.evaluation.page_truth import PageVerdict as Verdict
from citeloom.infrastructure.answers.evaluations import PagesAnswer
from citeloom.infrastructure.answers.junit import document as junit_document
from citeloom.infrastructure.answers.junit import element, suite
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.cli.console import out, out_json, table
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.maintenance_commands import FindingFormat
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.error_codes import SOME_FAILED

if TYPE_CHECKING:
    from citeloom.application.evaluate.pages import (
        CheckedChunk,
        DocumentPages,
        PageReport,
        RecallCounts,
    )

_HEADS = ("exact", "near", "wrong page", "not found", "no text", "document")
_LINE_COLUMNS = {
    "pages": "pages",
    "doubtful_pages": "in doubt",
    **{name: name for name in ("lines", "moved", "torn", "floats", "glued", "broken")},
}
_SHOWN = 160


def pages(
    context: typer.Context,
    project: ProjectOption = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Number of wrong chunks to show for each document.")
    ] = 3,
    *,
    form: FindingFormat,
) -> None:
    """Check that chunks are on the PDF pages they are cited by, with lines in order and words
    whole, and that every word of the pages is in a chunk; exit 3 if a file cannot be read.

    Example: citeloom eval pages --project citeloom/clean-arch --format json
    """
    with opened(context, project) as library:
        report = library.evaluate_pages(examples=examples)
    if form is FindingFormat.JSON:
        out_json(PagesAnswer.of(report))
    else:
        out(_junit(report) if form is FindingFormat.JUNIT else _text(report, examples))
    if report.skipped:
        raise typer.Exit(SOME_FAILED)


def _text(report: PageReport, examples: int) -> str:
    every = f"{len(report.documents)} documents"
    rows = [(*map(str, d.verdicts.values()), d.path) for d in report.documents]
    rows.append((*map(str, report.totals.values()), every))
    orders = [*((d.lines, d.path) for d in report.documents), (report.lines, every)]
    line_rows = [(*(str(getattr(lines, n)) for n in _LINE_COLUMNS), name) for lines, name in orders]
    lines = [table(rows, _HEADS), "", table(line_rows, (*_LINE_COLUMNS.values(), "document")), ""]
    lines += [
        line for d in report.documents for example in d.examples for line in _example(d, example)
    ]
    lines += [line for d in report.documents for line in list(_order_lines(d))[:examples]]
    lines += [one_line(f"not compared: {s.path}: {s.message}  [{s.code}]") for s in report.skipped]
    right = "nothing to compare" if report.share is None else f"{report.share:.2%} exact or near"
    lines += [line for d in report.documents for line in list(_lossy_lines(d))[:examples]]
    lines += [
        f"{report.project}: {said}" for said in (_summary(report), _recall(report.recall), right)
    ]
    return "\n".join(lines)


def _summary(report: PageReport) -> str:
    lines = report.lines
    if not lines.pages:
        return "no order to compare"
    by_tags = f", {lines.tagged_pages} by their tags" if lines.tagged_pages else ""
    share = (lines.moved + lines.torn) / lines.lines
    return (
        f"{lines.doubtful_pages} of {counted(lines.pages, 'page')}{by_tags} with lines out of "
        f"order, {share:.2%} of lines; {lines.glued} glued and {lines.broken} broken of "
        f"{counted(lines.words, 'word')}"
    )


def _example(document: DocumentPages, checked: CheckedChunk) -> Iterator[str]:
    """What is wrong with a chunk, and how its text begins."""
    chunk, check = checked.chunk, checked.check
    name = f"@{document.citekey}" if document.citekey else document.path
    if document.citekey_generated:
        name += " (generated)"
    verdict = check.verdict.value.replace("_", " ")
    detail = f"{check.share:.0%} found"
    if check.stands_on:
        detail += f", on {', '.join(map(str, check.stands_on))}"
    first, last = chunk.page_span or (0, 0)
    span = f"p. {first}" if first == last else f"pp. {first}-{last}"
    yield one_line(f"{verdict}: {chunk.id}  {name}, {span}: {detail}")
    yield f"    {_cut(chunk.text)}"
    if check.missing:
        yield f"    missing: {_cut(check.missing)}"


def _order_lines(document: DocumentPages) -> Iterator[str]:
    """Each page in doubt with its first line that is out of order or torn, then the wrong words."""
    for page, order in document.orders.items():
        if order.is_doubtful:
            kind, lines = ("out of order", order.moved) if order.moved else ("torn", order.torn)
            yield _cut(f"{kind}: {document.path}, p. {page}: {lines[0]}")
    for kind, words in (("glued", document.words.glued), ("broken", document.words.broken)):
        if words:
            yield _cut(f"{kind}: {document.path}: {', '.join(dict.fromkeys(words))}")


def _lossy_lines(document: DocumentPages) -> Iterator[str]:
    """Each page that loses many words, the worst first, with the first of them."""
    worst = sorted(document.lossy.items(), key=lambda page: -page[1].lost_count)
    for page, words in worst:
        lost = " ".join(words.lost_words)
        kind = "lost" if document.is_confirmed(page) else "lost by this reading alone"
        yield _cut(f"{words.lost_count} words {kind}: {document.path}, p. {page}: {lost}")


def _recall(recall: RecallCounts) -> str:
    if recall.share is None:
        return "no words to look for"
    confirmed = ""
    if recall.lossy_pages:
        confirmed = f", {recall.confirmed_pages} of them by the conversion, too"
    apart = f" or among {recall.left_out} left out on purpose" if recall.left_out else ""
    return (
        f"{recall.share:.2%} of {counted(recall.words, 'word')} in chunks{apart}, "
        f"{counted(recall.lossy_pages, 'page')} without 20 or more{confirmed}"
    )


def _cut(text: str) -> str:
    line = " ".join(one_line(text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _junit(report: PageReport) -> str:
    """Four test cases a document: its pages, the order of its lines, its words, their recall."""
    cases = []
    for document in report.documents:
        for name, message, faults in _cases(document):
            text = "\n".join(faults)
            failure = element("failure", text=text, message=message, type=name) if message else None
            cases.append(element("testcase", failure, classname=document.path, name=name))
    for skipped in report.skipped:
        note = element("skipped", message=f"{skipped.message}  [{skipped.code}]")
        cases.append(element("testcase", note, classname=skipped.path, name="pages"))
    return junit_document(suite(f"citeloom eval pages {report.project}", cases))


def _cases(document: DocumentPages) -> Iterator[tuple[str, str, list[str]]]:
    """The name of each case, how much fails it, if anything, and what."""
    bad = sum(document.verdicts[verdict] for verdict in (Verdict.WRONG_PAGE, Verdict.NOT_FOUND))
    examples = [line for example in document.examples for line in _example(document, example)]
    yield "pages", f"{counted(bad, 'chunk')} not on their pages" if bad else "", examples
    lines = [
        f"p. {page}: {one_line(line)}"
        for page, order in document.orders.items()
        for line in (*order.moved, *order.torn)
    ]
    yield "order", f"{counted(len(lines), 'line')} out of order or torn" if lines else "", lines
    words = [*document.words.glued, *document.words.broken]
    yield "words", f"{counted(len(words), 'word')} glued or broken" if words else "", words
    lossy = [*_lossy_lines(document)]
    yield "recall", f"{counted(len(lossy), 'page')} with words lost" if lossy else "", lossy
