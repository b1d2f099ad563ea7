"""Conversations over HTTP: questions that follow one another, and the sessions they are kept in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.e2e.papers import BRIDGES
from tests.fakes.chat_server import ServedChat, Turn
from tests.integration.http.conftest import HIDDEN, ONE, PATIENCE, TWO, ask_and_leave, events_of
from tests.integration.http.test_misdeeds import code
from tests.integration.http.test_routes import got, refused

QUESTION = "Where do swallows nest on bridges?"
FOLLOW_UP = "And why do they nest there?"
BODY = {"project": ONE, "text": QUESTION}
ANSWER_ALONE = {"session_id", "asked", "follow_up"}


@pytest.fixture(autouse=True)
def without_sessions(service: ServedLibrary) -> Iterator[None]:
    """No session is left behind."""
    yield
    for project in (ONE, TWO):
        kept = service.project(project).sessions
        for session in kept.listed():
            kept.delete(session.id)


def asked(client: TestClient, **more: object) -> Any:
    answer = client.post("/api/v1/chat", json={**BODY, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def sessions(client: TestClient, project: str = ONE) -> list[str]:
    return [one["id"] for one in got(client, "chat/sessions", project=project)["items"]]


def test_a_follow_up_is_answered_with_regard_to_what_was_asked_before(client: TestClient) -> None:
    first = asked(client)
    assert (first["asked"], first["follow_up"]["method"]) == (QUESTION, "none")
    assert first["query"] == {
        "id": first["query_id"],
        "text": QUESTION,
        "timestamp": first["query"]["timestamp"],
        "session_id": first["session_id"],
    }
    assert UUID(first["id"]) != UUID(first["query_id"])
    assert first["citations"][0]["relevance_score"] > 0
    second = asked(client, text=FOLLOW_UP, session_id=first["session_id"])
    assert second["session_id"] == first["session_id"]
    assert (second["question"], second["follow_up"]["method"]) == (FOLLOW_UP, "carried")
    assert "swallows" in second["asked"]
    alone = client.post("/api/v1/ask", json=BODY).json()
    assert set(first) - set(alone) == ANSWER_ALONE


def test_with_quotes_first_a_model_writes_nothing(client: TestClient, writing: ServedChat) -> None:
    made = asked(client, quote_first=True)
    assert {one["kind"] for one in made["sentences"]} == {"quotation"}
    assert "Choose the sentences of the passages" in writing.service.asked[-1].system


def test_a_session_is_listed_shown_exported_and_deleted(client: TestClient, folder: Path) -> None:
    session = asked(client)["session_id"]
    asked(client, text=FOLLOW_UP, session_id=session)
    other = asked(client, text="Why do tiles crack?")["session_id"]
    assert sessions(client) == [other, session]
    page = got(client, "chat/sessions", project=ONE, limit=1, offset=1)
    assert (page["total"], page["count"], page["items"][0]["asked"]) == (2, 1, 2)
    shown = got(client, f"chat/sessions/{session}", project=ONE)
    assert [turn["question"] for turn in shown["turns"]] == [QUESTION, FOLLOW_UP]
    assert shown["title"] == QUESTION
    assert {one["links"]["file"] for turn in shown["turns"] for one in turn["citations"]} == {None}
    export = client.get(f"/api/v1/chat/sessions/{session}/export", params={"project": ONE})
    assert export.headers["content-type"].startswith("text/markdown")
    assert f"[@{BRIDGES.citekey}, p. " in export.text
    assert str(folder) not in json.dumps(shown) + export.text
    gone = client.delete(f"/api/v1/chat/sessions/{session}", params={"project": ONE})
    assert (gone.status_code, gone.content) == (204, b"")
    assert sessions(client) == [other]
    assert refused(client, f"chat/sessions/{session}", project=ONE) == (404, "NOT_FOUND")


def test_a_session_belongs_to_its_project(client: TestClient) -> None:
    session = asked(client)["session_id"]
    assert sessions(client, TWO) == []
    for path in (f"chat/sessions/{session}", f"chat/sessions/{session}/export"):
        assert refused(client, path, project=TWO) == (404, "NOT_FOUND")
        assert refused(client, path, project=HIDDEN) == (404, "INVALID_PROJECT")
    body = {"project": TWO, "text": FOLLOW_UP, "session_id": session}
    assert code(client.post("/api/v1/chat", json=body)) == (404, "NOT_FOUND")
    assert code(client.post("/api/v1/chat", json={**body, "stream": True})) == (404, "NOT_FOUND")
    gone = client.delete(f"/api/v1/chat/sessions/{session}", params={"project": TWO})
    assert code(gone) == (404, "NOT_FOUND")
    assert sessions(client) == [session]


def test_an_answer_comes_as_events_and_is_kept(client: TestClient, writing: ServedChat) -> None:
    text = client.post("/api/v1/chat", json={**BODY, "stream": True}).text
    kinds = [kind for kind, _ in events_of(text)]
    assert kinds == ["passages", "sentence", "sentence", "answer"]
    answer = events_of(text)[-1][1]
    assert answer["sent_to"] == writing.host
    (turn,) = got(client, f"chat/sessions/{answer['session_id']}", project=ONE)["turns"]
    assert (turn["id"], turn["text"]) == (answer["id"], answer["text"])


def test_a_question_whose_client_is_gone_is_not_kept(
    http: httpx.Client, writing: ServedChat, service: ServedLibrary
) -> None:
    writing.service.then(Turn(silent=PATIENCE))
    ask_and_leave(http, "chat", {**BODY, "stream": True}, writing)
    assert writing.service.left.wait(PATIENCE - 5)
    assert http.get("chat/sessions", params={"project": ONE}).json()["items"] == []
    assert service.project(ONE).sessions.listed() == []
