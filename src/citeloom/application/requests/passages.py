"""Requests for passages, answers and documents: what is asked, in which works, and how much of it
is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from datetime import date
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen, MinLen, doc

from citeloom.application.events import AnswerEvents
from citeloom.application.requests.fields import (
    Brief,
    Called,
    CancellableRequest,
    Choices,
    For,
    Parser,
    Request,
    Served,
    flag,
    values_of,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import MAX_TOP_K, GroupBy, Mode
from citeloom.domain.retrieval.candidates import ESSENTIAL, StageName
from citeloom.domain.retrieval.filters import (
    LEAVE_OUT,
    Filters,
    Where,
    check_text,
    conditions,
    parse_day,
    parse_section,
    parse_years,
)
from citeloom.domain.validation import CHECKS

LONGEST_WORD = 200
MOST_WORDS = 10
_NAME_ONE = 'Name at least one, such as "turbidity sensor" for both words in a row.'

Years = tuple[int | None, int | None]
PassageCount = Annotated[
    int | None,
    Called("number of passages"),
    flag("-k", "--top-k"),
    Ge(1),
    Le(MAX_TOP_K),
    Served(20),
    doc("Number of passages."),
]


def _years(given: Years | str) -> Years:
    return parse_years(given) if isinstance(given, str) else given


def _day(given: date | str) -> date:
    return parse_day(given) if isinstance(given, str) else given


def _section(given: Sequence[str] | str) -> tuple[str, ...]:
    """The titles down to a section, which may be written as one text."""
    text = given if isinstance(given, str) else given[0] if len(given) == 1 else None
    return tuple(given) if text is None else parse_section(text)


@dataclass(frozen=True, kw_only=True)
class WorkFilters(Request):
    """Which works count; all of them by default."""

    tags: Annotated[
        Sequence[str] | str,
        flag("--tag"),
        doc("Only works with this tag; of several, all must match."),
    ] = ()
    collections: Annotated[
        Sequence[str] | str,
        flag("--collection", metavar="PATH|KEY"),
        For.SCOPE,
        doc("Only works in this collection of Zotero, e.g. `Papers/Julia`; any may match."),
    ] = ()
    subcollections: Annotated[
        bool, For.SCOPE, doc("With `--collection`, works in its subcollections, too.")
    ] = False
    authors: Annotated[
        Sequence[str] | str,
        flag("--author", metavar="NAME"),
        For.SCOPE,
        doc("Only works by this author, e.g. `Okafor, Ada`; of several, all must match."),
    ] = ()
    libraries: Annotated[
        Sequence[str] | str,
        Called("library"),
        flag("--library", metavar="NAME"),
        For.SCOPE,
        doc("Only works in this library of Zotero: `library`, a group's name, or `groups/ID`."),
    ] = ()
    item_types: Annotated[
        Sequence[str] | str,
        flag("--item-type", metavar="TYPE"),
        For.SCOPE,
        doc("Only works of this type, e.g. `book` or `journalArticle`; of several, any may match."),
    ] = ()
    containers: Annotated[
        Sequence[str] | str,
        flag("--container", metavar="TITLE"),
        For.SCOPE,
        doc("Only works in this journal, series or book; of several, any may match."),
    ] = ()
    languages: Annotated[
        Sequence[str] | str,
        flag("--language", metavar="LANGUAGE"),
        For.SCOPE,
        doc("Only works in this language, e.g. `de` or `German`; of several, any may match."),
    ] = ()
    added_since: Annotated[
        str | date | None,
        Parser(_day),
        flag(metavar="DAY"),
        For.SCOPE,
        doc("Only works that were added to Zotero on this day or later, e.g. 2024-05-31."),
    ] = None
    years: Annotated[
        Years | str,
        Parser(
            _years,
            parts=(
                ("year_from", "Only works of this year and later ones."),
                ("year_to", "Only works of this year and earlier ones."),
            ),
        ),
        flag("--year", metavar="Y|Y..Y"),
        doc("Only works published in these years, e.g. 2019..2023."),
    ] = (None, None)
    citekey: Annotated[str | None, doc("Only the work with this citekey.")] = None
    where: Annotated[
        Sequence[str | Where] | Mapping[str, object],
        Parser(conditions),
        flag("--where", metavar="FIELD=VALUE"),
        doc(
            "Only documents whose front matter matches, e.g. 'tier<=2' or 'tags=a,b'; of several, "
            "all must match."
        ),
    ] = ()
    doc_id: Annotated[
        str | None, For.EXPERTS, flag("--doc"), doc("Only the document with this id.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.filters

    @property
    def filters(self) -> Filters:
        """The filters. Raises `InvalidFilter` for an impossible one."""
        given: Any = self  # whose values are exact by now
        names = {each.name for each in fields(Filters)}
        named = {name: getattr(given, name) for name in names if hasattr(given, name)}
        first, last = given.years
        return Filters(year_from=first, year_to=last, **named)


@dataclass(frozen=True, kw_only=True)
class PassageFilters(WorkFilters):
    """Which passages count; by default all but reference lists and hidden text."""

    section: Annotated[
        Sequence[str] | str,
        Parser(_section, text=True),
        doc("Only this section and its subsections, e.g. 'Methods > Sampling'."),
    ] = ()
    kinds: Annotated[
        Sequence[ChunkKind | str] | str,
        For.EXPERTS,
        flag("--kind"),
        doc(
            "Only chunks of this kind; of several, any may match. By default all but reference "
            "lists and hidden text."
        ),
    ] = ()
    annotation_colors: Annotated[
        Sequence[str] | str,
        flag("--annotation-color", metavar="COLOR"),
        For.SCOPE,
        doc("Only annotations of this colour, e.g. `yellow`; of several, any may match."),
    ] = ()
    source_path: Annotated[
        str | None, For.CALLERS, doc("Only the document of the file at this path.")
    ] = None

    def query(self, text: str, **options: Any) -> QueryRequest:
        """The query for a text among these passages."""
        return QueryRequest(text, **values_of(self, PassageFilters), **options)


LONGEST_QUERY = 4_000


@dataclass(frozen=True)
class QueryRequest(PassageFilters):
    """A question that passages are found for; the project's settings apply to what is left out."""

    text: Annotated[str, Called("question"), MinLen(1), MaxLen(LONGEST_QUERY), doc("The question.")]
    _: KW_ONLY
    top_k: PassageCount = None
    mode: Annotated[
        Mode | str | None,
        For.EXPERTS,
        doc("Which vectors are searched; by default both, as hybrid, if the project has both."),
    ] = None
    min_score: Annotated[
        float | None,
        Called("least score"),
        For.EXPERTS,
        doc("Only passages with at least this score."),
    ] = None
    group_by: Annotated[
        GroupBy | str | None,
        For.EXPERTS,
        doc(
            "document: only the best passage of each document; none: by score alone. By default, "
            "the third passage of a work comes after equally relevant passages of other works."
        ),
    ] = None
    by_document: Annotated[bool, For.PROGRAMS, doc("The same as a group_by of document.")] = False
    context: Annotated[
        int,
        Called("number of neighbours"),
        For.EXPERTS,
        Ge(0),
        Le(100),
        Served(10),
        doc("Number of neighbouring chunks to show on each side; by default none."),
    ] = 0
    explain: Annotated[bool, For.EXPERTS, doc("Explain the rank of each passage.")] = False
    full_text: Annotated[
        bool, For.EXPERTS, doc("Print the whole text of each passage, not trimmed.")
    ] = False
    floor: Annotated[
        bool | None,
        For.EXPERTS,
        doc(
            "Return nothing for a question that the library does not cover; by default as "
            "configured."
        ),
    ] = None
    words: Annotated[
        Sequence[str] | str,
        For.EXPERTS,
        flag("--word"),
        doc("Only passages that have this as a whole word; of several, all must match."),
    ] = ()
    without: Annotated[frozenset[StageName], For.CALLERS, doc("Stages that are switched off.")] = (
        frozenset()
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in self.words:
            check_text("word", word)
        if self.group_by is GroupBy.DOCUMENT:
            object.__setattr__(self, "by_document", True)
        if self.group_by is GroupBy.NONE:
            object.__setattr__(self, "without", self.without | {StageName.WORKS})
        if self.without & ESSENTIAL:
            names = ", ".join(sorted(stage.value for stage in self.without & ESSENTIAL))
            raise InvalidFilter(
                f"there is no answer without the stages {names}", "Leave out others only."
            )


LONGEST_QUESTION = 2_000


@dataclass(frozen=True)
class AskRequest(PassageFilters, CancellableRequest):
    """A question that is answered from the passages that meet the filters."""

    text: Annotated[
        str,
        Called("question"),
        MinLen(1),
        MaxLen(LONGEST_QUESTION),
        doc("The question."),
    ]
    _: KW_ONLY
    top_k: PassageCount = None
    quote_first: Annotated[bool, doc("Let a model only choose, order and connect quotations.")] = (
        False
    )
    events: Annotated[
        AnswerEvents | None,
        For.CALLERS,
        doc("Receives passages and sentences as they are found and checked."),
    ] = field(default=None, compare=False, repr=False)

    def for_passages(self) -> QueryRequest:
        """The query for the passages that are to answer it."""
        return self.query(
            self.text, top_k=self.top_k, explain=True, without=frozenset({StageName.WORKS})
        )


@dataclass(frozen=True)
class ChatRequest(AskRequest):
    """The next question of a session, or the first of a new one; asked as by `ask`."""

    session_id: Annotated[
        str | None,
        Called("session"),
        For.PROGRAMS,
        MinLen(1),
        doc("The session; without it, a new one."),
    ] = field(default=None, kw_only=True)

    def asking(self, text: str) -> AskRequest:
        """The same request for another question."""
        return AskRequest(**(values_of(self, AskRequest) | {"text": text}))


@dataclass(frozen=True)
class FindRequest(PassageFilters):
    """Words to find; each may be several in a row. Passages have all of them. Without `exact`,
    other forms of a word count as it does.
    """

    words: Annotated[
        Sequence[str] | str,
        MinLen(1),
        MaxLen(MOST_WORDS),
        doc("Words to find, all in one passage; each may be several in a row."),
    ]
    _: KW_ONLY
    top_k: Annotated[
        int | None,
        Called("number of places"),
        For.EXPERTS,
        flag("-k", "--top-k"),
        Ge(1),
        Served(20),
        doc("Number of places that are shown; all are counted."),
    ] = None
    exact: Annotated[bool, doc("Only as it is written, but for capitals.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in self.words:
            check_text("word", word, _NAME_ONE)
            if len(word) > LONGEST_WORD:
                raise InvalidFilter(
                    f"the word is longer than {LONGEST_WORD} characters", "Look for its beginning."
                )


# The documents of a project, and checks of it.


@dataclass(frozen=True, kw_only=True)
class DocumentsRequest(WorkFilters):
    """Which documents are listed."""

    citekey: Annotated[str | None, For.EXPERTS, doc("Only documents of this work.")] = None
    doc_id: Annotated[str | None, For.CALLERS, doc("Only the document with this id.")] = None
    text: Annotated[
        str | None,
        flag(),
        Brief("In title, author, citekey or path."),
        doc("Only documents with these words in title, authors, citekey or path."),
    ] = None
    state: Annotated[
        DocumentState | str | None, flag("--status"), doc("Only documents in this state.")
    ] = None
    missing_reference: Annotated[bool, doc("Only documents without a reference.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.text is not None:
            check_text("search text", self.text, LEAVE_OUT)


ALL_DOCUMENTS = DocumentsRequest()


_CHECK = Choices("Check", CHECKS.keys())


@dataclass(frozen=True, kw_only=True)
class ValidateRequest(CancellableRequest):
    """What is checked of a project: everything but `skip`, or `only` some."""

    only: Annotated[
        Sequence[Annotated[str, _CHECK]] | Collection[str] | str,
        Called("check"),
        flag("--check", metavar="NAME"),
        Served(len(CHECKS), key="check"),
        doc("Run only this check."),
    ] = ()
    skip: Annotated[
        Sequence[Annotated[str, _CHECK]] | Collection[str] | str,
        Called("check"),
        flag("--skip", metavar="NAME"),
        Served(len(CHECKS)),
        doc("Skip this check."),
    ] = ()
