"""What each tool is called with; checked before anything else happens."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from citeloom.application.query_options import AskOptions, DocumentOptions, FilterOptions
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.filters import parse_section
from citeloom.domain.manifest import DocumentState
from citeloom.domain.validation import CHECKS

_NAMED = 3
_MOST_VALUES = 20
FORMER_NAMES = ("query", "question")
"""What `text` was called; read for this version only."""

A = TypeVar("A", bound="Arguments")
Name = Annotated[str, Field(max_length=300)]
Names = Annotated[list[Name], Field(max_length=_MOST_VALUES)]
Condition = Annotated[str, Field(max_length=300, pattern="^[^<>=!]+[<>=!]")]
Conditions = Annotated[list[Condition], Field(max_length=_MOST_VALUES)]
Check = StrEnum("Check", [(name, name) for name in CHECKS])  # type: ignore[misc]
Checks = Annotated[list[Check], Field(max_length=len(CHECKS))]
Year = Annotated[int, Field(ge=0, le=9999)]
Offset = Annotated[int, Field(ge=0, le=10_000_000)]
Limit = Annotated[int, Field(ge=1, le=100)]


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class OfProject(Arguments):
    """The arguments of a tool that works on one project."""

    project: Name


class QueryArguments(OfProject):
    """A question, and filters that only ever narrow the project."""

    text: Annotated[str, Field(validation_alias=AliasChoices("text", *FORMER_NAMES))]
    top_k: Annotated[int, Field(ge=1, le=20)] | None = None
    citekey: Name | None = None
    tags: Names = []
    year_from: Year | None = None
    year_to: Year | None = None
    section: Name | Names | None = Field(default=None, description="As Methods > Sampling")
    where: Conditions = Field(default=[], description="As tier<=2")

    def filters(self, top_k: int) -> FilterOptions:
        """The filters as the library takes them."""
        section = parse_section(self.section) if isinstance(self.section, str) else self.section
        return {
            "top_k": top_k,
            "citekey": self.citekey,
            "tags": self.tags,
            "years": (self.year_from, self.year_to),
            "section": section or (),
            "where": self.where,
        }


class AskArguments(QueryArguments):
    """A question that is answered; with `quote_first` a model only orders quotations."""

    quote_first: bool = False

    def options(self, top_k: int) -> AskOptions:
        """The filters and the manner, as the library takes them."""
        return {**self.filters(top_k), "quote_first": self.quote_first}


class PassageArguments(OfProject):
    """A passage, how much around it, and from which character on."""

    chunk_id: Name
    context: int = Field(default=1, ge=0, le=5, description="Neighbours on each side.")
    offset: Offset = Field(default=0, description="The next_offset of a trimmed passage.")
    cite: bool = Field(default=False, description="Fail unless it has a reference.")


class DocumentArguments(OfProject):
    """Which documents are listed."""

    text: Name | None = Field(default=None, description="In title, author, citekey or path.")
    state: DocumentState | None = None
    tags: Names = []
    year_from: Year | None = None
    year_to: Year | None = None
    where: Conditions = []
    missing_reference: bool = False
    offset: Offset = 0
    limit: Limit = 50

    def options(self) -> DocumentOptions:
        """The filters as the library takes them."""
        return {
            "text": self.text,
            "state": self.state,
            "tags": self.tags,
            "years": (self.year_from, self.year_to),
            "where": self.where,
            "missing_reference": self.missing_reference,
        }


class IngestArguments(OfProject):
    """What to ingest."""

    source: Annotated[str, Field(max_length=2000)] | None = Field(
        default=None,
        description="A path below the allowed roots, or zotero; else the project's sources.",
    )
    force: bool = Field(default=False, description="Unchanged documents, too.")
    retry_failed: bool = False


class JobArguments(OfProject):
    """A job of the project."""

    job_id: Name


class StatusArguments(JobArguments):
    """A job of the project, and which of its events are known already."""

    after: int | None = Field(default=None, ge=0, description="Events, too, after this one.")


class ValidateArguments(OfProject):
    """What is checked: everything but `skip`, or `check` alone."""

    check: Checks = []
    skip: Checks = []


class ZoteroArguments(OfProject):
    """What to look for in Zotero."""

    what: Literal["items", "collections", "tags", "annotations"] = "items"
    text: Name = ""
    collection: Name | None = Field(default=None, description="Its path or key.")
    item: Name | None = Field(default=None, description="The key of one.")
    offset: Offset = 0
    limit: Limit = 20


def parsed(kind: type[A], given: dict[str, object]) -> A:
    """The arguments. Raises `InvalidFilter` that says which of them are wrong, and how."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        wrong = [
            f"{_place(one['loc'])}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False)
        ]
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise InvalidFilter(
            f"wrong arguments: {'; '.join(wrong[:_NAMED])}{more}"[:500],
            f"The tool takes: {', '.join(kind.model_fields) or 'none'}.",
        ) from None


def _place(parts: Sequence[int | str]) -> str:
    return ".".join(str(part)[:50] for part in parts) or "arguments"
