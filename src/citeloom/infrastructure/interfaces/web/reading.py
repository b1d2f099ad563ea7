"""The views of passages and works: the picture of a page, and what is marked on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from citeloom.application.documents import OutlineEntry
from citeloom.application.manuscript.check import LONGEST_QUOTATION
from citeloom.application.requests.manuscript import (
    LONGEST_CHAPTER,
    LONGEST_COMMENT,
    CollectRequest,
)
from citeloom.application.retrieval.show import LEAST_SCALE, MOST_SCALE
from citeloom.domain.documents.printed_pages import are_of_page_list
from citeloom.infrastructure.answers.draft_checks import FoundQuotation, QuotationAnswer
from citeloom.infrastructure.answers.pages import PageAnswer
from citeloom.infrastructure.answers.passages import FoundPassage, shown_passages
from citeloom.infrastructure.interfaces.http.responses import Identifier
from citeloom.infrastructure.interfaces.http.served_library import VISIT_SECONDS
from citeloom.infrastructure.interfaces.request_models import OfProject
from citeloom.infrastructure.interfaces.web.access import own_address
from citeloom.infrastructure.interfaces.web.search import by_work, cited, notation_of
from citeloom.infrastructure.interfaces.web.views import Changing, Visit, Visiting, view

router = APIRouter()
Words = Annotated[str, Query(max_length=LONGEST_QUOTATION)]
Scale = Annotated[float, Query(ge=LEAST_SCALE, le=MOST_SCALE)]
PageNumber = Annotated[int | None, Query(ge=1, le=100_000)]
_IMAGE_DAYS = 30
_SCALES = (1.0, 1.5, 2.0, 3.0)
_NEAR = 4
"""How many thumbnails are shown before and after a page."""
_AS_IT_IS = {"Content-Encoding": "identity"}
"""A picture is compressed already."""


@router.get("/passages/{chunk_id}/page.png")
async def marked_page(
    chunk_id: Identifier,
    visit: Visiting,
    page: PageNumber = None,
    words: Words = "",
    scale: Scale = 1.5,
) -> Response:
    """A page of a passage as PNG, with it marked, or these words of it alone."""
    chosen = visit.project
    image = await visit.service.drawings.run(
        lambda: chosen.page_image(chunk_id, page=page, scale=scale, words=words), VISIT_SECONDS
    )
    return Response(image, media_type="image/png", headers=_AS_IT_IS)


@router.get("/works/{doc_id}/pages/{page}.png")
async def plain_page(
    doc_id: Identifier,
    page: Annotated[int, Path(ge=1, le=100_000)],
    visit: Visiting,
    scale: Scale = 1.5,
) -> Response:
    """A page of a document as PNG, which does not change: its id is of its content."""
    headers = {
        **_AS_IT_IS,
        "ETag": f'"{doc_id}-{page}-{scale:g}-{visit.request.app.version}"',
        "Cache-Control": f"private, max-age={_IMAGE_DAYS * 24 * 3600}, immutable",
    }
    if visit.request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    chosen = visit.project
    image = await visit.service.drawings.run(
        lambda: chosen.plain_page(doc_id, page, scale=scale), VISIT_SECONDS
    )
    return Response(image, media_type="image/png", headers=headers)


class PageForm(OfProject):
    """Which page of a work is looked at, by its number or printed label, else that of a passage or
    of a quotation; and what is marked on it.
    """

    page: PageNumber = None
    label: Annotated[str | None, Field(max_length=50)] = None
    passage: Annotated[str | None, Field(max_length=300)] = None
    words: Annotated[str, Field(max_length=LONGEST_QUOTATION)] = ""
    quote: Annotated[str, Field(max_length=LONGEST_QUOTATION)] = ""
    scale: Scale = 1.5

    def at(self, found: FoundQuotation) -> PageForm:
        """The form for the page where a quotation was found."""
        place = {"page": None, "passage": found.chunk_id, "words": found.text}
        return self.model_copy(update=place)


@router.get("/works/{doc_id}")
@view("work.html")
def work(
    doc_id: Identifier, form: Annotated[PageForm, Query()], visit: Visiting
) -> Mapping[str, object]:
    """A page of a work, with what is marked on it; without fixed pages, a part of its text."""
    return _page(visit, doc_id, form)


@router.get("/passages/{chunk_id}")
@view("work.html")
def passage(
    chunk_id: Identifier, form: Annotated[PageForm, Query()], visit: Visiting
) -> Mapping[str, object]:
    """The page of its work that a passage is on."""
    stored = visit.project.show(chunk_id, context=0).chunks[0]
    return _page(visit, stored.chunk.doc_id, form.model_copy(update={"passage": stored.chunk.id}))


def _page(visit: Visit, doc_id: str, form: PageForm) -> Mapping[str, object]:
    """What a page shows; of a quotation whether it is right, and the page where it stands."""
    checked = None
    if form.quote:
        checked = QuotationAnswer.of(visit.project.check_quotation(form.quote, doc_id))
        if checked.found and checked.found.doc_id == doc_id:
            form = form.at(checked.found)
    shown = visit.project.page_view(
        doc_id, page=form.page, label=form.label, chunk_id=form.passage, words=form.words
    )
    answer = PageAnswer.of(shown, visit.project_id)
    near = range(max(answer.page - _NEAR, 1), min(answer.page + _NEAR, len(answer.pages)) + 1)
    begun = (entry.page for entry in answer.outline if entry.page and entry.page <= answer.page)
    notation = notation_of(visit)
    return {
        "shown": answer,
        "checked": checked,
        "form": form,
        "cite": lambda one: cited(one, notation),
        "chapters": [] if visit.read_only else visit.project.chapters(),
        "scales": _SCALES,
        "outline": _in_sight(answer),
        "near": [answer.pages[number - 1] for number in near],
        "here": max(begun, default=0),
        "of_page_list": answer.has_pages and are_of_page_list(answer.document.path),
    }


def _in_sight(answer: PageAnswer) -> list[OutlineEntry]:
    """The chapters of a work, and the sections of those that the page is of."""
    levels = Counter(entry.level for entry in answer.outline)
    chapters = min((level for level, count in levels.items() if count > 1), default=1)
    entries, chapter, before, here = list[tuple[int, OutlineEntry]](), 0, 0, set[int]()
    for number, entry in enumerate(answer.outline):
        chapter = number if entry.level <= chapters else chapter
        entries.append((chapter, entry))
        if entry.page == answer.page:
            here.add(chapter)
        elif (entry.page or 1) < answer.page:
            before = chapter
    here.add(before)
    return [entry for number, entry in entries if entry.level <= chapters or number in here]


@router.get("/passages/{chunk_id}/similar")
@view("similar.html")
def similar(chunk_id: Identifier, visit: Visiting) -> Mapping[str, object]:
    """Passages of other works that are nearest in meaning to a passage."""
    passages = [FoundPassage.of(passage) for passage in visit.project.similar(chunk_id)]
    notation = notation_of(visit)
    return {
        "passage": shown_passages(visit.project.show(chunk_id, context=0))[0],
        "works": by_work(passages),
        "cite": lambda one: cited(one, notation),
    }


@router.post("/passages/{chunk_id}/collect", dependencies=[Changing])
@view("")
def collect(
    chunk_id: Identifier,
    visit: Visiting,
    chapter: Annotated[str, Form(max_length=LONGEST_CHAPTER)],
    comment: Annotated[str, Form(max_length=LONGEST_COMMENT)] = "",
    to: Annotated[str, Form()] = "/",
) -> Response:
    """Add a passage to the file of a chapter, and go back to where it was collected."""
    request = CollectRequest(chunk_id, chapter=chapter, comment=comment)
    visit.project.collect(request)
    return RedirectResponse(f"{own_address(to)}#p-{chunk_id}", status_code=303)
