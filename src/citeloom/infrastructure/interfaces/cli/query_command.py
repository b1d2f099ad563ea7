"""`citeloom query`."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened


class Format(StrEnum):
    """How passages are printed."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PANDOC = "pandoc"


class GroupBy(StrEnum):
    """What passages are grouped by."""

    DOCUMENT = "document"


def query(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    project: ProjectOption = None,
    mode: Annotated[
        Mode | None, typer.Option(help="Which vectors count; hybrid where there are both.")
    ] = None,
    top_k: Annotated[int | None, typer.Option("-k", "--top-k", min=1, help="Passages.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only works with this tag; all of several.")
    ] = None,
    year: Annotated[
        str | None, typer.Option(metavar="Y|Y..Y", help="Only works of these years: 2019..2023.")
    ] = None,
    citekey: Annotated[str | None, typer.Option(help="Only the work with this citekey.")] = None,
    section: Annotated[
        str | None, typer.Option(help="Only sections below this path: 'Methods > Sampling'.")
    ] = None,
    doc: Annotated[str | None, typer.Option(help="Only the document with this id.")] = None,
    kind: Annotated[
        list[ChunkKind] | None,
        typer.Option(
            help="Only chunks of this kind; any of several. Without it, all but reference lists."
        ),
    ] = None,
    min_score: Annotated[float | None, typer.Option(help="Only passages that score more.")] = None,
    group_by: Annotated[
        GroupBy | None, typer.Option(help="The best passage of each document only.")
    ] = None,
    neighbours: Annotated[
        int, typer.Option("--context", min=0, help="Neighbour chunks on each side.")
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say where each side of the search placed it.")
    ] = False,
    full_text: Annotated[
        bool, typer.Option("--full-text", help="Do not trim the passages' text.")
    ] = False,
    output: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
) -> None:
    """Find passages that answer a question.

    Example: citeloom query "How are grades computed?" --project citeloom/clean-arch --year 2019..
    """
    from citeloom.domain.filters import parse_section, parse_years
    from citeloom.infrastructure.interfaces.cli.passages import render, stages_text

    question = sys.stdin.read() if text == "-" else text
    if not question.strip():
        raise typer.BadParameter("the question is empty")
    years = (None, None) if year is None else parse_years(year)
    with opened(context, project) as library:
        result = library.query(
            question.strip(),
            citekey=citekey,
            doc_id=doc,
            tags=tag or (),
            years=years,
            kinds=kind or (),
            section=() if section is None else parse_section(section),
            mode=mode,
            top_k=top_k,
            min_score=min_score,
            by_document=group_by is GroupBy.DOCUMENT,
            context=neighbours,
            explain=explain,
            full_text=full_text,
        )
        out(render(result, output.value, library.info.base_dir))
    if explain and output is Format.TEXT:
        out(f"\n{stages_text(result)}")
    for told in result.notes:
        note(told)
    if not result.passages:
        hint = "" if kind else "; --kind reference looks into reference lists"
        note(f"no passages found{hint}")
