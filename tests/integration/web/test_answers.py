"""Answers and conversations in the reading room."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.web.conftest import csrf_of

QUESTION = "How many nests were counted under the bridges?"
NONSENSE = "Which zeppelin won the regatta?"


def send(room: TestClient, question: str, session: str = "new") -> str:
    """Send a question of a conversation, and return the address of the page that answers it."""
    csrf = csrf_of(room.get("/chat").text)
    answer = room.post("/chat", data={"csrf": csrf, "text": question, "session_id": session})
    assert answer.status_code == 303
    return str(answer.headers["location"])


@pytest.fixture
def session(room: TestClient) -> Iterator[str]:
    """A conversation with one question."""
    page = room.get(send(room, QUESTION)).text
    match = re.search(r'data-address="/chat/([^?"]+)', page)
    assert match is not None
    yield match[1]
    csrf = csrf_of(room.get("/chat").text)
    room.post(f"/chat/{match[1]}/delete", data={"csrf": csrf})


def test_each_sentence_of_an_answer_leads_to_its_words(room: TestClient) -> None:
    page = room.get("/ask", params={"text": QUESTION}).text
    sentences = re.findall(r'class="sentence', page)
    cited = re.findall(r'class="cite" href="(/passages/[^"]+)"', page)
    assert sentences
    assert len(cited) >= len(sentences)
    assert all("words=" in address for address in cited)
    assert "Nothing left this machine." in page


def test_what_the_library_does_not_speak_of_is_said(room: TestClient) -> None:
    page = room.get("/ask", params={"text": NONSENSE}).text
    assert 'class="sentence' not in page
    assert "Nowhere in the library:" in page
    assert "zeppelin" in page.split("Nowhere in the library:")[1]


def test_a_link_on_another_site_asks_nothing(room: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    page = room.get("/ask", params={"text": QUESTION}, headers=headers).text
    assert 'class="answer"' not in page
    assert QUESTION in page


def test_markup_in_a_question_stays_text(room: TestClient) -> None:
    page = room.get("/ask", params={"text": "<img src=x> nests?"}).text
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page


def test_a_question_of_a_conversation_is_asked_once(room: TestClient, session: str) -> None:
    address = send(room, "And who counted them?", session)
    first = room.get(address).text
    again = room.get(address).text
    assert first.count('class="answer"') == 2
    assert again.count("<article") == 2
    assert again.count("And who counted them?") >= 1


def test_a_conversation_is_listed_exported_and_deleted(room: TestClient, session: str) -> None:
    assert f"/chat/{session}" in room.get("/chat").text
    exported = room.get(f"/chat/{session}/markdown")
    assert exported.headers["content-type"].startswith("text/markdown")
    assert QUESTION in exported.text
    csrf = csrf_of(room.get("/chat").text)
    assert room.post(f"/chat/{session}/delete", data={"csrf": csrf}).status_code == 303
    assert room.get(f"/chat/{session}").status_code == 404


def test_a_question_that_was_never_sent_is_not_asked(room: TestClient) -> None:
    answer = room.get("/chat/new", params={"question": "invented"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/chat?project=lab%2Fone")


def test_a_form_without_the_token_of_its_session_changes_nothing(room: TestClient) -> None:
    room.get("/chat")
    for csrf in ("", "0" * 64):
        assert room.post("/chat", data={"csrf": csrf, "text": QUESTION}).status_code == 403
    assert room.post("/chat", data={"text": QUESTION}).status_code == 403


def test_an_empty_question_is_refused(room: TestClient) -> None:
    csrf = csrf_of(room.get("/chat").text)
    assert room.post("/chat", data={"csrf": csrf, "text": "  "}).status_code == 422


def test_a_read_only_room_takes_no_question_of_a_conversation(
    room: TestClient, service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    csrf = csrf_of(room.get("/chat").text)
    options = ServerOptions(read_only=True)
    monkeypatch.setattr(type(service.library), "server", property(lambda _: options))
    assert room.post("/chat", data={"csrf": csrf, "text": QUESTION}).status_code == 403
    assert "<textarea" not in room.get("/chat").text
