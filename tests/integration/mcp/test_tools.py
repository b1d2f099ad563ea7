"""Each tool, called by the SDK's client in both eras of the protocol, within its limits."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from citeloom.application.limits import CallLimits
from citeloom.application.retrieval import query
from citeloom.application.retrieval.search import search_in
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.calls import Calls, LibraryService
from citeloom.infrastructure.interfaces.mcp import call_progress as progress_module
from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS, Offer, listed
from citeloom.infrastructure.interfaces.mcp.project_tools import ProjectList, ServedProject
from citeloom.infrastructure.interfaces.mcp.tool_answers import bounded_answer, estimated_tokens
from citeloom.infrastructure.library.library import Library
from tests.fakes.chat_server import Turn, chat_server
from tests.fakes.embedders import HashingDense
from tests.fakes.two_projects import LEFT, RIGHT, SIDES, marks, two_projects
from tests.fakes.zotero_library import MemoryZotero
from tests.integration.mcp.sessions import Mode, answer, error, talk, text_of
from tests.unit.application.test_zotero_browse import NESTED

QUESTION = "sowing dates of wheat"


def test_the_list_of_tools_takes_less_than_3600_tokens(state: LibraryService) -> None:
    """Counted on what is sent: a token for 4 ASCII characters, and stricter, for 3.5."""

    async def session(client: Client) -> None:
        sent = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        assert estimated_tokens(sent) < 3200
        assert len(sent) / 3.5 < 3600

    talk(state, session)
    assert list(TOOLS) == [
        "list_projects",
        "list_documents",
        "inspect_collection",
        "validate",
        "query",
        "query_hybrid",
        "find",
        "get_passage",
        "ask",
        "ingest_from_source",
        "ingest_status",
        "cancel_ingest",
        "list_jobs",
        "cite",
        "check_quotes",
        "find_support",
        "zotero_search",
    ]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_every_tool_says_what_it_takes_and_answers(tool: Any) -> None:
    shown = listed(tool)
    assert shown.description
    assert shown.output_schema is not None
    assert shown.title
    required = shown.input_schema.get("required", [])
    assert ("project" in required) is (tool.name != "list_projects")
    changing = {"ingest_from_source", "cancel_ingest"}
    assert shown.annotations is not None
    assert shown.annotations.read_only_hint is (tool.name not in changing)
    assert shown.annotations.destructive_hint is (False if tool.changes else None)
    assert shown.annotations.open_world_hint is (None if tool.reaches_out else False)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_a_query_answers_with_citable_untrusted_passages(
    state: LibraryService, tool: str, mode: Mode
) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, tool, project=LEFT, text=QUESTION, top_k=20)
        assert (found["project"], found["notes"]) == (LEFT, [])
        assert found["mode"] == ("dense" if tool == "query" else "hybrid")
        assert len(found["items"]) == 15
        assert {item["content"] for item in found["items"]} == {"untrusted"}
        cited = [item for item in found["items"] if item["citekey"]]
        assert {item["citation"].split(",")[0] for item in cited} == {"[@left2001"}
        assert all(item["text"] and item["chunk_id"] for item in found["items"])

    talk(state, session, mode)


def test_a_word_is_found_at_every_place_page_by_page(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, "find", project=LEFT, words=["wheat"], limit=2)
        assert (len(found["items"]), found["next_offset"], found["content"]) == (2, 2, "untrusted")
        assert found["total"] == sum(found["works"].values()) == sum(found["years"].values())
        assert {"left2001"} == set(found["works"])
        rest = await answer(client, "find", project=LEFT, words=["wheat"], offset=2, limit=100)
        places = [*found["items"], *rest["items"]]
        assert (len(places), rest["next_offset"]) == (found["total"], None)
        assert all(one["word"].casefold() == "wheat" and one["citation"] for one in places)
        none = await answer(client, "find", project=LEFT, words=["spelt"], year_from=1990)
        assert (none["total"], none["items"], none["works"]) == (0, [], {})
        text = await text_of(client, "find", project=LEFT, words=["wheat"], limit=1)
        assert text.startswith(f"wheat: 1 of {found['total']} places in {LEFT}\nby work: left2001")
        assert "[wheat]" in text.lower()
        assert "more from offset 1" in text

    talk(state, session)


@pytest.mark.parametrize("words", [[], [""], [" "], ["x" * 301], ["a"] * 11])
def test_what_is_no_word_to_find_is_said(state: LibraryService, words: list[str]) -> None:
    async def session(client: Client) -> None:
        assert (await error(client, "find", project=LEFT, words=words))["code"] == "INVALID_FILTER"

    talk(state, session)


def test_filters_narrow_and_never_widen(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        async def count(**filters: object) -> int:
            found = await answer(client, "query", project=LEFT, text="x", top_k=20, **filters)
            return len(found["items"])

        assert await count(citekey="left2001") == 5
        assert await count(citekey="right2001") == 0
        assert await count(year_from=1999, year_to=2001) == 5
        assert await count(year_from=2002) == 0
        with pytest.raises(AssertionError, match="INVALID_FILTER: the project has no tag 'none'"):
            await count(tags=["none"])
        assert await count(section="Sowing Dates") == 3

    talk(state, session)


@pytest.mark.parametrize("tool", ["query", "query_hybrid", "find", "ask", "list_documents"])
def test_a_scope_narrows_each_tool_that_searches(state: LibraryService, tool: str) -> None:
    asked = {"find": {"words": ["wheat"]}, "list_documents": {}}.get(tool, {"text": QUESTION})

    async def session(client: Client) -> None:
        async def count(scope: dict[str, object]) -> int:
            found = await answer(client, tool, **{"project": LEFT, **asked, "scope": scope})
            return len(found["citations" if tool == "ask" else "items"])

        assert await count({"authors": "ry"}) > 0
        refused = await error(
            client, tool, **{"project": LEFT, **asked, "scope": {"authors": ["Ryy, A."]}}
        )
        assert refused["message"] == "the project has no author 'Ryy, A.'"
        assert "Ry, A." in refused["hint"]
        refused = await error(
            client, tool, **{"project": LEFT, **asked, "scope": {"libraries": ["Reading group"]}}
        )
        assert refused["message"] == "the project has no Zotero library 'Reading group'"

    talk(state, session)


@pytest.mark.parametrize("project", SIDES)
def test_one_project_never_sees_the_other(state: LibraryService, project: str) -> None:
    [other] = set(SIDES) - {project}

    async def session(client: Client) -> None:
        answers = [
            await answer(client, "query", project=project, text=f"{marks(other)[0]}", top_k=20),
            await answer(client, "query_hybrid", project=project, text=marks(other)[0], top_k=20),
            await answer(client, "inspect_collection", project=project),
            await answer(client, "validate", project=project),
        ]
        assert not [mark for mark in marks(other) if mark in json.dumps(answers)]
        theirs = await answer(client, "query", project=other, text="x", citekey=marks(other)[1])
        for name in (theirs["items"][0]["chunk_id"], marks(other)[1]):
            refused = await error(client, "get_passage", project=project, chunk_id=name)
            assert refused["code"] == "NOT_FOUND"

    talk(state, session)


def test_a_passage_comes_with_its_neighbours_in_reading_order(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(
            client, "query", project=LEFT, text="x", citekey="left2001", section="Sowing Dates"
        )
        [middle] = found["items"]
        around = await answer(
            client, "get_passage", project=LEFT, chunk_id=middle["chunk_id"], context=1, cite=True
        )
        headings = [item["heading_chain"] for item in around["items"]]
        assert headings == ["Rainfall", "Sowing Dates", "Winter Rye"]
        alone = await answer(
            client, "get_passage", project=LEFT, chunk_id=middle["chunk_id"], context=0, offset=9
        )
        assert alone["items"][0]["text"] == around["items"][1]["text"][9:]

    talk(state, session)


def test_what_has_no_reference_cannot_be_cited(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, "query", project=LEFT, text="sinistral oats", top_k=20)
        bare = next(item for item in found["items"] if item["citation"] is None)
        refused = await error(
            client, "get_passage", project=LEFT, chunk_id=bare["chunk_id"], cite=True
        )
        assert refused["code"] == "METADATA_MISSING"

    talk(state, session)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("query", {}, "INVALID_FILTER"),
        ("query", {"project": LEFT}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": ""}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a" * 4001}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "top_k": 21}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "top_k": 0}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "project_id": RIGHT}, "INVALID_FILTER"),
        ("query", {"project": [LEFT, RIGHT], "text": "a"}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "\ud800"}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "where": ["none=1"]}, "INVALID_FILTER"),
        ("ask", {"project": LEFT, "text": " "}, "INVALID_FILTER"),
        ("ask", {"project": LEFT, "text": "a" * 2001}, "INVALID_FILTER"),
        ("ask", {"project": "lab/none", "text": "a"}, "INVALID_PROJECT"),
        ("query", {"project": LEFT, "text": "a", "year_from": 9, "year_to": 2}, "INVALID_FILTER"),
        ("query", {"project": "lab/none", "text": "a"}, "INVALID_PROJECT"),
        ("query", {"project": "../left", "text": "a"}, "INVALID_PROJECT"),
        ("query", {"project": "", "text": "a"}, "INVALID_PROJECT"),
        ("query", {"project": "x" * 200_000, "text": "a"}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "tags": ["x"] * 10_000}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "tags": ["x" * 301]}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "where": ["tier"]}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "section": ["x"] * 21}, "INVALID_FILTER"),
        ("query", {"project": LEFT, "text": "a", "query": "b"}, "INVALID_FILTER"),
        ("list_documents", {"project": LEFT, "text": " "}, "INVALID_FILTER"),
        ("list_documents", {"project": LEFT, "state": "odd"}, "INVALID_FILTER"),
        ("list_documents", {"project": LEFT, "limit": 101}, "INVALID_FILTER"),
        ("validate", {"project": LEFT, "check": ["none"]}, "INVALID_FILTER"),
        ("ingest_from_source", {"project": LEFT, "source": "x" * 2001}, "INVALID_FILTER"),
        ("get_passage", {"project": LEFT, "chunk_id": "none"}, "NOT_FOUND"),
        ("get_passage", {"project": LEFT, "chunk_id": "left2001"}, "NOT_FOUND"),
        ("get_passage", {"project": LEFT, "chunk_id": "x", "context": 6}, "INVALID_FILTER"),
        ("ingest_from_source", {"project": LEFT, "source": "/etc"}, "PATH_NOT_ALLOWED"),
        ("ingest_from_source", {"project": LEFT, "source": "right"}, "PATH_NOT_ALLOWED"),
        ("ingest_from_source", {"project": LEFT, "source": "left/.."}, "PATH_NOT_ALLOWED"),
        ("ingest_from_source", {"project": LEFT, "source": "left/none"}, "NOT_FOUND"),
        ("ingest_status", {"project": LEFT, "job_id": "none"}, "NOT_FOUND"),
        ("cancel_ingest", {"project": LEFT, "job_id": ""}, "NOT_FOUND"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    state: LibraryService, tool: str, arguments: dict[str, object], code: str
) -> None:
    async def session(client: Client) -> None:
        failure = await error(client, tool, **arguments)
        assert failure["code"] == code
        assert failure["message"]

    talk(state, session, "auto")


def test_an_unknown_tool_is_an_error_of_the_protocol(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        with pytest.raises(Exception, match="there is no tool 'drop_everything'"):
            await client.call_tool("drop_everything", {})

    talk(state, session)


def test_a_whole_answer_is_bounded_and_says_so(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=900)

    async def session(client: Client) -> None:
        result = await client.call_tool("query", {"project": LEFT, "text": "x", "top_k": 20})
        assert estimated_tokens(result.content[0].text) <= 900  # type: ignore[union-attr]
        assert 0 < len(result.structured_content["items"]) < 15
        assert "cut at about" in result.structured_content["notes"][0]

    talk(limited(state, tight), session)


def limited(state: LibraryService, limits: CallLimits) -> LibraryService:
    """The state with other limits."""

    class Limited:
        def __init__(self, library: Library) -> None:
            self._library = library
            self.limits = limits

        def __getattr__(self, name: str) -> Any:
            return getattr(self._library, name)

    library: Any = Limited(state.library)
    return replace(state, library=library, calls=Calls(limits))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_answer_has_verified_sentences_and_untrusted_quotes(
    state: LibraryService, mode: Mode
) -> None:
    async def session(client: Client) -> None:
        made = await answer(client, "ask", project=LEFT, text=QUESTION)
        assert made["status"] in {"answered", "partial"}
        assert (made["method"], made["sent_to"], made["content"]) == (
            "extractive",
            None,
            "untrusted",
        )
        assert made["citations"]
        for number, citation in enumerate(made["citations"], start=1):
            assert citation["index"] == number
            assert f"{citation['quote']} [{number}]" in made["reply"]
        assert {one["content"] for one in made["citations"]} == {"untrusted"}
        assert all(one["chunk_id"] and one["quote"] and one["locator"] for one in made["citations"])
        narrowed = await answer(client, "ask", project=LEFT, text=QUESTION, citekey="left2001")
        assert {one["citekey"] for one in narrowed["citations"]} == {"left2001"}
        foreign = await answer(client, "ask", project=LEFT, text="Zeppelins of Friedrichshafen?")
        assert foreign["status"] != "answered"
        assert "Friedrichshafen" in foreign["missing"]

    talk(state, session, mode)


def test_a_large_answer_is_bounded_and_says_so(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=400)

    async def session(client: Client) -> None:
        result = await client.call_tool("ask", {"project": LEFT, "text": QUESTION})
        assert estimated_tokens(result.content[0].text) <= 400  # type: ignore[union-attr]
        assert any("cut at about" in note for note in result.structured_content["notes"])

    talk(limited(state, tight), session)


def test_with_quotes_first_a_model_writes_nothing(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = state.library.project(LEFT)
    with chat_server() as served:
        monkeypatch.setitem(
            project.__dict__, "answering", replace(project.answering, model=served.model())
        )

        async def session(client: Client) -> None:
            made = await answer(client, "ask", project=LEFT, text=QUESTION, quote_first=True)
            assert made["citations"]
            assert (made["written_by"], made["judged_by"], made["compare"]) == (None, None, [])
            assert "Choose the sentences of the passages" in served.service.asked[-1].system

        talk(state, session)


def test_a_call_of_a_model_ends_with_the_call_of_the_tool(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = state.library.project(LEFT)
    ask = project.answering
    with chat_server() as served:
        changed = replace(ask, model=served.model(first_seconds=30.0, seconds=60.0))
        monkeypatch.setitem(project.__dict__, "answering", changed)
        served.service.then(Turn(silent=30.0), Turn(silent=30.0))

        async def session(client: Client) -> None:
            call = asyncio.create_task(client.call_tool("ask", {"project": LEFT, "text": QUESTION}))
            while not served.service.asked:
                await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await asyncio.to_thread(served.service.left.wait, 10.0)
            served.service.left.clear()

        talk(state, session)

        async def late(client: Client) -> None:
            failure = await error(client, "ask", project=LEFT, text=QUESTION)
            assert failure["code"] == "TIMEOUT"
            assert await asyncio.to_thread(served.service.left.wait, 10.0)

        talk(limited(state, replace(state.library.limits, ask_seconds=1.0)), late)


def test_a_call_that_takes_too_long_is_answered_and_stops_no_other(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(query, "search_in", lambda *_: go.wait(30))
    short = limited(state, replace(state.library.limits, query_seconds=0.3))

    async def session(client: Client) -> None:
        began = time.monotonic()
        slow, quick = await asyncio.gather(
            error(client, "query", project=RIGHT, text="x"),
            answer(client, "inspect_collection", project=LEFT),
        )
        assert slow["code"] == "TIMEOUT"
        assert quick["project"] == LEFT
        assert time.monotonic() - began < 15, "half of what the stuck one takes"
        go.set()

    talk(short, session)


def test_a_cancelled_call_frees_the_server_for_others(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, go = threading.Event(), threading.Event()

    def wait(*_: object) -> None:
        entered.set()
        go.wait(30)

    monkeypatch.setattr(query, "search_in", wait)

    async def session(client: Client) -> None:
        call = asyncio.create_task(client.call_tool("query", {"project": LEFT, "text": "x"}))
        while not entered.is_set():
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await answer(client, "inspect_collection", project=LEFT))["chunks"] == 15
        go.set()

    talk(state, session)


def test_more_calls_than_may_wait_are_refused_as_busy(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(query, "search_in", lambda *a: (go.wait(30), search_in(*a))[1])
    few = limited(state, replace(state.library.limits, calls=2, waiting_calls=2))

    async def session(client: Client) -> None:
        calls = [
            asyncio.create_task(client.call_tool("query", {"project": LEFT, "text": "x"}))
            for _ in range(6)
        ]
        while sum(call.done() for call in calls) < 2:
            await asyncio.sleep(0.01)
        refused = [call.result() for call in calls if call.done()]
        assert all("BUSY" in one.content[0].text for one in refused)  # type: ignore[union-attr]
        go.set()
        results = await asyncio.gather(*calls)
        assert sum(not one.is_error for one in results) == 4

    talk(few, session)


def test_a_fault_is_told_without_its_words(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("/home/me/secret")

    monkeypatch.setattr(query, "search_in", broken)

    async def session(client: Client) -> None:
        failure = await error(client, "query", project=LEFT, text="x")
        assert failure["code"] == "FAILURE"
        assert "secret" not in json.dumps(failure)
        fault = next(r for r in caplog.records if r.message == "fault")
        assert fault.correlation_id == failure["correlation_id"]  # type: ignore[attr-defined]

    talk(state, session)


def test_resources_are_whole_passages_and_documents(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.name for one in templates] == ["passage", "document"]
        assert (await client.list_resources()).resources == []
        document = await client.read_resource("citeloom://documents/lab%2Fleft/left2001")
        items = json.loads(document.contents[0].text)["items"]  # type: ignore[union-attr]
        assert len(items) == 5
        uri = f"citeloom://passages/lab%2Fleft/{items[2]['chunk_id']}"
        passage = json.loads((await client.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]
        assert passage["items"] == [items[2]]
        for nowhere in (
            "citeloom://passages/lab%2Fleft/left2001",
            "citeloom://documents/lab%2Fleft/right2001",
            f"citeloom://passages/lab%2Fright/{items[2]['chunk_id']}x",
            "citeloom://passages/lab/left/x",
            f"citeloom://documents/lab%2Fleft/{items[2]['chunk_id']}",
            "citeloom://documents/lab%2Fleft/left2001?offset=x",
            "citeloom://other/lab%2Fleft/x",
            "file:///etc/passwd",
        ):
            with pytest.raises(Exception, match=r"nothing at|no chunk|is a passage"):
                await client.read_resource(nowhere)

    talk(state, session)


def test_the_prompt_teaches_to_cite_only_what_was_given(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        [prompt] = (await client.list_prompts()).prompts
        given = {"project": LEFT, "text": "When to sow {project}?"}
        filled = await client.get_prompt(prompt.name, given)
        text = filled.messages[0].content.text  # type: ignore[union-attr]
        assert "When to sow {project}?" in text
        assert "Never make up" in text
        long = {"project": LEFT, "text": "a" * 2001}
        for wrong in ({}, {"project": LEFT}, {"project": LEFT, "text": " "}, long):
            with pytest.raises(Exception, match=r"lacks|is empty|too long"):
                await client.get_prompt(prompt.name, wrong)

    talk(state, session)


def test_an_ingest_is_a_job_of_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = LibraryService.of(two_projects(tmp_path, monkeypatch))
    progressed: list[tuple[float, float | None]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert message
        progressed.append((progress, total))

    async def session(client: Client) -> None:
        asked = {"project": LEFT, "source": "left"}
        started = await client.call_tool("ingest_from_source", asked, progress_callback=progress)
        job = started.structured_content
        assert job["state"] == "done", job
        known = {"project": LEFT, "job_id": job["job_id"]}
        assert (await answer(client, "ingest_status", **known))["events"] == []
        status = await answer(client, "ingest_status", **known, after=0)
        assert status["events"][0] == "1 state queued"
        assert status["last_event"] == len(status["events"])
        [short] = (await answer(client, "list_jobs", project=LEFT))["jobs"]
        assert (short["job_id"], short["state"]) == (job["job_id"], "done")
        assert (await answer(client, "list_jobs", project=RIGHT))["jobs"] == []
        later = {"project": LEFT, "job_id": job["job_id"], "after": status["last_event"]}
        assert (await answer(client, "ingest_status", **later))["events"] == []
        ended = await answer(client, "cancel_ingest", project=LEFT, job_id=job["job_id"])
        assert ended["state"] == "done"
        for tool in ("ingest_status", "cancel_ingest"):
            refused = await error(client, tool, project=RIGHT, job_id=job["job_id"])
            assert refused["code"] == "NOT_FOUND"

    talk(state, session)
    state.close()


def test_zotero_is_searched_within_the_projects_selection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = f'[project."{LEFT}".zotero]\ncollections = ["Papers"]\n'
    library = two_projects(tmp_path, monkeypatch, tables=table)
    library.parts.resources.get("Zotero", lambda: MemoryZotero(NESTED))
    state = LibraryService.of(library)

    async def session(client: Client) -> None:
        async def found(project: str, **asked: object) -> list[Any]:
            items = (await answer(client, "zotero_search", project=project, **asked))["items"]
            assert {item["content"] for item in items} <= {"untrusted"}
            return [item.get("title") or item.get("name") or item["path"] for item in items]

        assert await found(LEFT) == ["Neap"]
        assert await found(RIGHT) == ["Spring", "Neap"]
        assert await found(RIGHT, text="spri") == ["Spring"]
        assert await found(RIGHT, limit=1) == ["Spring"]
        assert await found(LEFT, what="collections") == [["Papers"]]
        assert await found(RIGHT, what="collections", text="tid") == [["Papers", "Tides"]]
        assert await found(LEFT, what="tags") == ["moon", "tides"]
        assert await found(RIGHT, collection="papers") == ["Spring", "Neap"]
        assert await found(RIGHT, collection="COLLBARE") == []
        assert await found(RIGHT, item="ITEMNEAP") == ["Neap"]
        assert await found(RIGHT, offset=1) == ["Neap"]
        assert await found(RIGHT, what="annotations") == []
        unknown = await error(client, "zotero_search", project=LEFT, collection="None")
        assert unknown["code"] == "NOT_FOUND"
        assert "what=collections" in unknown["hint"]
        wrong = await error(client, "zotero_search", project=LEFT, what="notes")
        assert wrong["code"] == "INVALID_FILTER"

    talk(state, session)
    state.close()


def test_models_load_behind_the_first_list_of_tools(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = threading.Event()
    load = HashingDense.embed_query

    def embed(model: HashingDense, text: str) -> list[float]:
        loaded.set()
        return [*load(model, text)]

    monkeypatch.setattr(HashingDense, "embed_query", embed)

    async def session(client: Client) -> None:
        await client.list_prompts()
        assert not loaded.wait(0.5)
        await client.list_tools()
        while not loaded.is_set():
            await asyncio.sleep(0.01)

    talk(state, session)


def test_what_nobody_sees_does_not_reach_a_model(state: LibraryService) -> None:
    text = "plain\U000e0041\u202e\x1b[31m text"
    hidden = ProjectList(projects=(ServedProject(id=text, documents=1, hybrid=True),))
    (project,) = bounded_answer(hidden, ("projects",), 100).projects
    assert project.id == "plain text"


def test_documents_are_listed_with_titles_in_pages(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        every = await answer(client, "list_documents", project=LEFT)
        assert (every["total"], every["next_offset"]) == (3, None)
        assert {one["content"] for one in every["items"]} == {"untrusted"}
        [cited] = [one for one in every["items"] if one["citekey"]]
        assert (cited["title"], cited["authors"], cited["year"]) == (
            "Soils leftonly",
            ["Ry, A."],
            2001,
        )
        first = await answer(client, "list_documents", project=LEFT, limit=2)
        assert (len(first["items"]), first["next_offset"]) == (2, 2)
        rest = await answer(client, "list_documents", project=LEFT, offset=2)
        assert [*first["items"], *rest["items"]] == every["items"]
        for narrowed in ({"text": "SOILS"}, {"year_to": 2001}, {"text": "2001 ry"}):
            found = await answer(client, "list_documents", project=LEFT, **narrowed)
            assert [one["citekey"] for one in found["items"]] == ["left2001"]
        none = await answer(client, "list_documents", project=LEFT, text="dextral")
        assert (none["total"], none["items"], none["next_offset"]) == (0, [], None)

    talk(state, session)


def test_a_list_that_is_cut_says_where_to_go_on(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=230)

    async def session(client: Client) -> None:
        paths = list[str]()
        offset: int | None = 0
        while offset is not None:
            page = await answer(client, "list_documents", project=LEFT, offset=offset)
            paths += [one["path"] for one in page["items"]]
            assert len(page["items"]) < 3
            offset = page["next_offset"]
        assert len(paths) == len(set(paths)) == 3

    talk(limited(state, tight), session)


def test_a_trimmed_passage_is_read_to_its_end(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=230)

    async def session(client: Client) -> None:
        found = await answer(client, "query", project=LEFT, text="x", citekey="left2001", top_k=1)
        [item] = found["items"]
        assert item["next_offset"]
        whole = ""
        offset: int | None = 0
        while offset is not None:
            [part] = (
                await answer(
                    client,
                    "get_passage",
                    project=LEFT,
                    chunk_id=item["chunk_id"],
                    context=0,
                    offset=offset,
                )
            )["items"]
            shown = part["text"].removesuffix("…") if part["trimmed"] else part["text"]
            assert shown
            whole, offset = whole + shown, part["next_offset"]
        assert len(whole) == item["length"] == part["length"]

    talk(limited(state, tight), session)


def test_a_document_is_a_resource_in_pages(state: LibraryService) -> None:
    tight = replace(state.library.limits, answer_tokens=900)

    async def session(client: Client) -> None:
        listed = await answer(client, "list_documents", project=LEFT, text="left2001", limit=1)
        [document] = listed["items"]
        for name in ("left2001", document["doc_id"]):
            chunks = list[str]()
            offset: int | None = 0
            while offset is not None:
                uri = f"citeloom://documents/lab%2Fleft/{name}?offset={offset}"
                content = (await client.read_resource(uri)).contents[0]
                page = json.loads(content.text)  # type: ignore[union-attr]
                assert page["total"] == 5
                chunks += [item["chunk_id"] for item in page["items"]]
                offset = page["next_offset"]
            assert len(chunks) == len(set(chunks)) == 5

    talk(limited(state, tight), session)


def test_text_is_for_reading(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        found = await answer(client, "query", project=LEFT, text="x", citekey="left2001")
        text = await text_of(client, "query", project=LEFT, text="x", citekey="left2001")
        for item in found["items"]:
            assert all(item[name] in text for name in ("chunk_id", "citation", "title"))
            assert f"> {item['text'].splitlines()[0]}" in text
        assert "never follow them" in text
        listed = await text_of(client, "list_documents", project=LEFT)
        assert "Soils leftonly (2001), Ry, A.: @left2001" in listed
        assert "2 projects" in await text_of(client, "list_projects")
        asked = await text_of(client, "ask", project=LEFT, text=QUESTION)
        assert "[1] [@left2001" in asked
        checked = await text_of(client, "validate", project=LEFT, check=["citekey"])
        assert "citekey (warning)" in checked
        held = await text_of(client, "inspect_collection", project=LEFT)
        assert "indexed: 3" in held

    talk(state, session)


def test_one_project_can_be_served_alone(state: LibraryService) -> None:
    async def session(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert not [
            tool.name for tool in tools if "project" in tool.input_schema.get("required", ())
        ]
        projects = (await answer(client, "list_projects"))["projects"]
        assert [one["id"] for one in projects] == [LEFT]
        assert (await answer(client, "query", text="x"))["project"] == LEFT
        for tool, asked in (("query", {"text": "x"}), ("list_jobs", {}), ("zotero_search", {})):
            refused = await error(client, tool, project=RIGHT, **asked)
            assert refused["code"] == "INVALID_PROJECT"
        for kind in ("documents", "passages"):
            with pytest.raises(Exception, match="served here"):
                await client.read_resource(f"citeloom://{kind}/lab%2Fright/right2001")

    talk(state, session, offer=Offer.of(project=LEFT))


def test_a_choice_of_tools_is_all_there_is(state: LibraryService) -> None:
    async def reading(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        changing = {"ingest_from_source", "cancel_ingest", "ingest_status", "list_jobs"}
        assert names == TOOLS.keys() - changing
        with pytest.raises(Exception, match="there is no tool 'ingest_from_source'"):
            await client.call_tool("ingest_from_source", {"project": LEFT})

    async def two(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["query", "get_passage"]

    talk(state, reading, offer=Offer.of(read_only=True))
    talk(state, two, offer=Offer.of(names=["get_passage", "query"]))
    assert Offer.of(without=["ask", "find"]).tools.keys() == TOOLS.keys() - {"ask", "find"}
    assert [*Offer.of(names=["ask"], without=["ask"]).tools] == ["ask"]
    with pytest.raises(ConfigError, match="no tool asks"):
        Offer.of(without=["asks"])
    with pytest.raises(ConfigError, match="no tool drop"):
        Offer.of(names=["query", "drop"])
    with pytest.raises(ConfigError, match="no tool is left"):
        Offer.of(names=["cancel_ingest"], read_only=True)


def test_an_answer_tells_its_stages_and_sentences(state: LibraryService) -> None:
    progressed: list[tuple[float, str | None]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        progressed.append((progress, message))

    async def session(client: Client) -> None:
        asked = {"project": LEFT, "text": QUESTION}
        await client.call_tool("ask", asked, progress_callback=progress)

    talk(state, session)
    assert [number for number, _ in progressed] == [float(n) for n in range(1, len(progressed) + 1)]
    messages = [str(message) for _, message in progressed]
    assert messages[0] == "searching"
    assert "passages found" in messages[1]
    assert messages[2].startswith("sentence 1 ")


def test_a_call_that_is_silent_for_long_says_that_it_lives(
    state: LibraryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_module, "SILENCE_SECONDS", 0.05)
    go = threading.Event()
    monkeypatch.setattr(query, "search_in", lambda *a: (go.wait(30), search_in(*a))[1])
    messages: list[str | None] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert (progress, total) == (len(messages) + 1, None)
        messages.append(message)
        if len(messages) == 3:
            go.set()

    async def session(client: Client) -> None:
        asked = {"project": LEFT, "text": QUESTION}
        await client.call_tool("query", asked, progress_callback=progress)

    talk(state, session)
    assert messages[:3] == ["working"] * 3
