"""An address of every view, of the library of the HTTP API's papers."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import quote_plus

from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.requests.passages import ChatRequest
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import ONE, PATIENCE

Address = Callable[[ServedLibrary], str]


def _passage(service: ServedLibrary) -> str:
    """The passage on nests."""
    found = service.project(ONE).query("rough concrete beams carried four nests", top_k=1)
    return found.passages[0].stored.chunk.id


def _work(service: ServedLibrary) -> str:
    """The paper on swallows."""
    found = service.project(ONE).query("rough concrete beams carried four nests", top_k=1)
    return found.passages[0].stored.chunk.doc_id


QUESTION = "What did concrete beams with a rough face carry?"
DRAFT = """# Broods

It is said that “Repainting in June destroys most broods of a year” [@moreau2015, p. 2].

Also “Repainting in July destroys most broods of a year” [@moreau2015, p. 2].

Nests of barn swallows are found under road bridges with a rough face.
"""


def _chat(service: ServedLibrary) -> str:
    """Without conversations."""
    sessions = service.project(ONE).sessions
    for session in sessions.listed():
        sessions.delete(session.id)
    return "/chat"


def _conversation(service: ServedLibrary) -> str:
    """Of one question."""
    return f"/chat/{service.project(ONE).chat(ChatRequest(QUESTION)).session_id}"


def _draft(service: ServedLibrary) -> str:
    """A file that the server may read, in which one of two quotations is wrong."""
    path = service.library.info.base_dir / "broods.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path.name


def _job(service: ServedLibrary) -> str:
    """An ingest that found nothing new."""
    job = service.jobs.start(ONE, IngestRequest(), correlation_id="")
    until = time.monotonic() + PATIENCE
    while not service.jobs.get(job.id).state.is_final and time.monotonic() < until:
        time.sleep(0.02)
    return f"/jobs/{job.id}"


VIEWS: dict[str, Address] = {
    "home": lambda _: "/",
    "search": lambda _: "/search?text=nests+under+bridges",
    "search-nothing": lambda _: "/search?text=xylophone",
    "search-places": lambda _: "/search?text=nests&every=true",
    "search-filtered": lambda _: "/search?text=nests&tags=birds&explain=true",
    "passage": lambda service: f"/passages/{_passage(service)}",
    "passage-similar": lambda service: f"/passages/{_passage(service)}/similar",
    "quotation": lambda service: (
        f"/passages/{_passage(service)}?quote=smooth+iron+girders+carried+no+nests+at+all"
    ),
    "work": lambda service: f"/works/{_work(service)}?page=2",
    "ask": lambda _: "/ask",
    "answer": lambda _: f"/ask?text={quote_plus(QUESTION)}",
    "answer-none": lambda _: "/ask?text=Who+composed+the+xylophone+concerto%3F",
    "chat": _chat,
    "conversation": _conversation,
    "drafts": lambda _: "/drafts",
    "draft": lambda service: f"/drafts?file={_draft(service)}",
    "draft-findings": lambda service: f"/drafts?file={_draft(service)}&only=findings",
    "library": lambda _: "/library",
    "references": lambda _: "/references",
    "references-none": lambda _: "/references?project=lab/two",
    "jobs": lambda _: "/jobs?project=lab/two",
    "job": _job,
    "evaluation": lambda _: "/evaluation",
    "map": lambda _: "/map",
    "matrix": lambda _: "/matrix",
    "matrix-cells": lambda _: (
        f"/matrix?questions={quote_plus(QUESTION)}&questions=How+was+it+dried%3F"
    ),
    "zotero": lambda _: "/zotero",
    "settings": lambda _: "/settings",
}
"""By the name of its snapshot."""
