"""What each tool is called with; checked before anything else happens."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from citeloom.application.query_options import FilterOptions
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.filters import parse_section

_NAMED = 3

A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class OfProject(Arguments):
    """The arguments of a tool that works on one project."""

    project: str


class QueryArguments(OfProject):
    """A question, and filters that only ever narrow the project."""

    text: str
    top_k: Annotated[int, Field(ge=1, le=20)] | None = None
    citekey: str | None = None
    tags: list[str] = Field(default=[], description="All of them.")
    year_from: int | None = None
    year_to: int | None = None
    section: str | None = Field(default=None, description="As Methods > Sampling")
    where: list[str] = Field(default=[], description="As tier<=2")

    def filters(self, top_k: int) -> FilterOptions:
        """The filters as the library takes them."""
        return {
            "top_k": top_k,
            "citekey": self.citekey,
            "tags": self.tags,
            "years": (self.year_from, self.year_to),
            "section": parse_section(self.section) if self.section is not None else (),
            "where": self.where,
        }


class PassageArguments(OfProject):
    """A passage, how much around it, and from which character on."""

    chunk_id: str
    context: int = Field(default=1, ge=0, le=5, description="Neighbours on each side.")
    offset: int = Field(default=0, ge=0, description="Start of the text, where it was trimmed.")
    cite: bool = Field(default=False, description="Fail unless it has a reference.")


class IngestArguments(OfProject):
    """What to ingest."""

    source: str | None = Field(
        default=None,
        description="A file or folder below the allowed roots, or `zotero`. "
        "Unset, the project's own sources.",
    )
    force: bool = Field(default=False, description="Unchanged documents, too.")
    retry_failed: bool = False


class JobArguments(OfProject):
    """A job of the project."""

    job_id: str


class StatusArguments(JobArguments):
    """A job of the project, and which of its events are known already."""

    after: int = Field(default=0, ge=0, description="Last event seen.")


class ZoteroArguments(OfProject):
    """What to look for in Zotero."""

    what: Literal["items", "collections", "tags"] = "items"
    text: str = Field(default="", description="In title, creator, citekey; or in the name.")
    limit: int = Field(default=20, ge=1, le=100)


def parsed(kind: type[A], given: dict[str, object]) -> A:
    """The arguments. Raises `InvalidFilter` that says which of them are wrong, and how."""
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False)
        ]
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise InvalidFilter(
            f"wrong arguments: {'; '.join(wrong[:_NAMED])}{more}"[:500],
            f"The tool takes: {', '.join(kind.model_fields) or 'none'}.",
        ) from None
