"""What programs may ask over HTTP and MCP: the options of the library by their own names, and of
drafts texts alone, with citation styles by name, no file.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

FORMER_NAMES = ("query", "question")
"""What a question was called before it was `text`."""
LONGEST_DRAFT = 50_000
"""Characters of a draft whose citations are checked."""
LONGEST_SEARCHED = 20_000
"""Characters of a draft whose sentences are searched for, a query each."""
CitationForm = Literal[
    "text", "html", "markdown", "pandoc", "latex", "typst", "bibtex", "biblatex", "csl-json", "ris"
]
StyleName = Annotated[str, Field(max_length=100, pattern="^[a-z0-9][a-z0-9-]*$")]
LanguageName = Annotated[str, Field(max_length=20, pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]

Options = TypeVar("Options")


class Request(BaseModel):
    """What is asked; an unknown field is an error. A field with the name of an option is that
    option.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    def options(self, kind: type[Options], **others: object) -> Options:
        """The options of this kind, one of `application.options`, that the request has, and
        `others`.
        """
        own = {name: getattr(self, name, None) for name in kind.__annotations__}
        return cast("Options", {k: v for k, v in own.items() if v is not None} | others)

    @property
    def years(self) -> tuple[int | None, int | None]:
        """The first and the last year of the works, where a request has them."""
        return getattr(self, "year_from", None), getattr(self, "year_to", None)
