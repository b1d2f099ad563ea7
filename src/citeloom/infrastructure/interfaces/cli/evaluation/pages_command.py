"""`citeloom eval pages`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json, table
from citeloom.infrastructure.interfaces.cli.evaluation.options import Format, result_format
from citeloom.infrastructure.interfaces.cli.exit_codes import SOME_FAILED
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.serialisation.reports import pages_json
from citeloom.infrastructure.serialisation.text import one_line

if TYPE_CHECKING:
    from citeloom.application.evaluate.pages import CheckedChunk, DocumentPages, PageReport

_HEADS = ("exact", "near", "wrong page", "not found", "no text", "document")
_SHOWN = 160


@with_options(form=result_format)
def pages(
    context: typer.Context,
    project: ProjectOption = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Show so many chunks a document that are not right.")
    ] = 3,
    *,
    form: Format,
) -> None:
    """Look every chunk up on the PDF pages it is cited by; exit 3 if a file cannot be read.

    Example: citeloom eval pages --project citeloom/clean-arch --format json
    """
    with opened(context, project) as library:
        report = library.evaluate_pages(examples=examples)
    if form is Format.JSON:
        out_json(pages_json(report))
    else:
        out(_text(report))
    if report.skipped:
        raise typer.Exit(SOME_FAILED)


def _text(report: PageReport) -> str:
    rows = [(*map(str, d.verdicts.values()), d.path) for d in report.documents]
    rows.append((*map(str, report.totals.values()), f"{len(report.documents)} documents"))
    lines = [table(rows, _HEADS), ""]
    lines += [line for d in report.documents for one in d.examples for line in _example(d, one)]
    lines += [one_line(f"not compared: {s.path}: {s.message}  [{s.code}]") for s in report.skipped]
    right = "nothing to compare" if report.share is None else f"{report.share:.2%} exact or near"
    return "\n".join([*lines, f"{report.project}: {right}"])


def _example(document: DocumentPages, one: CheckedChunk) -> Iterator[str]:
    """What is wrong with a chunk, and how its text begins."""
    chunk, check = one.chunk, one.check
    name = f"@{document.citekey}" if document.citekey else document.path
    if document.citekey_made_up:
        name += " (made up)"
    verdict = check.verdict.value.replace("_", " ")
    found = f"{check.share:.0%} found"
    if check.stands_on:
        found += f", on {', '.join(map(str, check.stands_on))}"
    yield one_line(f"{verdict}: {chunk.id}  {name}, {_span(one)}: {found}")
    yield f"    {_cut(chunk.text)}"
    if check.missing:
        yield f"    missing: {_cut(check.missing)}"


def _span(one: CheckedChunk) -> str:
    first, last = one.chunk.page_span or (0, 0)
    return f"p. {first}" if first == last else f"pp. {first}-{last}"


def _cut(text: str) -> str:
    line = " ".join(one_line(text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
