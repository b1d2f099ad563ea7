"""Requests of those who write: collected passages, citations, drafts, literature reviews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum, StrEnum, auto
from pathlib import Path
from typing import Annotated, Self, cast

from annotated_types import Ge, Le, MaxLen, MinLen, doc

from citeloom.application.events import Progress
from citeloom.application.requests.fields import (
    Brief,
    Called,
    CancellableRequest,
    For,
    Parser,
    Request,
    Served,
    flag,
)
from citeloom.application.requests.passages import PassageFilters
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.manuscript.cited_place import Markup
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.retrieval.filters import check_text

MOST_QUESTIONS = 200
LONGEST_CHAPTER, LONGEST_COMMENT, LONGEST_TAG, MOST_TAGS = 100, 5_000, 300, 100
_LONGEST_DRAFT, _LONGEST_SEARCHED = 50_000, 20_000
"""Characters of a text whose citations are checked, and of one whose sentences are searched for, a
query each.
"""

ShownProgress = Annotated[Progress | None, For.CALLERS, doc("Shows what is being done.")]


@dataclass(frozen=True)
class CollectRequest(Request):
    """A passage to collect in the Markdown file of a chapter, with a comment and tags of the
    reader.
    """

    chunk_id: Annotated[str, doc("The passage, by its id in a query's results.")]
    _: KW_ONLY
    chapter: Annotated[
        str, flag(), Served(LONGEST_CHAPTER), doc("The chapter; the file is named after it.")
    ]
    comment: Annotated[
        str,
        flag("--comment", "-m"),
        Served(LONGEST_COMMENT),
        doc("A comment below the passage, as plain text."),
    ] = ""
    tags: Annotated[Sequence[str] | str, flag("--tag"), Served(MOST_TAGS), doc("A tag.")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_text("chunk id", self.chunk_id)
        for tag in self.tags:
            check_length("tag", tag, LONGEST_TAG)
        if len(self.tags) > MOST_TAGS:
            raise InvalidFilter(f"there are more than {MOST_TAGS} tags", "Give fewer.")
        if self.comment.strip():
            check_length("comment", self.comment, LONGEST_COMMENT)


def check_length(what: str, text: str, longest: int, hint: str = "") -> None:
    """Raise `InvalidFilter` for a text that is empty, no text, or too long."""
    check_text(what, text, hint)
    if len(text) > longest:
        raise InvalidFilter(f"the {what} is longer than {longest:,} characters", "Shorten it.")


class CitationUse(Enum):
    """What citations are for: reading, in a citation style; writing a draft; other programs, which
    import the references alone.
    """

    READING = auto()
    WRITING = auto()
    IMPORT = auto()


class CitationForm(StrEnum):
    """How citations are written, and what for."""

    use: CitationUse

    def __new__(cls, name: str, use: CitationUse) -> Self:
        form = str.__new__(cls, name)
        form._value_, form.use = name, use
        return form

    TEXT = "text", CitationUse.READING
    HTML = "html", CitationUse.READING
    MARKDOWN = "markdown", CitationUse.READING
    PANDOC = "pandoc", CitationUse.WRITING
    LATEX = "latex", CitationUse.WRITING
    TYPST = "typst", CitationUse.WRITING
    BIBTEX = "bibtex", CitationUse.IMPORT
    BIBLATEX = "biblatex", CitationUse.IMPORT
    CSL_JSON = "csl-json", CitationUse.IMPORT
    RIS = "ris", CitationUse.IMPORT

    @classmethod
    def names(cls, use: CitationUse) -> list[str]:
        return [form.value for form in cls if form.use is use]


@dataclass(frozen=True)
class CiteRequest(CancellableRequest):
    """What is cited, by citekeys, ids of passages or citations such as `[@key, p. 45]`, and how.
    To other programs a style has a name: no file is read for them.
    """

    names: Annotated[
        Sequence[str] | str,
        MinLen(1),
        Served(20),
        Brief("Citekeys, chunk_ids or citations: [@key, p. 45]"),
        doc("Citekeys, chunk ids, or citations with pages: '[@key, p. 45]'."),
    ]
    _: KW_ONLY
    style: Annotated[
        str,
        flag(metavar="NAME|FILE.csl"),
        Served(100, pattern="^[a-z0-9][a-z0-9-]*$"),
        doc(
            "The citation style: apa (the default), chicago-author-date, chicago-notes, ieee, "
            "nature, mla or any other of the Citation Style Language."
        ),
    ] = "apa"
    form: Annotated[
        CitationForm | str,
        flag("--format"),
        Served(key="format"),
        doc("Output format, by default text."),
    ] = CitationForm.TEXT
    locale: Annotated[
        str | None,
        For.EXPERTS,
        flag(metavar="LANG"),
        Served(20, pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"),
        doc("The language of the style, such as de-DE."),
    ] = None

    @property
    def works(self) -> tuple[str, ...]:
        """The names, each as it is given."""
        return cast("tuple[str, ...]", self.names)


@dataclass(frozen=True)
class DraftRequest(CancellableRequest):
    """A draft as a text, and what it is written in."""

    text: Annotated[str, Served(_LONGEST_DRAFT), doc("The text.")]
    markup: Annotated[Markup, Served(key="format"), doc("What it is written in.")] = "markdown"
    _: KW_ONLY


@dataclass(frozen=True)
class DraftsRequest(CancellableRequest):
    """Drafts that something is asked of."""

    drafts: Annotated[
        Sequence[str | Path | Draft] | str | Path | Draft,
        For.CALLERS,
        doc("Files, or drafts that have been read."),
    ] = ()
    _: KW_ONLY
    progress: ShownProgress = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> tuple[str | Path | Draft, ...]:
        return cast("tuple[str | Path | Draft, ...]", self.drafts)


@dataclass(frozen=True, kw_only=True)
class CheckRequest(DraftsRequest):
    """Drafts whose quotations and citations are checked, and how much of each has to be read."""

    min_coverage: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        For.EXPERTS,
        doc("The share of a draft's citations and paragraphs to be read; by default all of it."),
    ] = 1.0


@dataclass(frozen=True, kw_only=True)
class CheckTextRequest(CheckRequest):
    """The check of a draft that is given as a text."""

    text: Annotated[str, Served(_LONGEST_DRAFT), doc("The text.")]
    markup: Annotated[Markup, Served(key="format"), doc("What it is written in.")] = "markdown"


def _works(given: Iterable[str] | str) -> tuple[str, ...]:
    return tuple(name.removeprefix("@") for name in ([given] if isinstance(given, str) else given))


@dataclass(frozen=True, kw_only=True)
class SupportRequest(PassageFilters, DraftsRequest):
    """What to find support for: the sentences of drafts without a citation that claim something, or
    those on `lines`, or with `every` all, in the passages that meet the filters.
    """

    top_k: Annotated[
        int | None,
        Called("number of passages"),
        flag("-k", "--top-k"),
        Ge(1),
        Served(20),
        doc("Number of passages for each sentence; by default 3."),
    ] = None
    lines: Annotated[
        Sequence[Annotated[int, Ge(1), Le(1_000_000)]],
        For.PROGRAMS,
        Served(1_000),
        doc("Only the sentences that begin on these lines."),
    ] = ()
    every: Annotated[
        bool, flag("--all"), doc("All sentences, not only those that claim something.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class SupportTextRequest(SupportRequest):
    """What to find support for in a part of a draft that is given as a text."""

    text: Annotated[str, Served(_LONGEST_SEARCHED), doc("The text.")]
    markup: Annotated[Markup, Served(key="format"), doc("What it is written in.")] = "markdown"


@dataclass(frozen=True)
class MatrixRequest(PassageFilters, CancellableRequest):
    """Questions asked of each of `works`, or else of every work that meets the filters."""

    questions: Annotated[
        Sequence[str] | str,
        MinLen(1),
        MaxLen(MOST_QUESTIONS),
        Served(20),
        doc("The questions."),
    ]
    _: KW_ONLY
    works: Annotated[
        Sequence[str] | str, Parser(_works), Served(100), doc("Only the work with this citekey.")
    ] = ()
    strict: Annotated[bool, doc("Only passages that are likely to answer, none marked '?'.")] = (
        False
    )
    progress: ShownProgress = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for question in self.questions:
            check_text("question", question)
