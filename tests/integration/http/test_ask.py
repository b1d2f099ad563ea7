"""Answers over HTTP: the same as on the command line, whole or sentence by sentence."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from starlette.testclient import TestClient

from citeloom.application.limits import CallLimits
from citeloom.infrastructure.answers.ask import AskAnswer
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http import responses as answering
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from tests.described import as_json
from tests.e2e.papers import BRIDGES
from tests.fakes.chat_server import ServedChat, Turn, error
from tests.integration.http.conftest import (
    ONE,
    PATIENCE,
    TWO,
    Events,
    ask_and_leave,
    client_of,
    events_of,
)
from tests.integration.http.test_misdeeds import code

QUESTION = "Where do swallows nest?"
FOREIGN = "Which soprano sang Tosca in Rome?"
BODY = {"project": ONE, "text": QUESTION}
CHANGING = frozenset("duration_ms correlation_id id query_id query timestamp notes".split())


def asked(client: TestClient, **more: object) -> Any:
    answer = client.post("/api/v1/ask", json={**BODY, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def streamed(client: TestClient, **more: object) -> Events:
    """The events of an answer."""
    headers = {"accept": "text/event-stream"}
    answer = client.post("/api/v1/ask", json={**BODY, **more}, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
    return events_of(answer.text)


def test_an_answer_is_that_of_the_library_without_places_of_files(
    client: TestClient, library: Library, folder: Path
) -> None:
    project = library.project(ONE)
    expected: Any = as_json(AskAnswer.of(project.ask(QUESTION)), library.info.base_dir)
    for citation in expected["citations"]:
        citation["links"] |= {"file": None, "pdf": None}
    answer = asked(client)
    assert list(answer) == list(expected)
    assert {k: v for k, v in answer.items() if k not in CHANGING} == {
        k: v for k, v in expected.items() if k not in CHANGING
    }
    assert answer["status"] == "answered"
    assert str(folder) not in json.dumps(answer)


def test_an_answer_has_the_fields_of_a_chatbot(client: TestClient) -> None:
    answer = asked(client)
    query = answer["query"]
    assert (query["text"], query["session_id"]) == (QUESTION, None)
    assert UUID(answer["id"]) != UUID(answer["query_id"]) == UUID(query["id"])
    assert query["timestamp"] <= answer["timestamp"]
    assert answer["retrieved_chunks"]
    for number, citation in enumerate(answer["citations"], start=1):
        assert citation["index"] == number
        assert citation["source"] == citation["source_path"]
        assert citation["title"]
        assert citation["section"]
        assert 0 < citation["relevance_score"] <= 1


def test_an_unknown_shape_is_refused(client: TestClient) -> None:
    refused = client.post("/api/v1/ask", json={**BODY, "as": "reply"})
    assert (refused.status_code, refused.json()["code"]) == (422, "INVALID_FILTER")


def test_an_answer_comes_sentence_by_sentence(client: TestClient) -> None:
    events = streamed(client)
    (kind, found), *sentences, (last, answer) = events
    assert (kind, last) == ("passages", "answer")
    assert found["verdict"] == answer["verdict"]
    assert [one["chunk_id"] for one in found["items"]] == answer["retrieved_chunks"]
    assert {one["links"]["file"] for one in found["items"]} == {None}
    assert {kind for kind, _ in sentences} == {"sentence"}
    parts = [one for _, one in sentences]
    assert [(one["text"], one["citations"]) for one in parts] == [
        (one["text"], one["citations"]) for one in answer["sentences"]
    ]
    assert [new for one in parts for new in one["new_citations"]] == answer["citations"]
    assert all(one["verified"] for one in parts)
    assert client.post("/api/v1/ask", json={**BODY, "stream": True}).text.startswith("event: pass")


def test_a_question_of_another_field_is_refused_with_what_is_missing(client: TestClient) -> None:
    (kind, found), (last, answer) = streamed(client, text=FOREIGN)
    assert (kind, last) == ("passages", "answer")
    assert found["verdict"] == answer["verdict"] == "nothing"
    assert answer["status"] == "nothing_relevant"
    assert "Tosca" in answer["relevance"]["missing"]


def test_a_query_may_have_a_floor(client: TestClient) -> None:
    body = {"project": ONE, "text": FOREIGN}
    for floor, is_empty in ((True, True), (False, False)):
        found = client.post("/api/v1/query", json={**body, "floor": floor}).json()
        assert (found["items"] == []) is is_empty
    assert found["notes"] == []


def test_filters_narrow_what_is_answered_from(client: TestClient) -> None:
    answer = asked(client, citekey=BRIDGES.citekey, top_k=2)
    assert {one["citekey"] for one in answer["citations"]} == {BRIDGES.citekey}
    assert len(answer["retrieved_chunks"]) <= 2
    refused = client.post("/api/v1/ask", json={**BODY, "where": ["nothing<=2"]})
    assert code(refused) == (422, "INVALID_FILTER")
    refused = client.post("/api/v1/query", json={"project": ONE, "text": "x", "where": ["?"]})
    assert code(refused) == (422, "INVALID_FILTER")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"text": ""}, 422),
        ({"text": " \n"}, 422),
        ({"text": "x" * 2001}, 422),
        ({"text": None}, 422),
        ({"top_k": 0}, 422),
        ({"project": "hidden"}, 404),
        ({"unknown": 1}, 422),
        ({"stream": "sometimes"}, 422),
        ({"where": ["x"] * 21}, 422),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_cannot_be_answered_is_refused_before_anything_is_sent(
    client: TestClient, change: dict[str, Any], status: int, stream: bool
) -> None:
    answer = client.post("/api/v1/ask", json={**BODY, "stream": stream, **change})
    assert code(answer)[0] == status


def test_no_sentence_is_sent_that_is_not_verified(client: TestClient, writing: ServedChat) -> None:
    events = streamed(client)
    kinds = [kind for kind, _ in events]
    assert kinds == ["passages", "sentence", "sentence", "answer"]
    answer = events[-1][1]
    assert (answer["status"], answer["left_out"]) == ("partial", {"not_in_passage": 1})
    assert answer["sent_to"] == writing.host
    assert "Everybody knows" not in json.dumps(events)


def test_with_quotes_first_a_model_writes_nothing(client: TestClient, writing: ServedChat) -> None:
    sentences = asked(client, quote_first=True)["sentences"]
    assert sentences
    assert {one["kind"] for one in sentences} == {"quotation"}
    prompt = writing.service.asked[-1].system
    assert "Choose the sentences of the passages" in prompt
    asked(client)
    assert "Choose the sentences" not in writing.service.asked[-1].system


def test_while_a_model_is_silent_the_stream_is_not(
    client: TestClient, writing: ServedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "HEARTBEAT_SECONDS", 0.1)
    writing.service.then(Turn(silent=1.0))
    text = client.post("/api/v1/ask", json={**BODY, "stream": True}).text
    assert ": still writing\n\n" in text
    assert events_of(text)[-1][0] == "answer"


def test_an_error_before_the_first_event_has_its_status_and_one_behind_it_is_an_event(
    client: TestClient, writing: ServedChat, library: Library
) -> None:
    writing.service.then(Turn(status=404, body=error(f"no model below {library.info.base_dir}")))
    (_, _), (kind, problem) = streamed(client)
    assert (kind, problem["code"], problem["status"]) == ("error", "MODEL_UNAVAILABLE", 503)
    assert problem["correlation_id"]
    assert str(library.info.base_dir) not in json.dumps(problem)
    writing.service.then(Turn(status=404, body=error("no model")))
    assert code(client.post("/api/v1/ask", json=BODY)) == (503, "MODEL_UNAVAILABLE")


def test_a_fault_ends_a_stream_without_its_words(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("citeloom.application.answering.ask.choose_excerpts", broken)
    (_, _), (kind, problem) = streamed(client)
    assert (kind, problem["code"]) == ("error", "UNEXPECTED")
    assert "secret" not in json.dumps(problem)


def test_an_answer_that_takes_too_long_ends_with_the_call_of_its_model(
    service: ServedLibrary, library: Library, writing: ServedChat
) -> None:
    writing.service.then(Turn(silent=PATIENCE), Turn(silent=PATIENCE))
    with client_of(_with_limits(service, library, CallLimits(ask_seconds=1.0))) as client:
        assert code(client.post("/api/v1/ask", json=BODY)) == (504, "TIMEOUT")
        assert writing.service.left.wait(PATIENCE)
        assert streamed(client)[-1][1]["code"] == "TIMEOUT"


def test_a_sentence_is_there_before_the_model_has_ended_and_queries_need_not_wait(
    http: httpx.Client, writing: ServedChat
) -> None:
    asked = threading.Event()
    writing.service.then(Turn(change=lambda events: chain(events[:-3], _after(asked), events[-3:])))
    with http.stream("POST", "ask", json={**BODY, "stream": True}) as answer:
        lines = answer.iter_lines()
        assert "event: sentence" in lines
        found = http.post("query", json={"project": TWO, "text": "ferries"})
        assert found.json()["items"]
        asked.set()
        assert "event: answer" in lines


@pytest.mark.parametrize("stream", [False, True])
def test_the_call_of_a_model_ends_with_its_client(
    http: httpx.Client, writing: ServedChat, service: ServedLibrary, stream: bool
) -> None:
    writing.service.then(Turn(silent=PATIENCE))
    ask_and_leave(http, "ask", {**BODY, "stream": stream}, writing)
    assert writing.service.left.wait(PATIENCE - 5)
    until = time.monotonic() + PATIENCE
    while service.answers.running and time.monotonic() < until:
        time.sleep(0.02)
    assert service.answers.running == 0


def _after(event: threading.Event) -> Iterator[bytes]:
    event.wait(PATIENCE)
    yield b": still writing\n\n"


def _with_limits(service: ServedLibrary, library: Library, limits: CallLimits) -> ServedLibrary:
    class Limited:
        def __init__(self) -> None:
            self.limits = limits

        def __getattr__(self, name: str) -> Any:
            return getattr(library, name)

    limited: Any = Limited()
    return ServedLibrary(
        library=limited, jobs=service.jobs, projects=service.projects, calls=Calls(limits)
    )
