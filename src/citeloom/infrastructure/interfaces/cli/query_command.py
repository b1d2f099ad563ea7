"""`citeloom query`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out
from citeloom.infrastructure.interfaces.cli.options import AsOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_options import (
    CitekeyOption,
    ContextOption,
    DocOption,
    ExplainOption,
    FloorOption,
    Format,
    FormatOption,
    FullTextOption,
    GroupBy,
    GroupByOption,
    KindOption,
    MinScoreOption,
    ModeOption,
    QuestionArgument,
    SectionOption,
    TagOption,
    TopKOption,
    WhereOption,
    YearOption,
)
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of

if TYPE_CHECKING:
    from citeloom.application.retrieval.query import QueryResult

_LONGEST = 100_000


def query(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    mode: ModeOption = None,
    top_k: TopKOption = None,
    tag: TagOption = None,
    year: YearOption = None,
    citekey: CitekeyOption = None,
    section: SectionOption = None,
    where: WhereOption = None,
    doc: DocOption = None,
    kind: KindOption = None,
    min_score: MinScoreOption = None,
    group_by: GroupByOption = None,
    neighbours: ContextOption = 0,
    explain: ExplainOption = False,
    full_text: FullTextOption = False,
    floor: FloorOption = None,
    output: FormatOption = Format.TEXT,
    shape: AsOption = None,
) -> None:
    """Find passages that answer a question.

    Example: citeloom query "How are grades computed?" --project citeloom/clean-arch --year 2019..
    """
    from citeloom.domain.filters import parse_section, parse_years
    from citeloom.infrastructure.interfaces.cli.passages import render, stages_text

    question = question_of(text)
    years = (None, None) if year is None else parse_years(year)
    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        result = library.query(
            question,
            citekey=citekey,
            doc_id=doc,
            tags=tag or (),
            years=years,
            kinds=kind or (),
            section=() if section is None else parse_section(section),
            where=where or (),
            mode=mode,
            top_k=top_k,
            min_score=min_score,
            by_document=group_by is GroupBy.DOCUMENT,
            context=neighbours,
            explain=explain,
            full_text=full_text,
            floor=floor,
        )
        out(render(result, output.value, library.info.base_dir, wanted))
    if explain and output is Format.TEXT and shape is None:
        out(f"\n{stages_text(result)}")
    _tell_notes(result, any_kind=not kind and not result.notes)


def question_of(text: str) -> str:
    """The question, read from stdin for `-`."""
    question = (sys.stdin.read(_LONGEST + 1) if text == "-" else text).strip()
    if len(question) > _LONGEST:
        raise typer.BadParameter(f"the question is longer than {_LONGEST:,} characters")
    if not question:
        raise typer.BadParameter("the question is empty")
    return question


def _tell_notes(result: QueryResult, *, any_kind: bool) -> None:
    """What a user should know of the answer, on stderr."""
    for told in result.notes:
        note(told)
    if not result.passages:
        hint = "; --kind reference looks into reference lists" if any_kind else ""
        note(f"no passages found{hint}")
