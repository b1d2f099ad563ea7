"""`citeloom query` and `citeloom ask`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import GroupBy, Mode
from citeloom.infrastructure.interfaces.cli.answer_text import (
    AnswerFormat,
    QuoteFirstOption,
    answer_format,
)
from citeloom.infrastructure.interfaces.cli.console import counted, note, out, out_json
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    JsonOption,
    ProjectOption,
    citekeys,
    format_of,
    with_options,
)
from citeloom.infrastructure.interfaces.cli.session import opened, shape_of

if TYPE_CHECKING:
    from citeloom.application.options import FilterOptions, QueryOptions
    from citeloom.application.retrieval.result import QueryResult
    from citeloom.domain.retrieval.passage import Passage
    from citeloom.infrastructure.library.project import ProjectLibrary


# Options of the commands that search.


class PassageFormat(StrEnum):
    """How passages are printed."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PANDOC = "pandoc"
    LATEX = "latex"
    TYPST = "typst"
    HTML = "html"
    BIBTEX = "bibtex"
    BIBLATEX = "biblatex"
    CSL_JSON = "csl-json"
    RIS = "ris"


_STYLED = frozenset({PassageFormat.TEXT, PassageFormat.MARKDOWN, PassageFormat.HTML})
_QUOTED = frozenset({PassageFormat.LATEX, PassageFormat.TYPST})


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageOutput:
    """How passages are printed, and in which style their works are cited, if in one."""

    form: PassageFormat
    style: str | None = None
    locale: str | None = None

    def __post_init__(self) -> None:
        if self.style is not None and self.form not in _STYLED:
            raise typer.BadParameter("--style needs --format text, html or markdown")
        if self.locale is not None and self.style is None and self.form is not PassageFormat.HTML:
            raise typer.BadParameter("--locale needs --style or --format html")

    @property
    def quotes(self) -> bool:
        """Whether passages are printed as quotations of a draft that Pandoc does not read."""
        return self.form in _QUOTED

    @property
    def cites(self) -> bool:
        """Whether the works are printed in place of the passages, as `citeloom cite` does."""
        bibliographic = {"html", "bibtex", "biblatex", "csl-json", "ris"}
        return self.style is not None or self.form.value in bibliographic


QuestionArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TEXT", help="The question, with or without quotation marks; - reads it from stdin."
    ),
]
ModeOption = Annotated[
    Mode | None,
    typer.Option(
        help="Which vectors are searched; by default both, as hybrid, if the project has both."
    ),
]
TopKOption = Annotated[int | None, typer.Option("-k", "--top-k", min=1, help="Number of passages.")]
TagOption = Annotated[
    list[str] | None, typer.Option(help="Only works with this tag; repeatable, all must match.")
]
YearOption = Annotated[
    str | None,
    typer.Option(metavar="Y|Y..Y", help="Only works published in these years, e.g. 2019..2023."),
]
CitekeyOption = Annotated[
    str | None,
    typer.Option(autocompletion=citekeys, help="Only the work with this citekey."),
]
SectionOption = Annotated[
    str | None,
    typer.Option(help="Only this section and its subsections, e.g. 'Methods > Sampling'."),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD=VALUE",
        help="Only documents whose front matter matches, e.g. 'tier<=2' or "
        "'tags=a,b'; repeatable, all must match.",
    ),
]
DocOption = Annotated[str | None, typer.Option(help="Only the document with this id.")]
KindOption = Annotated[
    list[ChunkKind] | None,
    typer.Option(
        help="Only chunks of this kind; repeatable, any may match. By default all "
        "but reference lists and hidden text."
    ),
]
MinScoreOption = Annotated[
    float | None, typer.Option(help="Only passages with at least this score.")
]
GroupByOption = Annotated[
    GroupBy | None,
    typer.Option(
        help="document: only the best passage of each document; none: by score "
        "alone. By default, the third passage of a work comes after equally "
        "relevant passages of other works."
    ),
]
ContextOption = Annotated[
    int,
    typer.Option("--context", min=0, help="Number of neighbouring chunks to show on each side."),
]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Explain the rank of each passage.")]
FullTextOption = Annotated[
    bool, typer.Option("--full-text", help="Print the whole text of each passage, not trimmed.")
]
WordOption = Annotated[
    list[str] | None,
    typer.Option(help="Only passages that have this as a whole word; repeatable, all must match."),
]
FloorOption = Annotated[
    bool | None,
    typer.Option(
        "--floor/--no-floor",
        help="Return nothing for a question that the library does not cover; by "
        "default as configured.",
    ),
]


def passage_output(
    output: Annotated[
        PassageFormat,
        typer.Option(
            "--format",
            help="Output format. latex and typst quote the passages; html, bibtex, biblatex, "
            "csl-json and ris print the references of their works.",
        ),
    ] = PassageFormat.TEXT,
    as_json: JsonOption = False,
    style: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.csl",
            help="Print citations and references in this style, as text, html or markdown.",
        ),
    ] = None,
    locale: Annotated[
        str | None, typer.Option(metavar="LANG", help="The language of the style, such as de-DE.")
    ] = None,
) -> PassageOutput:
    """How passages are to be printed."""
    return PassageOutput(form=format_of(output, as_json=as_json), style=style, locale=locale)


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
    from citeloom.domain.retrieval.filters import parse_section, parse_years

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
    word: WordOption = None,
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
        "words": word or (),
    }


def cited_passages(
    library: ProjectLibrary, passages: Sequence[Passage], output: PassageOutput
) -> str:
    """The passages as quotations, or their works as `citeloom cite` prints them. Those without a
    reference are named on stderr and left out.
    """
    from citeloom.infrastructure.serialisation.text import one_line, printable

    left_out = [one.stored for one in passages if one.stored.citation is None]
    if left_out:
        files = sorted({one_line(one.source_path or one.chunk.doc_id) for one in left_out})
        note(
            f"{counted(len(left_out), 'passage')} left out, without a reference: "
            f"{', '.join(files)}; `citeloom match` chooses one"
        )
    if output.quotes:
        return printable(library.quote(*passages, form=output.form.value))
    names = [one.stored.chunk.id for one in passages if one.stored.citation is not None]
    style = output.style or "apa"
    return library.cite(*names, style=style, form=output.form.value, locale=output.locale)


# `citeloom query`.

_LONGEST = 100_000


@with_options(options=query_options, output=passage_output)
def query(
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    options: QueryOptions,
    output: PassageOutput,
    shape: AsOption = None,
) -> None:
    """Find passages that answer a question.

    Example: citeloom query "How are grades computed?" --project citeloom/clean-arch --year 2019..

    Example: citeloom query "How are grades computed?" --format latex
    """
    from citeloom.infrastructure.interfaces.cli.passages import render, stages_text
    from citeloom.infrastructure.serialisation.passages import neighbours_once

    question = question_of(text)
    with opened(context, project) as library:
        chosen_shape = shape_of(library, shape)
        result = library.query(question, **options)
        base_dir = library.info.base_dir
        if chosen_shape is None and (output.quotes or output.cites):
            out(cited_passages(library, neighbours_once(result.passages), output))
        else:
            out(render(result, output.form.value, base_dir, chosen_shape))
    plain = output.form is PassageFormat.TEXT and not output.cites and shape is None
    if options["explain"] and plain:
        out(f"\n{stages_text(result)}")
    _tell_notes(result, any_kind=not options["kinds"] and not result.notes)


def question_of(words: Sequence[str]) -> str:
    """The question of one argument or of several, read from stdin for `-`."""
    text = " ".join(words)
    question = (sys.stdin.read(_LONGEST + 1) if text == "-" else text).strip()
    if len(question) > _LONGEST:
        raise typer.BadParameter(f"the question is longer than {_LONGEST:,} characters")
    if not question:
        raise typer.BadParameter("the question is empty")
    return question


def _tell_notes(result: QueryResult, *, any_kind: bool) -> None:
    """What a user should know of the answer, on stderr."""
    for text in result.notes:
        note(text)
    done = result.reranked
    if done and done.done and done.sent_to:
        note(
            f"the question and {done.passages} passages were sent to {done.sent_to} ({done.by}) "
            "to be reranked"
        )
    if not result.passages:
        hint = "; --kind reference looks into reference lists" if any_kind else ""
        note(f"no passages found{hint}")


# `citeloom ask`.


@with_options(filters=filter_options, output=answer_format)
def ask(
    context: typer.Context,
    text: QuestionArgument,
    project: ProjectOption = None,
    *,
    filters: FilterOptions,
    output: AnswerFormat,
    shape: AsOption = None,
    quote_first: QuoteFirstOption = False,
) -> None:
    """Answer a question with sentences cited to the page, or say that it cannot be answered.

    Example: citeloom ask "How are grades computed?" --project citeloom/clean-arch
    """
    from citeloom.infrastructure.interfaces.cli.answer_text import AnswerStream, reasons_apart
    from citeloom.infrastructure.serialisation.answers import answer_json, answer_markdown, sent
    from citeloom.infrastructure.serialisation.shapes import shaped_answer

    question = question_of(text)
    with opened(context, project) as library:
        chosen_shape = shape_of(library, shape)
        stream = AnswerStream(question)
        streams = output is AnswerFormat.TEXT and chosen_shape is None and not quote_first
        events = stream if streams else None
        answer = library.ask(question, events=events, **filters, quote_first=quote_first)
        base_dir = library.info.base_dir
    if chosen_shape is not None:
        out_json(shaped_answer(chosen_shape, answer_json(answer, base_dir)))
    elif output is AnswerFormat.JSON:
        out_json(answer_json(answer, base_dir))
    elif output is AnswerFormat.MARKDOWN:
        out(answer_markdown(answer, base_dir))
    else:
        stream.end(answer)
    apart = (
        reasons_apart(answer) if output is not AnswerFormat.JSON and chosen_shape is None else ()
    )
    for remark in (*sent(answer), *apart, *answer.notes):
        note(remark)
