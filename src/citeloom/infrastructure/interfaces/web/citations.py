"""Citations as readers copy them, in the notation that they chose."""

from __future__ import annotations

from typing import Literal, get_args

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.infrastructure.answers.headlines import in_short
from citeloom.infrastructure.answers.passages import Source
from citeloom.infrastructure.interfaces.web.views import Visit

CitationNotation = Literal["pandoc", "latex", "typst", "plain"]
NOTATIONS: tuple[CitationNotation, ...] = get_args(CitationNotation)
COOKIE = "citeloom_citations"


def notation_of(visit: Visit) -> CitationNotation:
    """The notation that the reader chose last; that of Pandoc if none."""
    chosen = visit.request.cookies.get(COOKIE)
    return next((notation for notation in NOTATIONS if notation == chosen), "pandoc")


def cited(passage: Source, notation: CitationNotation) -> str:
    """The citation of a passage; its work and place in words where it has no reference."""
    pandoc: str | None = getattr(passage, "citation", None)
    if notation == "plain" or pandoc is None:
        families = [author.split(",")[0].strip() for author in passage.authors]
        who = in_short(families, more=passage.more_authors) or (passage.title or "")
        return ", ".join(filter(None, (f"{who} {passage.year or ''}".strip(), passage.locator)))
    if notation == "pandoc":
        return pandoc
    place = CitedPlace.read(pandoc)
    return place.latex() if notation == "latex" else place.typst()
