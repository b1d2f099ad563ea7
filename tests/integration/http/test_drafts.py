"""Drafts over HTTP: cited, checked, supported; and a literature matrix."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from http.client import HTTPConnection
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from citeloom.application.limits import CallLimits, ServerOptions
from citeloom.infrastructure.answers.draft_checks import DraftChecks
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.gate import MAX_BODY_BYTES
from citeloom.infrastructure.interfaces.http.http_server import HttpServer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.settings.tables import DraftsTable
from tests.described import as_json
from tests.e2e.papers import BRIDGES, CLAY
from tests.e2e.processes import wait_until
from tests.fakes.costly_drafts import COSTLY, ENDLESS, programs_of
from tests.integration.http.conftest import ONE, PATIENCE, TWO, client_of

QUOTE = "Repainting in June destroys most broods of a year"
DRAFT = f"""It is said that "{QUOTE}" [@moreau2015, p. 2].

Also "{QUOTE.replace("June", "July")}" [@moreau2015, p. 2], and "{QUOTE}" [@tanaka2017].
"""
CLAIM = "Tiles of river clay were left on shelves for twelve days."


def made(client: TestClient, path: str, **body: object) -> Any:
    """The JSON of an answer, which keeps to its description."""
    answer = client.post(f"/api/v1/{path}", json={"project": ONE, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_check_is_that_of_the_library(client: TestClient, library: Library) -> None:
    project = library.project(ONE)
    expected: Any = as_json(DraftChecks.of(project.check_drafts(project.read_text(DRAFT))))
    answer = made(client, "check", text=DRAFT)
    assert answer == expected
    assert [one["verdict"] for one in answer["checks"]] == ["exact", "near", "other_work"]
    assert answer["checks"][2]["found"]["citekey"] == BRIDGES.citekey
    assert (answer["passed"], answer["citations"]) == (False, 3)


def test_a_check_knows_nothing_of_another_project(client: TestClient) -> None:
    answer = made(client, "check", project=TWO, text=DRAFT)
    assert {one["verdict"] for one in answer["checks"]} == {"unverifiable"}
    assert all(one["found"] is None for one in answer["checks"])


def test_citations_are_formatted(client: TestClient) -> None:
    names = [f"[@{CLAY.citekey}, p. 2]"]
    styled = made(client, "cite", names=names, style="chicago-author-date")
    assert styled["text"].startswith("(Tanaka 2017, 2)\n\nTanaka, Ada. 2017.")
    assert made(client, "cite", names=names, format="typst")["text"] == (
        "#cite(<tanaka2017>, supplement: [p. 2])"
    )
    german = made(client, "cite", names=names, style="chicago-author-date", locale="de-DE")
    assert german["format"] == "text"


def test_support_has_no_links_to_files(client: TestClient) -> None:
    answer = made(client, "support", text=f"{CLAIM} Copper is mined on the moon.", top_k=1)
    assert answer["counts"] == {"supported": 1, "likely": 0, "related": 0, "nothing": 1}
    [passage] = answer["sentences"][0]["passages"]
    assert passage["citation"] == "[@tanaka2017, p. 1]"
    assert passage["links"]["file"] is None
    elsewhere = made(client, "support", text=CLAIM, citekey=BRIDGES.citekey)
    assert elsewhere["counts"]["supported"] == 0


def test_a_matrix_has_works_down_and_questions_across(client: TestClient) -> None:
    questions = ["How long were tiles dried?", "Where do swallows nest?"]
    answer = made(client, "matrix", questions=questions, works=[CLAY.citekey])
    assert answer["questions"] == questions
    [work] = answer["works"]
    passage = work["cells"][0]["passage"]
    assert "shelves for twelve days" in passage["text"]
    assert passage["links"]["file"] is None
    assert len(made(client, "matrix", questions=questions[:1])["works"]) == 2


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("check", {"text": DRAFT, "project": "hidden"}, 404),
        ("check", {"text": DRAFT, "format": "docx"}, 422),
        ("check", {"text": DRAFT, "path": "/etc/passwd"}, 422),
        ("check", {"text": "x" * 50_001}, 422),
        ("check", {"text": "x" * MAX_BODY_BYTES}, 413),
        ("cite", {"names": ["nobody1900"]}, 404),
        ("cite", {"names": ["moreau2015"], "style": "/tmp/own.csl"}, 422),
        ("cite", {"names": ["moreau2015"], "style": "appa"}, 404),
        ("cite", {"names": ["moreau2015"], "locale": "de-DE --lua-filter=x"}, 422),
        ("support", {"text": "x" * 20_001}, 422),
        ("support", {"text": CLAIM, "lines": [0]}, 422),
        ("matrix", {"questions": []}, 422),
        ("matrix", {"questions": ["Why?"], "works": ["nobody1900"]}, 404),
    ],
)
def test_what_cannot_be_done_is_a_problem(
    client: TestClient, path: str, body: dict[str, object], status: int
) -> None:
    answer = client.post(f"/api/v1/{path}", json={"project": ONE, **body})
    assert (answer.status_code, bool(answer.json()["hint"])) == (status, True)


def test_a_lone_surrogate_is_refused(client: TestClient) -> None:
    body = f'{{"project": "{ONE}", "text": "a \\ud800 b"}}'
    answer = client.post(
        "/api/v1/check", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422


def test_a_draft_takes_a_slot_of_drafts(
    service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[float | None] = []
    run = service.drafts.run

    def recorded(call: Any, seconds: float | None) -> Any:
        ran.append(seconds)
        return run(call, seconds)

    monkeypatch.setattr(service.drafts, "run", recorded)
    made(client_of(service), "check", text=DRAFT)
    made(client_of(service), "support", text=CLAIM)
    assert ran == [service.limits.ask_seconds] * 2


def test_drafts_have_two_lanes_and_end_when_their_clients_are_gone(service: ServedLibrary) -> None:
    service = replace(service, drafts=Calls(CallLimits(calls=2)))
    server = HttpServer(service, ServerOptions(port=0))
    server.start()
    url = httpx.URL(server.url)
    body = json.dumps({"project": ONE, "text": ENDLESS, "format": "markdown"})
    clients = [HTTPConnection(url.host, url.port or 0, timeout=PATIENCE) for _ in range(3)]
    for client, path in zip(clients, ("check", "support", "check")):
        client.request("POST", f"/api/v1/{path}", body, {"Content-Type": "application/json"})
    wait_until(lambda: len(programs_of(os.getpid())) == 2)
    wait_until(lambda: service.drafts._waiting == 1)
    assert service.drafts.running == 2
    assert httpx.get(f"{server.url}/api/v1/health").status_code == 200
    for client in clients:
        client.close()
    wait_until(lambda: service.drafts.running == 0 and not programs_of(os.getpid()))
    server._server.should_exit = True
    server._thread.join(PATIENCE)


def test_a_costly_draft_is_refused(
    client: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = DraftsTable(timeout_seconds=1, memory_mb=128)
    monkeypatch.setattr(library.parts, "settings", replace(library.parts.settings, drafts=limits))
    body = {"project": ONE, "text": ENDLESS, "format": "markdown"}
    answer = client.post("/api/v1/check", json=body)
    assert (answer.status_code, answer.json()["code"]) == (504, "TIMEOUT")
    assert answer.json()["detail"] == "draft.md takes Pandoc longer than 1 s"
    limits = DraftsTable(memory_mb=64)
    monkeypatch.setattr(library.parts, "settings", replace(library.parts.settings, drafts=limits))
    body = {"project": ONE, "text": COSTLY["items.md"], "format": "markdown"}
    answer = client.post("/api/v1/check", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "UNREADABLE_DOCUMENT")
