"""What clients ask, checked before it reaches the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path, Query
from pydantic import BeforeValidator, Field, model_validator

from citeloom.application.answering.ask import LONGEST_QUESTION
from citeloom.application.limits import CallLimits
from citeloom.application.manuscript.collect import LONGEST_CHAPTER, LONGEST_COMMENT, MOST_TAGS
from citeloom.application.retrieval.find import MOST_WORDS
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.manuscript.draft import Markup
from citeloom.domain.policies import GroupBy, Mode
from citeloom.domain.retrieval.filters import parse_section
from citeloom.infrastructure.interfaces.requests import (
    FORMER_NAMES,
    LONGEST_DRAFT,
    LONGEST_SEARCHED,
    CitationForm,
    LanguageName,
    Request,
    StyleName,
)

_LIMITS = CallLimits()
_SOME_TEXT = r"^[^\x00]*\S[^\x00]*$"
_MOST_CONTEXT = 10
_MOST_VALUES, _MOST_WORKS = 20, 100


def _titles(given: object) -> object:
    """The titles of a section that is written as one text."""
    if isinstance(given, list) and len(given) == 1:
        (given,) = given
    return list(parse_section(given)) if isinstance(given, str) else given


Name = Annotated[str, Field(min_length=1, max_length=300, pattern=_SOME_TEXT)]
Question = Annotated[str, Field(min_length=1, max_length=_LIMITS.query_chars, pattern=_SOME_TEXT)]
ProjectName = Annotated[
    str,
    Field(min_length=1, max_length=300, examples=["citeloom/clean-arch"], description="Its id."),
]
ProjectParameter = Annotated[ProjectName, Query(description="The id of the project.")]
Identifier = Annotated[str, Path(min_length=1, max_length=300)]
Limit = Annotated[int, Query(ge=1, le=500, description="Most entries.")]
Offset = Annotated[int, Query(ge=0, le=10_000_000, description="Entries to leave out.")]
Context = Annotated[int, Query(ge=0, le=_MOST_CONTEXT, description="Neighbours on each side.")]


class Narrowed(Request):
    """A project, and filters that only ever narrow it. What is left out is as in its settings."""

    project: ProjectName
    citekey: Name | None = None
    doc_id: Name | None = None
    tags: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    year_from: int | None = Field(default=None, ge=0, le=9999)
    year_to: int | None = Field(default=None, ge=0, le=9999)
    kinds: list[ChunkKind] = Field(default=[], max_length=_MOST_VALUES)
    section: Annotated[list[Name], BeforeValidator(_titles)] = Field(
        default=[],
        max_length=_MOST_VALUES,
        description="The titles down to a section; also as one text, `Methods > Sampling`.",
    )
    where: list[Name] = Field(
        default=[],
        max_length=_MOST_VALUES,
        description="Conditions on front matter, all of which hold: `tier<=2`, `tags=a,b`.",
    )


class Filtered(Narrowed):
    """Filters, and how many passages are found."""

    top_k: int | None = Field(default=None, ge=1, le=_LIMITS.top_k)


class Questioned(Filtered):
    """A question, by its name or by one of its former ones."""

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, given: object) -> object:
        if not isinstance(given, Mapping) or "text" in given:
            return given
        named = {name: given[name] for name in FORMER_NAMES if name in given}
        if len(named) != 1:
            return given
        rest = {key: value for key, value in given.items() if key not in named}
        return {**rest, "text": next(iter(named.values()))}


class QueryBody(Questioned):
    """A question that passages are found for; `query` is the former name of `text`."""

    text: str = Field(min_length=1, max_length=_LIMITS.query_chars, pattern=_SOME_TEXT)
    mode: Mode | None = None
    min_score: float | None = Field(default=None, allow_inf_nan=False)
    group_by: GroupBy | None = Field(
        default=None,
        description="`document`: the best passage of each document only; `none`: by score alone. "
        "Else the third passage of a work gives way to another work that fits alike.",
    )
    by_document: bool = Field(default=False, description="The same as a `group_by` of `document`.")
    context: int = Field(default=0, ge=0, le=_MOST_CONTEXT)
    explain: bool = False
    full_text: bool = False
    floor: bool | None = Field(
        default=None, description="Nothing is returned where the project is not about the question."
    )
    words: list[Name] = Field(
        default=[],
        max_length=_MOST_VALUES,
        description="Only passages that have each of these as a whole word.",
    )


class AskBody(Questioned):
    """A question that is answered; `stream` asks for server-sent events, as an `Accept` of
    `text/event-stream` does. `question` is the former name of `text`.
    """

    text: str = Field(min_length=1, max_length=LONGEST_QUESTION, pattern=_SOME_TEXT)
    stream: bool = False
    quote_first: bool = Field(
        default=False, description="A model chooses, orders and connects quotations, no more."
    )
    shape: Name | None = Field(
        default=None,
        alias="as",
        description="The answer has the fields of this shape of the project alone.",
    )


class ChatBody(AskBody):
    """The next question of a session, or the first of a new one."""

    session_id: Name | None = None


class FindBody(Filtered):
    """Words to find, all in one passage; without `exact` in any form. `top_k` limits the places."""

    words: list[Name] = Field(min_length=1, max_length=MOST_WORDS)
    exact: bool = False


class CollectBody(Request):
    """A passage to collect in the Markdown file of a chapter, with a comment and tags."""

    project: ProjectName
    chunk_id: Name
    chapter: str = Field(min_length=1, max_length=LONGEST_CHAPTER, pattern=_SOME_TEXT)
    comment: str = Field(default="", max_length=LONGEST_COMMENT)
    tags: list[Name] = Field(default=[], max_length=MOST_TAGS)


class CiteBody(Request):
    """What is cited, by citekeys, ids of passages or citations such as `[@key, p. 45]`, and how."""

    project: ProjectName
    names: list[Name] = Field(min_length=1, max_length=_MOST_VALUES)
    format: CitationForm = "text"
    style: StyleName = Field(
        default="apa", description="A style of the Citation Style Language by its name."
    )
    locale: LanguageName | None = Field(
        default=None, description="The language of the style, such as `de-DE`."
    )


class CheckBody(Request):
    """A draft as a text, and what it is written in."""

    project: ProjectName
    text: str = Field(max_length=LONGEST_DRAFT, pattern=_SOME_TEXT)
    format: Markup = "markdown"


class SupportBody(Filtered):
    """A part of a draft, whose sentences without a citation are looked up one by one: those that
    claim something, with `every` all, or those on `lines`.
    """

    text: str = Field(max_length=LONGEST_SEARCHED, pattern=_SOME_TEXT)
    format: Markup = "markdown"
    lines: list[Annotated[int, Field(ge=1, le=1_000_000)]] = Field(default=[], max_length=1000)
    every: bool = False


class MatrixBody(Narrowed):
    """Questions that each of `works`, citekeys, is asked, or else each that meets the filters."""

    questions: list[Question] = Field(min_length=1, max_length=_MOST_VALUES)
    works: list[Name] = Field(default=[], max_length=_MOST_WORKS)
    strict: bool = Field(
        default=False, description="Only passages that are likely to answer are shown."
    )


class IngestBody(Request):
    """An ingest of a project: its configured sources, those named, or its Zotero selection.

    A source lies at or below `[server] roots`, or else the project's own sources; a relative one
    starts at the folder of citeloom.toml.
    """

    project: ProjectName
    sources: list[Name] = Field(default=[], max_length=100)
    zotero: bool = False
    force: bool = False
    dry_run: bool = False
    prune: bool = False
    yes: bool = False
    restore: bool = False
    retry_failed: bool = False
    limit: int | None = Field(default=None, ge=1, le=1_000_000)


class DocumentFilter(Request):
    """Which documents of a project are listed."""

    project: ProjectName
    text: Name | None = Field(
        default=None, description="Each word stands in title, authors, citekey or path."
    )
    state: DocumentState | None = None
    citekey: Name | None = None
    tags: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    year_from: int | None = Field(default=None, ge=0, le=9999)
    year_to: int | None = Field(default=None, ge=0, le=9999)
    where: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    missing_reference: bool = False
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000_000)


class ZoteroFilter(Request):
    """Which entries of Zotero are listed."""

    library: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    collection: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    subcollections: bool = False
    tag: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    exclude_tag: list[Name] = Field(default=[], max_length=_MOST_VALUES)
    search: Name | None = None
    limit: int = Field(default=50, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000_000)
