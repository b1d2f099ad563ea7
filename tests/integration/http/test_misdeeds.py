"""What clients may do wrong, each refused by a problem that says how to do it right."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from typing import Any

import pytest
from starlette.testclient import TestClient

from citeloom.application.limits import CallLimits
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.gate import MAX_BODY_BYTES, AccessPolicy, AccessToken
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.integration.http.conftest import ONE, client_of

QUERY = {"project": ONE, "text": "nests"}
TOKEN = "correct-horse-battery-staple"
JSON = {"content-type": "application/json"}
PAGE = "https://notes.example.org"


def code(answer: Any) -> tuple[int, str]:
    """The status and the code of a problem, which has all that a problem must have."""
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == answer.status_code
    assert problem["correlation_id"] == answer.headers["x-request-id"]
    assert problem["type"].startswith("urn:citeloom:problem:")
    assert problem["title"]
    assert problem["detail"]
    return answer.status_code, problem["code"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"text": ""}, 422),
        ({"text": " \n"}, 422),
        ({"text": "a\0b"}, 422),
        ({"text": "\ud800"}, 422),
        ({"text": "x" * 4001}, 422),
        ({"text": ["nests"]}, 422),
        ({"project": ""}, 422),
        ({"project": None}, 422),
        ({"project": "\ud800"}, 422),
        ({"top_k": 0}, 422),
        ({"top_k": 21}, 422),
        ({"top_k": "many"}, 422),
        ({"mode": "magic"}, 422),
        ({"year_from": 2020, "year_to": 2010}, 422),
        ({"year_from": -1}, 422),
        ({"tags": ["x"] * 21}, 422),
        ({"tags": [""]}, 422),
        ({"kinds": ["poem"]}, 422),
        ({"min_score": "NaN"}, 422),
        ({"context": 11}, 422),
        ({"unknown": 1}, 422),
    ],
)
def test_a_malformed_question_is_refused(
    client: TestClient, change: dict[str, Any], status: int
) -> None:
    body = json.dumps({**QUERY, **change}).encode()
    answer = client.post("/api/v1/query", content=body, headers=JSON)
    assert code(answer)[0] == status


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"project=lab/one&query=x", "application/x-www-form-urlencoded"),
        (b"[" * 60_000, "application/json"),
        (b'{"project": "lab/one", "text": "x", "min_score": NaN}', "application/json"),
        (b'{"project": "lab/one", "text": "x", "top_k": 1e400}', "application/json"),
    ],
)
def test_a_body_that_is_no_question_is_refused(
    client: TestClient, content: bytes, kind: str
) -> None:
    answer = client.post("/api/v1/query", content=content, headers={"content-type": kind})
    assert code(answer)[0] in {400, 422}


def test_a_body_that_is_too_large_is_refused_whatever_it_says(client: TestClient) -> None:
    large = b" " * (MAX_BODY_BYTES + 1)

    def in_pieces() -> Iterator[bytes]:
        for start in range(0, len(large), 10_000):
            yield large[start : start + 10_000]

    for content in (large, in_pieces()):
        answer = client.post("/api/v1/query", content=content, headers=JSON)
        assert code(answer) == (413, "TOO_LARGE")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1", 404),
        ("GET", "/api/v1/projects/", 404),
        ("GET", "/api/docs/..%2f..%2fetc%2fpasswd", 404),
        ("DELETE", "/api/v1/query", 405),
        ("PUT", "/api/v1/jobs", 405),
        ("TRACE", "/api/v1/health", 405),
        ("OPTIONS", "/api/v1/query", 405),
    ],
)
def test_what_is_not_there_is_a_problem_too(
    client: TestClient, method: str, path: str, status: int
) -> None:
    assert code(client.request(method, path))[0] == status


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8484", "127.0.0.1.evil.example", "", "[::1].evil:1"]
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api/v1/projects", headers={"host": host})
    assert code(answer) == (421, "HOST_NOT_ALLOWED")


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://127.0.0.1:9999", "http://[", "127.0.0.1:8484"],
)
def test_a_page_from_elsewhere_is_refused(client: TestClient, origin: str) -> None:
    answer = client.post("/api/v1/query", json=QUERY, headers={"origin": origin})
    assert code(answer) == (403, "ORIGIN_NOT_ALLOWED")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_an_image_or_a_link_of_a_page_elsewhere_is_refused(client: TestClient, site: str) -> None:
    path = f"/api/v1/validation?project={ONE}"
    answer = client.get(path, headers={"sec-fetch-site": site, "sec-fetch-mode": "no-cors"})
    assert code(answer) == (403, "ORIGIN_NOT_ALLOWED")
    linked = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    assert code(client.get(path, headers=linked)) == (403, "ORIGIN_NOT_ALLOWED")
    assert client.get("/api/docs", headers=linked).status_code == 200


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_an_address_that_is_typed_is_answered(client: TestClient, site: str) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    assert client.get("/api/v1/projects", headers=headers).status_code == 200


def test_the_servers_own_page_may_ask(client: TestClient) -> None:
    headers = {"host": "LOCALHOST:8484", "origin": "http://localhost:8484"}
    answer = client.get("/api/v1/projects", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_page_may_be_allowed(service: ServedLibrary) -> None:
    guard = AccessPolicy.of(address="127.0.0.1", hosts=(), origins=[PAGE], token=AccessToken(TOKEN))
    client = client_of(service, guard)
    asking = {"origin": PAGE, "access-control-request-method": "POST"}
    before = client.options("/api/v1/query", headers=asking)
    assert before.headers["access-control-allow-origin"] == PAGE
    headers = {"origin": PAGE, "authorization": f"Bearer {TOKEN}"}
    answer = client.post("/api/v1/query", json=QUERY, headers=headers)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, PAGE)
    other = client.options("/api/v1/query", headers={**asking, "origin": "https://evil.example"})
    assert code(other) == (403, "ORIGIN_NOT_ALLOWED")


@pytest.fixture(scope="module")
def guarded(service: ServedLibrary) -> TestClient:
    """A client of a server on every address, which asks for the token."""
    guard = AccessPolicy.of(address="0.0.0.0", hosts=["lib"], origins=(), token=AccessToken(TOKEN))
    return client_of(service, guard)


@pytest.mark.parametrize(
    "given", [None, "", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer", "Bearer \xe9"]
)
def test_without_the_token_nothing_is_answered_but_health(
    guarded: TestClient, given: str | None
) -> None:
    headers = [(b"host", b"lib")]
    if given is not None:
        headers.append((b"authorization", given.encode("latin-1")))
    for path in ("projects", "metrics", f"jobs?project={ONE}", "nothing"):
        answer = guarded.get(f"/api/v1/{path}", headers=headers)
        assert code(answer) == (401, "UNAUTHORIZED")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert code(guarded.post("/api/v1/query", json=QUERY, headers=headers))[0] == 401
    for path in ("/api/v1/health", "/api/v1/ready", "/api/docs", "/api/openapi.json"):
        assert guarded.get(path, headers=headers).status_code == 200
    known = {"host": "lib:80", "authorization": f"bearer {TOKEN}"}
    assert guarded.get("/api/v1/projects", headers=known).status_code == 200


@pytest.mark.parametrize("given", ["short", "x" * 65, "has space", "new\tline", "<script>"])
def test_a_request_id_that_is_malformed_is_replaced(client: TestClient, given: str) -> None:
    made = client.get("/api/v1/health", headers={"x-request-id": given}).headers["x-request-id"]
    assert made != given
    assert len(made) == 16


def test_a_request_id_goes_through_to_the_answer(client: TestClient) -> None:
    headers = {"x-request-id": "my-request.0001"}
    answer = client.post("/api/v1/query", json=QUERY, headers=headers)
    assert answer.headers["x-request-id"] == answer.json()["correlation_id"] == "my-request.0001"


@pytest.mark.parametrize(
    "source",
    [
        "/etc/passwd",
        "../papers",
        "papers/../../x",
        "~/x",
        "papers/\0",
        "citeloom.toml",
        "/dev/zero",
    ],
)
def test_only_files_below_the_sources_are_ingested(client: TestClient, source: str) -> None:
    answer = client.post("/api/v1/jobs", json={"project": ONE, "sources": [source]})
    assert code(answer)[0] in {403, 422}


def test_a_source_that_is_not_there_is_not_found(client: TestClient) -> None:
    answer = client.post("/api/v1/jobs", json={"project": ONE, "sources": ["papers/none.pdf"]})
    assert code(answer) == (404, "NOT_FOUND")


def limited(service: ServedLibrary, limits: CallLimits) -> ServedLibrary:
    """The service with other limits for its calls."""
    return ServedLibrary(
        library=service.library,
        jobs=service.jobs,
        projects=service.projects,
        calls=Calls(limits),
    )


def test_too_many_calls_are_refused_with_the_time_to_wait(
    service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(ProjectLibrary, "documents", lambda *_, **__: go.wait(30) and [])
    path = f"/api/v1/documents?project={ONE}"
    with (
        client_of(limited(service, CallLimits(calls=1, waiting_calls=1))) as client,
        ThreadPoolExecutor(6) as pool,
    ):
        sent = [pool.submit(client.get, path) for _ in range(6)]
        answers = [one.result() for one in islice(as_completed(sent), 4)]
        go.set()
        rest = [one.result() for one in sent if one.result() not in answers]
    assert {code(answer) for answer in answers} == {(429, "BUSY")}
    assert {answer.headers["retry-after"] for answer in answers} == {"1"}
    assert [answer.status_code for answer in rest] == [200, 200]


def test_a_call_that_takes_too_long_is_given_up(
    service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(ProjectLibrary, "documents", lambda *_, **__: go.wait(20))
    monkeypatch.setattr(
        type(service), "limits", property(lambda _: CallLimits(inspect_seconds=0.05))
    )
    with client_of(service) as client:
        answer = client.get(f"/api/v1/documents?project={ONE}")
        go.set()
    assert code(answer) == (504, "TIMEOUT")


def test_a_fault_tells_nothing_of_itself(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret /home/someone/key")

    monkeypatch.setattr(ProjectLibrary, "documents", broken)
    answer = client.get(f"/api/v1/documents?project={ONE}")
    assert code(answer) == (500, "UNEXPECTED")
    assert "secret" not in answer.text
    assert "secret" in caplog.text


def test_an_error_of_the_library_tells_no_path(
    client: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.info.base_dir / "papers" / "moreau2015.pdf").rename(
        library.info.base_dir / "moved.pdf"
    )
    try:
        chunk = client.post("/api/v1/query", json=QUERY).json()["items"][0]["chunk_id"]
        answer = client.get(f"/api/v1/passages/{chunk}/page.png", params={"project": ONE})
    finally:
        (library.info.base_dir / "moved.pdf").rename(
            library.info.base_dir / "papers" / "moreau2015.pdf"
        )
    assert code(answer) == (404, "NOT_FOUND")
    assert "/" not in answer.json()["detail"]


def test_no_more_passages_are_returned_than_may_be_asked_for(
    client: TestClient, service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {**QUERY, "text": "bridges and their piers"}
    assert client.post("/api/v1/query", json=query).json()["count"] > 1
    monkeypatch.setattr(type(service), "limits", property(lambda _: CallLimits(top_k=1)))
    assert client.post("/api/v1/query", json=query).json()["count"] == 1


def test_pages_that_are_drawn_without_end_keep_no_other_call_waiting(
    service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    monkeypatch.setattr(ProjectLibrary, "page_image", lambda *_, **__: go.wait(30) and b"")
    with (
        client_of(limited(service, CallLimits(calls=1))) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        drawn = pool.submit(client.get, f"/api/v1/passages/x/page.png?project={ONE}")
        assert client.get(f"/api/v1/documents?project={ONE}").status_code == 200
        assert not drawn.done()
        go.set()
        assert drawn.result().status_code == 200


def test_validations_run_once_and_keep_no_other_call_waiting(
    service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, begun = threading.Event(), []
    validate = ProjectLibrary.validate

    def slow(*arguments: Any, **named: Any) -> Any:
        begun.append(go.wait(30))
        return validate(*arguments, **named)

    monkeypatch.setattr(ProjectLibrary, "validate", slow)
    served = limited(service, CallLimits(calls=1))
    with client_of(served) as client, ThreadPoolExecutor(8) as pool:
        sent = [pool.submit(client.get, f"/api/v1/validation?project={ONE}") for _ in range(8)]
        while served.heavy.waiting < 8:
            time.sleep(0.01)
        assert client.get(f"/api/v1/documents?project={ONE}").status_code == 200
        assert not any(one.done() for one in sent)
        go.set()
        assert [one.result().status_code for one in sent] == [200] * 8
    assert begun == [True]
