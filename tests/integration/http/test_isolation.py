"""A project never sees another's, and what is not served cannot be reached."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from citeloom.application.jobs import Jobs
from citeloom.application.requests.ingest import IngestRequest
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import HIDDEN, ONE, TWO
from tests.integration.http.test_routes import asked, got, refused


def test_passages_of_another_project_are_not_found(client: TestClient) -> None:
    for mine, other in ((ONE, TWO), (TWO, ONE)):
        chunk = asked(client, mine, "what is it about?")["items"][0]["chunk_id"]
        doc_id = got(client, "documents", project=mine)["items"][0]["doc_id"]
        for path in (f"passages/{chunk}", f"passages/{chunk}/page.png", f"documents/{doc_id}"):
            assert client.get(f"/api/v1/{path}", params={"project": mine}).status_code == 200
            assert refused(client, path, project=other) == (404, "NOT_FOUND")


def test_no_filter_reaches_another_project(client: TestClient) -> None:
    doc_id = got(client, "documents", project=TWO)["items"][0]["doc_id"]
    assert asked(client, ONE, "ferries", doc_id=doc_id)["items"] == []
    found = asked(client, ONE, "ferries and the price of waiting", top_k=20)["items"]
    assert {item["source_path"].split("/")[0] for item in found} == {"papers"}


@pytest.mark.parametrize("project", [HIDDEN, "lab/none", "LAB/ONE", "lab/one/", "../lab/one"])
@pytest.mark.parametrize(
    "path",
    [
        "documents",
        "query",
        "validation",
        "jobs",
        "collect",
        "passages/x",
        "chat/sessions",
        "chat/sessions/x",
    ],
)
def test_a_project_that_is_not_served_is_unknown(
    client: TestClient, project: str, path: str
) -> None:
    question = {"text": "x"} if path == "query" else {}
    assert refused(client, path, project=project, **question) == (404, "INVALID_PROJECT")


def test_a_project_that_is_not_served_cannot_be_ingested_or_asked(client: TestClient) -> None:
    fields: dict[str, dict[str, object]] = {
        "jobs": {},
        "collect": {"chunk_id": "x", "chapter": "x"},
        "find": {"words": ["x"]},
    }
    for path in ("jobs", "collect", "find", "ask", "chat"):
        body: dict[str, object] = {"project": HIDDEN, **fields.get(path, {"text": "x"})}
        answer = client.post(f"/api/v1/{path}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (404, "INVALID_PROJECT")


def test_jobs_of_another_project_are_not_listed_and_those_of_hidden_ones_unknown(
    client: TestClient, service: ServedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = service.jobs.start(HIDDEN, IngestRequest(dry_run=True))
    for path in (f"jobs/{started.id}", f"jobs/{started.id}/events"):
        assert refused(client, path) == (404, "NOT_FOUND")
    answer = client.post(f"/api/v1/jobs/{started.id}/cancel")
    assert answer.status_code == 404
    assert isinstance(service.jobs, Jobs)
    for project in (ONE, TWO):
        listed = got(client, "jobs", project=project)["items"]
        assert started.id not in {one["job_id"] for one in listed}
