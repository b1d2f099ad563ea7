"""What the tools answer is a part of the documented JSON, with no key that it lacks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client.client import Client

from citeloom.application.documents import ListedDocument
from citeloom.application.jobs import Job
from citeloom.application.validate.chunk_checks import Finding
from citeloom.infrastructure.answers.ask import AnswerCitation, AskAnswer
from citeloom.infrastructure.answers.concordance import ConcordanceAnswer, ConcordanceLine
from citeloom.infrastructure.answers.draft_checks import CitedAnswer, DraftCheck
from citeloom.infrastructure.answers.draft_support import (
    SupportedSentence,
    SupportingPassageAnswer,
)
from citeloom.infrastructure.answers.ingests import JobEntry
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.passages import FoundPassage, QueryAnswer
from citeloom.infrastructure.answers.zotero import CollectionEntry, ItemEntry, TagEntry
from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.interfaces.mcp.job_tools import job_answer
from tests.described import assert_subset
from tests.fakes.clock import NOON
from tests.fakes.two_projects import LEFT
from tests.fakes.zotero_library import MemoryZotero
from tests.integration.mcp.sessions import answer, talk
from tests.integration.mcp.test_drafts import CLAIM, DRAFT
from tests.unit.application.test_zotero_browse import NESTED

QUESTION = "sowing dates of wheat"


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_passages_are(state: LibraryService, tool: str) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, tool, project=LEFT, text=QUESTION)
        fit = found.pop("fit")
        assert fit in {"strong", "fair", "weak"}
        for item in found.pop("items"):
            assert_subset(item, FoundPassage, "length", "next_offset")
        assert_subset(found, QueryAnswer)

    talk(state, session)


def test_a_passage_is(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, "query", project=LEFT, text=QUESTION, top_k=1)
        name = found["items"][0]["chunk_id"]
        shown = await answer(client, "get_passage", project=LEFT, chunk_id=name)
        assert len(shown["items"]) > 1
        for item in shown["items"]:
            assert_subset(item, FoundPassage, "length", "next_offset")

    talk(state, session)


def test_a_concordance_is(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, "find", project=LEFT, words=["wheat"], limit=2)
        for item in found.pop("items"):
            assert_subset(item, ConcordanceLine)
        assert_subset(
            found, ConcordanceAnswer, *"total offset next_offset notes correlation_id".split()
        )

    talk(state, session)


def test_an_answer_is(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        made = await answer(client, "ask", project=LEFT, text=QUESTION)
        citations = made.pop("citations")
        assert citations
        for citation in citations:
            assert_subset(citation, AnswerCitation)
        assert_subset(made, AskAnswer, "missing", "judged_by", "compare")

    talk(state, session)


def test_documents_and_findings_are(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        listed = await answer(client, "list_documents", project=LEFT)
        assert listed["items"]
        for document in listed["items"]:
            assert_subset(document, ListedDocument, "content")
        for finding in (await answer(client, "validate", project=LEFT))["findings"]:
            assert_subset(finding, Finding)

    talk(state, session)


def test_citations_checks_and_support_are(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        cited = await answer(client, "cite", project=LEFT, names=["left2001"])
        assert_subset(cited, CitedAnswer, "notes", "correlation_id")
        checked = await answer(client, "check_quotes", project=LEFT, text=DRAFT)
        assert len(checked["checks"]) == 3
        for check in checked["checks"]:
            assert_subset(check, DraftCheck)
        found = await answer(client, "find_support", project=LEFT, text=CLAIM, every=True)
        [sentence] = found["sentences"]
        [first, *_] = passages = sentence.pop("passages")
        assert (first["supports"], len(passages)) == (True, 3)
        assert_subset(sentence, SupportedSentence)
        for passage in passages:
            assert_subset(passage, SupportingPassageAnswer)

    talk(state, session)


def test_a_job_is() -> None:
    job = Job(id="j1", project=LEFT, sources=(), correlation_id="c1", created_at=NOON)
    shown = json.loads(json_text(job_answer(job, ())))
    assert_subset(shown, JobEntry, "content", "events", "failed", "notes")


@pytest.mark.parametrize(
    ("what", "description", "own"),
    [
        ("items", ItemEntry, ("abstract", "has_file", "annotations")),
        ("collections", CollectionEntry, ()),
        ("tags", TagEntry, ()),
    ],
)
def test_what_zotero_has_is(
    state: LibraryService, what: str, description: Any, own: tuple[str, ...]
) -> None:
    state.library.parts.resources.get("Zotero", lambda: MemoryZotero(NESTED))

    async def session(client: Client) -> None:
        found = await answer(client, "zotero_search", project=LEFT, what=what)
        assert found["items"]
        for item in found["items"]:
            assert_subset(item, description, "content", *own)

    talk(state, session)
