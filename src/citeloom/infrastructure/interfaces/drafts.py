"""What programs may ask of drafts: as texts alone, and with citation styles by name, no file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

LONGEST_DRAFT = 50_000
"""Characters of a draft whose citations are checked."""
LONGEST_SEARCHED = 20_000
"""Characters of a draft whose sentences are searched for, a query each."""
CitationForm = Literal[
    "text", "html", "markdown", "pandoc", "latex", "typst", "bibtex", "biblatex", "csl-json", "ris"
]
StyleName = Annotated[str, Field(max_length=100, pattern="^[a-z0-9][a-z0-9-]*$")]
LanguageName = Annotated[str, Field(max_length=20, pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
