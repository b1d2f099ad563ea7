"""Options of the commands that search."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.policies import GroupBy, Mode
from citeloom.infrastructure.interfaces.cli.completion import citekeys
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import JsonOption, format_of

if TYPE_CHECKING:
    from citeloom.application.query_options import FilterOptions, QueryOptions


class Format(StrEnum):
    """How passages are printed."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PANDOC = "pandoc"


QuestionArgument = Annotated[
    list[str],
    typer.Argument(metavar="TEXT", help="The question, quoted or not; - reads it from stdin."),
]
ModeOption = Annotated[
    Mode | None, typer.Option(help="Which vectors count; hybrid where there are both.")
]
TopKOption = Annotated[int | None, typer.Option("-k", "--top-k", min=1, help="Passages.")]
TagOption = Annotated[
    list[str] | None, typer.Option(help="Only works with this tag; all of several.")
]
YearOption = Annotated[
    str | None, typer.Option(metavar="Y|Y..Y", help="Only works of these years: 2019..2023.")
]
CitekeyOption = Annotated[
    str | None,
    typer.Option(autocompletion=citekeys, help="Only the work with this citekey."),
]
SectionOption = Annotated[
    str | None, typer.Option(help="Only this section and those within: 'Methods > Sampling'.")
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Only documents whose front matter says so: 'tier<=2', 'tags=a,b'; all of several.",
    ),
]
DocOption = Annotated[str | None, typer.Option(help="Only the document with this id.")]
KindOption = Annotated[
    list[ChunkKind] | None,
    typer.Option(
        help="Only chunks of this kind; any of several. Without it, all but reference lists and "
        "hidden text."
    ),
]
MinScoreOption = Annotated[float | None, typer.Option(help="Only passages that score more.")]
GroupByOption = Annotated[
    GroupBy | None,
    typer.Option(
        help="document: the best passage of each only; none: by score alone. Else the third of a "
        "work gives way to another work that fits alike."
    ),
]
ContextOption = Annotated[
    int, typer.Option("--context", min=0, help="Neighbour chunks on each side.")
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Say why each passage stands where it does.")
]
FullTextOption = Annotated[
    bool, typer.Option("--full-text", help="Do not trim the passages' text.")
]
FloorOption = Annotated[
    bool | None,
    typer.Option(
        "--floor/--no-floor",
        help="Return nothing for a question that the library is not about; else as configured.",
    ),
]


def passage_format(
    output: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
    as_json: JsonOption = False,
) -> Format:
    """How passages are to be printed."""
    return format_of(output, as_json=as_json)


def filter_options(  # noqa: PLR0913, PLR0917 - one parameter an option
    top_k: TopKOption = None,
    tag: TagOption = None,
    year: YearOption = None,
    citekey: CitekeyOption = None,
    section: SectionOption = None,
    where: WhereOption = None,
    doc: DocOption = None,
    kind: KindOption = None,
) -> FilterOptions:
    """What passages may be of. Raises `InvalidFilter` for years or a section that cannot be."""
    from citeloom.domain.filters import parse_section, parse_years

    return {
        "citekey": citekey,
        "doc_id": doc,
        "tags": tag or (),
        "years": (None, None) if year is None else parse_years(year),
        "kinds": kind or (),
        "section": () if section is None else parse_section(section),
        "where": where or (),
        "top_k": top_k,
    }


@with_options(filters=filter_options)
def query_options(  # noqa: PLR0913 - one parameter an option
    mode: ModeOption = None,
    *,
    filters: FilterOptions,
    min_score: MinScoreOption = None,
    group_by: GroupByOption = None,
    neighbours: ContextOption = 0,
    explain: ExplainOption = False,
    full_text: FullTextOption = False,
    floor: FloorOption = None,
) -> QueryOptions:
    """What passages may be of, and how they are searched."""
    return {
        **filters,
        "mode": mode,
        "min_score": min_score,
        "group_by": group_by,
        "by_document": group_by is GroupBy.DOCUMENT,
        "context": neighbours,
        "explain": explain,
        "full_text": full_text,
        "floor": floor,
    }
