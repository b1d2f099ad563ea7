"""Who may enter the reading room, and what its pages may load."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from citeloom.application.requests.manuscript import LONGEST_COMMENT
from citeloom.application.requests.passages import LONGEST_QUESTION
from citeloom.infrastructure.interfaces.http.gate import ROOM_BYTES
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.web.conftest import TOKEN, room_of


@pytest.fixture
def locked(service: ServedLibrary) -> Iterator[TestClient]:
    with room_of(service, TOKEN) as client:
        yield client


def test_a_page_loads_nothing_from_elsewhere(room: TestClient) -> None:
    page = room.get("/")
    assert page.status_code == 200
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "same-origin"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "://" not in page.text.replace("http://127.0.0.1", "")
    for file in ("room.css", "room.js", "vendor/htmx.min.js", "icon.svg"):
        assert f"/static/{file}" in page.text
        assert room.get(f"/static/{file}").status_code == 200


@pytest.mark.parametrize("path", ["/etc/passwd", "/static/../access.py", "/static/..%2faccess.py"])
def test_what_is_not_there_is_a_page_too(room: TestClient, path: str) -> None:
    page = room.get(path)
    assert (page.status_code, "<h1>" in page.text) == (404, True)
    assert 'href="/library' in page.text
    german = room.get(path, headers={"accept-language": "de"}).text
    assert "Diese Seite gibt es nicht" in german
    assert "Not Found" not in german


def test_a_cookie_is_for_this_site_and_no_script(room: TestClient) -> None:
    cookie = room.get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "set-cookie" not in room.get("/").headers


def test_without_the_token_one_is_sent_to_the_login(locked: TestClient) -> None:
    answer = locked.get("/search?text=nests&project=lab/one")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?to=/search")
    assert locked.get("/static/room.css").status_code == 200
    assert locked.get("/api/v1/projects").status_code == 401


def test_the_token_opens_the_page_that_was_asked_for(locked: TestClient) -> None:
    form = locked.get("/login?to=/search%3Ftext%3Dnests")
    assert 'action="/login?to=/search%3Ftext%3Dnests"' in form.text
    wrong = locked.post("/login?to=/search", data={"token": "guess"})
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)
    right = locked.post("/login?to=/search%3Ftext%3Dnests", data={"token": TOKEN})
    assert (right.status_code, right.headers["location"]) == (303, "/search?text=nests")
    assert locked.get("/search").status_code == 200


@pytest.mark.parametrize("target", ["//evil.example/", "https://evil.example/", "/\\evil.example"])
def test_a_login_leads_to_no_other_site(locked: TestClient, target: str) -> None:
    answer = locked.post("/login", params={"to": target}, data={"token": TOKEN})
    assert answer.headers["location"] == "/"


def test_a_session_of_another_token_is_none(locked: TestClient, service: ServedLibrary) -> None:
    cookie = locked.post("/login", data={"token": TOKEN}).headers["set-cookie"].partition(";")[0]
    with room_of(service, f"{TOKEN}-changed") as other:
        assert other.get("/", headers={"cookie": cookie}).status_code == 303


def test_a_session_opens_the_pages_alone(locked: TestClient) -> None:
    locked.post("/login", data={"token": TOKEN})
    assert locked.get("/api/v1/projects").status_code == 401


def test_a_link_elsewhere_opens_a_page_but_no_script_there_reads_it(room: TestClient) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    opened = room.get("/", headers={**elsewhere, "sec-fetch-mode": "navigate"})
    assert opened.status_code == 200
    assert room.get("/", headers={**elsewhere, "sec-fetch-mode": "cors"}).status_code == 403
    posted = {**elsewhere, "sec-fetch-mode": "navigate", "origin": "https://evil.example"}
    assert room.post("/login", headers=posted).status_code == 403


def test_more_than_may_be_sent_is_said_by_its_own_bound(room: TestClient) -> None:
    answer = room.post("/uploads", headers={"content-length": str(10 * ROOM_BYTES)})
    assert answer.status_code == 413
    assert "larger than 200 MB" in answer.text


def test_fields_take_as_much_as_what_they_are_sent_to(room: TestClient) -> None:
    page = room.get("/search", params={"text": "nests"}).text
    assert f'name="comment" maxlength="{LONGEST_COMMENT}"' in page
    assert f'maxlength="{LONGEST_QUESTION}"' in room.get("/ask").text
