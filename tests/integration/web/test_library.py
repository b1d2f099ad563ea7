"""The views of a project's documents, of ingests and of references."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from citeloom.application.limits import ServerOptions
from citeloom.application.reports import IngestReport
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import ONE, PATIENCE, TWO
from tests.integration.web.conftest import csrf_of


def post(room: TestClient, address: str, **fields: str) -> Any:
    """Send a form of the page at `/library`."""
    csrf = csrf_of(room.get("/library").text)
    return room.post(address, data={"csrf": csrf, **fields})


def finished(room: TestClient, address: str) -> str:
    """The page of a job once it has ended, as a reader sees it who loads it again."""
    until = time.monotonic() + PATIENCE
    while (page := room.get(address).text).count("hx-trigger") and time.monotonic() < until:
        assert '<noscript><meta http-equiv="refresh"' in page
        time.sleep(0.05)
    assert "hx-trigger" not in page
    return page


def read_only(service: ServedLibrary) -> ServerOptions:
    return replace(service.library.server, read_only=True)


def test_documents_are_listed_with_what_is_known_of_them(room: TestClient) -> None:
    page = room.get("/library").text
    assert "Swallows Under Road Bridges" in page
    assert "<code>@moreau2015</code>" in page
    assert '<rect class="indexed" x="0" y="0" width="2"' in page
    assert "papers/" in page


@pytest.mark.parametrize(
    ("filters", "number"),
    [
        ({"text": "swallows"}, 1),
        ({"text": "moreau2015 bridges"}, 1),
        ({"state": "indexed"}, 2),
        ({"state": "failed"}, 0),
        ({"missing_reference": "true"}, 0),
        ({"text": "", "state": ""}, 2),
    ],
)
def test_filters_narrow_the_list(room: TestClient, filters: Mapping[str, str], number: int) -> None:
    page = room.get("/library", params=dict(filters)).text
    assert page.count("<li data-item>") == number
    assert '<rect class="indexed" x="0" y="0" width="2"' in page


def test_an_impossible_state_is_refused(room: TestClient) -> None:
    assert room.get("/library?state=lost").status_code == 422


def test_the_list_has_pages(room: TestClient) -> None:
    first = room.get("/library?limit=1").text
    assert 'rel="next" href="/library?limit=1&amp;offset=1&amp;' in first
    second = room.get("/library?limit=1&offset=1").text
    assert 'rel="prev" href="/library?limit=1&amp;' in second
    assert 'rel="next"' not in second


def test_an_ingest_is_followed_to_its_report(room: TestClient) -> None:
    started = post(room, "/jobs", project=ONE)
    assert started.status_code == 303
    page = finished(room, started.headers["location"])
    assert f"{ONE}: 2 found, 0 indexed, 2 unchanged, 0 failed" in page
    assert started.headers["location"].partition("?")[0] in room.get("/jobs").text
    assert room.get(f"/jobs?project={TWO}").text.count("<tr data-item>") == 0


def test_a_document_is_ingested_again_by_its_id(room: TestClient, service: ServedLibrary) -> None:
    document = service.project(ONE).documents()[0]
    started = post(room, "/jobs", project=ONE, doc_id=document.doc_id, force="true")
    page = finished(room, started.headers["location"])
    assert f"{ONE}: 1 found, 1 indexed" in page
    assert post(room, "/jobs", project=ONE, doc_id="unknown").status_code == 404


def test_a_job_goes_on_with_its_own_sources(room: TestClient, service: ServedLibrary) -> None:
    document = service.project(ONE).documents()[0]
    first = post(room, "/jobs", project=ONE, doc_id=document.doc_id).headers["location"]
    finished(room, first)
    name = first.removeprefix("/jobs/").partition("?")[0]
    again = post(room, "/jobs", project=ONE, job_id=name).headers["location"]
    assert again != first
    assert f"{ONE}: 1 found" in finished(room, again)
    assert post(room, "/jobs", project=ONE, job_id="unknown").status_code == 404


def test_a_job_from_zotero_goes_on_from_zotero(room: TestClient, service: ServedLibrary) -> None:
    def ingested(**fields: str) -> tuple[str, IngestReport]:
        address = post(room, "/jobs", project=ONE, dry_run="true", **fields).headers["location"]
        finished(room, address)
        name = address.removeprefix("/jobs/").partition("?")[0]
        report = service.jobs.get(name).report
        assert report
        return name, report

    name, of_zotero = ingested(zotero="true")
    _, of_sources = ingested()
    assert {*of_zotero.outcomes}.isdisjoint(of_sources.outcomes)
    assert {*ingested(job_id=name)[1].outcomes} == {*of_zotero.outcomes}


def test_a_job_is_of_its_project_alone(room: TestClient) -> None:
    address = post(room, "/jobs", project=ONE).headers["location"].partition("?")[0]
    assert room.get(f"{address}?project={TWO}").status_code == 404
    assert post(room, f"{address}/cancel?project={TWO}").status_code == 404
    assert post(room, f"{address}/cancel").status_code == 303
    finished(room, address)


def test_a_change_needs_the_token_of_the_session(room: TestClient) -> None:
    room.get("/library")
    assert room.post("/jobs", data={"project": ONE}).status_code == 403
    assert room.post("/references", data={"document": "a", "citekey": "b"}).status_code == 403


def test_a_room_that_is_read_only_has_no_buttons(
    room: TestClient, service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    csrf = csrf_of(room.get("/library").text)
    monkeypatch.setattr(type(service.library), "server", read_only(service))
    assert 'method="post"' not in room.get("/library").text
    for address in ("/jobs", "/jobs/some/cancel", "/references"):
        fields = {"csrf": csrf, "project": ONE, "document": "a", "citekey": "b"}
        assert room.post(address, data=fields).status_code == 403


def test_every_document_has_a_reference(room: TestClient) -> None:
    assert "Every document has a reference" in room.get("/references").text


def test_without_references_the_way_to_some_is_said(room: TestClient) -> None:
    page = room.get(f"/references?project={TWO}").text
    assert "references = &#34;references.json&#34;" in page or 'references = "' in page


def test_a_reference_is_chosen_of_those_nearest(room: TestClient, service: ServedLibrary) -> None:
    document = service.project(ONE).documents()[0]
    page = room.get("/references", params={"document": document.doc_id}).text
    assert f"The next ingest gives it the reference @{document.citekey}" in page
    unknown = post(room, "/references", document=document.doc_id, citekey="nobody1900")
    assert (unknown.status_code, "nobody1900" in unknown.text) == (404, True)
