"""Searches: passages that answer a question, every place of words, by work, with citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import Response

from citeloom.application.manuscript.collect import Chapter
from citeloom.application.requests.fields import values_of
from citeloom.application.requests.passages import FindRequest, PassageFilters, QueryRequest
from citeloom.application.retrieval.facets import WorkFacets
from citeloom.domain.documents.language import LANGUAGE_NAMES
from citeloom.domain.errors import InvalidProject
from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.infrastructure.answers.concordance import ConcordanceAnswer, ConcordanceLine
from citeloom.infrastructure.answers.headlines import in_short
from citeloom.infrastructure.answers.passages import QueryAnswer, ShownPassage, Source
from citeloom.infrastructure.interfaces.request_models import RequestBody
from citeloom.infrastructure.interfaces.web.documents import first_steps
from citeloom.infrastructure.interfaces.web.views import PageOutcome, Visit, Visiting, streamed

P = TypeVar("P", bound=ShownPassage)
router = APIRouter()
_WORD = re.compile(r'"([^"]*\S[^"]*)"|(\S+)')
_PLACES, _MOST_VALUES = 100, 12
_NO_FILTER = frozenset(("project", "text", "top_k", "explain", "mode", "every", "exact", "cite"))
_COOKIE_SECONDS = 365 * 24 * 3600
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class SearchForm(RequestBody[QueryRequest]):
    """A question, or none yet; with `every`, words of which every place is shown."""

    text: str = ""
    every: bool = False
    exact: bool = False
    cite: CitationNotation | None = None


@router.get("/")
@router.get("/search")
async def search(form: Annotated[SearchForm, Query()], visit: Visiting) -> Response:
    """The form, and the passages once they are found."""
    page, notation = SearchPage(form, visit), form.cite or notation_of(visit)
    values = {
        **first_steps(visit),
        "form": form,
        "facets": page.facets,
        "found": page.found,
        "chapters": page.chapters,
        "filters": list(_active(visit)),
        "choices": lambda facets: _choices(visit, facets),
        "toggled": lambda **changes: _toggled(visit, changes),
        "usual": visit.project.project.retrieval.top_k,
        "most": visit.service.limits.top_k,
        "notation": notation,
        "quoted": _words_around,
        "cite": lambda passage: cited(passage, notation),
    }
    response = streamed("search.html", visit, values)
    if form.cite:
        response.set_cookie(
            COOKIE, form.cite, max_age=_COOKIE_SECONDS, httponly=True, samesite="strict"
        )
    return response


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What the page of a search shows as soon as it is there."""

    form: SearchForm
    visit: Visit

    async def found(self) -> PageOutcome:
        """The passages of each work, or every place of the words."""
        visit = self.visit
        if self.form.every:
            return await visit.outcome(visit.run(self._concordance, lane=visit.service.reading))
        return await visit.outcome(visit.run(self._marked))

    async def facets(self) -> PageOutcome:
        return await self.visit.outcome(self.visit.run(self._counted))

    async def chapters(self) -> list[Chapter]:
        outcome = await self.visit.outcome(self.visit.run(self.visit.project.chapters))
        return outcome.answer or []

    def _marked(self) -> dict[str, object]:
        project, limits = self.visit.project, self.visit.service.limits
        request = limits.admitted(self.form.asked(), project.project.retrieval.top_k)
        answer = QueryAnswer.of(project.query(request), correlation_id="")
        places = project.places_of_words(answer.query, [passage.text for passage in answer.items])
        marks = {one.chunk_id: spans for one, spans in zip(answer.items, places)}
        return {"answer": answer, "works": by_work(answer.items), "marks": marks}

    def _concordance(self) -> ConcordanceAnswer:
        words = [phrase or word for phrase, word in _WORD.findall(self.form.text)]
        filters = values_of(self.form.asked(), PassageFilters)
        request = FindRequest(words, top_k=_PLACES, exact=self.form.exact, **filters)
        return ConcordanceAnswer.of(self.visit.project.find(request))

    def _counted(self) -> WorkFacets | None:
        try:
            return self.visit.project.facets()
        except InvalidProject:
            return None


def by_work(passages: Iterable[P]) -> list[list[P]]:
    """The passages of each work together, works and passages in their order."""
    works: dict[str, list[P]] = {}
    for passage in passages:
        works.setdefault(passage.citekey or passage.doc_id, []).append(passage)
    return list(works.values())


_AROUND = 5
"""How many words on either side tell a place of a word from another."""


def _words_around(line: ConcordanceLine) -> str:
    before, after = line.before.split()[-_AROUND:], line.after.split()[:_AROUND]
    joined = f"{line.word}{' ' if line.after[:1].isspace() else ''}{' '.join(after)}"
    return f"{' '.join(before)} {joined}".strip()


# Filters, as links that add or remove a condition.


def _active(visit: Visit) -> Iterable[tuple[str, str]]:
    """The conditions of the address, by name and value."""
    for name, value in visit.request.query_params.multi_items():
        if name not in _NO_FILTER:
            yield name, value


def _toggled(visit: Visit, changes: Mapping[str, object]) -> str:
    """The address with these parameters: of a filter with this value removed or added, of another
    with this value alone.
    """
    pairs = visit.request.query_params.multi_items()
    for name, value in changes.items():
        pair = (name, "" if value in (None, False) else str(value))
        if name in _NO_FILTER or name.startswith("year_"):
            pairs = [other for other in pairs if other[0] != name]
            pairs += [pair] if pair[1] else []
        elif pair in pairs:
            pairs.remove(pair)
        else:
            pairs.append(pair)
    return f"/search?{urlencode(pairs)}"


def _choices(visit: Visit, facets: WorkFacets) -> Sequence[tuple[str, list[tuple[str, int, str]]]]:
    """The values that works can be filtered by: the name of each, its number of works, and the
    address with that condition.
    """
    years = sorted(facets.years.items(), reverse=True)[:_MOST_VALUES]
    counts = {
        "authors": facets.authors,
        "tags": facets.tags,
        "collections": facets.collections,
        "item_types": facets.item_types,
        "languages": facets.languages,
    }
    choices = [
        (
            key,
            [
                (shown_value(key, value), count, _toggled(visit, {key: value}))
                for value, count in list(values.items())[:_MOST_VALUES]
            ],
        )
        for key, values in counts.items()
        if values
    ]
    if years:
        each = [
            (str(year), count, _toggled(visit, {"year_from": year, "year_to": year}))
            for year, count in years
        ]
        choices.insert(1, ("years", each))
    return choices


def shown_value(name: str, value: str) -> str:
    """A value of a filter as readers know it."""
    if name == "languages":
        return LANGUAGE_NAMES.get(value, value)
    return _CAPITAL.sub(" ", value).lower() if name == "item_types" else value


# Citations as readers copy them, in the notation that they chose.

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
