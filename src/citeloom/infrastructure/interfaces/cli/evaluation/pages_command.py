"""`citeloom eval pages`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, table
from citeloom.infrastructure.interfaces.cli.exit_codes import SOME_FAILED
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.evaluate.pages import CheckedChunk, DocumentPages, PageReport

_HEADS = ("exact", "near", "wrong page", "not found", "no text", "document")
_SHOWN = 160


class Format(StrEnum):
    """How the report is printed."""

    TEXT = "text"
    JSON = "json"


def pages(
    context: typer.Context,
    project: ProjectOption = None,
    examples: Annotated[
        int, typer.Option(min=0, help="Show so many chunks a document that are not right.")
    ] = 3,
    output: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
) -> None:
    """Look every chunk up on the PDF pages it is cited by; exit 3 if a file cannot be read.

    Example: citeloom eval pages --project citeloom/clean-arch --format json
    """
    with opened(context, project) as library:
        report = library.evaluate_pages(examples=examples)
    if output is Format.JSON:
        out(json.dumps(_as_json(report), indent=2, ensure_ascii=False))
    else:
        out(_text(report))
    if report.skipped:
        raise typer.Exit(SOME_FAILED)


def _text(report: PageReport) -> str:
    rows = [(*map(str, d.verdicts.values()), d.path) for d in report.documents]
    rows.append((*map(str, report.totals.values()), f"{len(report.documents)} documents"))
    lines = [table(rows, _HEADS), ""]
    lines += [line for d in report.documents for one in d.examples for line in _example(d, one)]
    lines += [f"not compared: {s.path}: {s.message}  [{s.code}]" for s in report.skipped]
    right = "nothing to compare" if report.share is None else f"{report.share:.2%} exact or near"
    return "\n".join([*lines, f"{report.project}: {right}"])


def _example(document: DocumentPages, one: CheckedChunk) -> Iterator[str]:
    """What is wrong with a chunk, and how its text begins."""
    chunk, check = one.chunk, one.check
    name = f"@{document.citekey}" if document.citekey else document.path
    verdict = check.verdict.value.replace("_", " ")
    found = f"{check.share:.0%} found"
    if check.stands_on:
        found += f", on {', '.join(map(str, check.stands_on))}"
    yield f"{verdict}: {chunk.id}  {name}, {_span(one)}: {found}"
    yield f"    {_cut(chunk.text)}"
    if check.missing:
        yield f"    missing: {_cut(check.missing)}"


def _span(one: CheckedChunk) -> str:
    first, last = one.chunk.page_span or (0, 0)
    return f"p. {first}" if first == last else f"pp. {first}-{last}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _as_json(report: PageReport) -> dict[str, object]:
    """The documented JSON of the report."""
    return {
        "project": report.project,
        "share": report.share,
        "totals": {verdict.value: n for verdict, n in report.totals.items()},
        "documents": [
            {
                "path": document.path,
                "citekey": document.citekey,
                **{verdict.value: n for verdict, n in document.verdicts.items()},
                "examples": [_example_json(one) for one in document.examples],
            }
            for document in report.documents
        ],
        "skipped": [
            {"path": s.path, "code": s.code, "message": s.message, "hint": s.hint}
            for s in report.skipped
        ],
    }


def _example_json(one: CheckedChunk) -> dict[str, object]:
    chunk, check = one.chunk, one.check
    return {
        "chunk_id": chunk.id,
        "verdict": check.verdict.value,
        "page_span": list(chunk.page_span or ()),
        "stands_on": list(check.stands_on),
        "share": round(check.share, 4),
        "missing": check.missing,
        "text": chunk.text,
    }
