"""Ingests over HTTP: started, followed by events, taken up again, cancelled."""

from __future__ import annotations

import threading
from asyncio import Semaphore
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from citeloom.application.events import (
    DocumentDone,
    RunStarted,
    StageReached,
)
from citeloom.application.jobs import Jobs
from citeloom.application.reports import DocumentOutcome, IngestReport, OutcomeState
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import DiskFull
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from tests.integration.http.conftest import ONE, client_of

PATIENCE = 30.0
DOCUMENTS = ("papers/a.pdf", "papers/b.pdf", "papers/c.pdf")


class Script:
    """An ingest that takes up one document each time `step` is released."""

    def __init__(self) -> None:
        self.step = threading.Semaphore(0)
        self.begun = threading.Event()
        self.calls: list[IngestRequest] = []
        self.error: Exception | None = None

    def __call__(self, request: IngestRequest) -> IngestReport:
        events = request.events
        assert events is not None
        self.calls.append(request)
        report = IngestReport(project=ONE, collection="c", models={}, run_id="r")
        outcomes = dict.fromkeys(DOCUMENTS, DocumentOutcome())
        events(RunStarted(total=len(DOCUMENTS)))
        self.begun.set()
        for document in DOCUMENTS:
            if request.cancellation.requested:
                report = replace(report, interrupted=True)
                break
            events(StageReached(document=document, stage="convert"))
            assert self.step.acquire(timeout=PATIENCE)
            if self.error is not None:
                raise self.error
            events(DocumentDone(document=document, state="indexed", detail="4 chunks"))
            outcomes[document] = DocumentOutcome(state=OutcomeState.INDEXED)
        return replace(report, outcomes=outcomes)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script()
    monkeypatch.setattr(ProjectLibrary, "ingest", lambda _, request: script(request))
    return script


@pytest.fixture
def own(service: ServedLibrary, library: Library) -> Iterator[ServedLibrary]:
    """The service with jobs of its own."""
    served = ServedLibrary(
        library=library,
        jobs=Jobs(library.ingest_target, clock=SystemClock(), waiting=1),
        projects=service.projects,
        calls=service.calls,
    )
    yield served
    served.jobs.close(PATIENCE)


@pytest.fixture
def client(own: ServedLibrary) -> Iterator[TestClient]:
    with client_of(own) as client:
        yield client


def started(client: TestClient, **body: object) -> dict[str, Any]:
    answer = client.post("/api/v1/jobs", json={"project": ONE, **body})
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/api/v1/jobs/{job['job_id']}"
    assert job["correlation_id"] == answer.headers["x-request-id"]
    return job


def events_of(client: TestClient, job: dict[str, Any], **headers: str) -> list[dict[str, str]]:
    """The events of a job until it ends, as they are sent."""
    with client.stream("GET", f"/api/v1/jobs/{job['job_id']}/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    events = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in event.splitlines()) for event in events]


def now(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(f"/api/v1/jobs/{job['job_id']}").json()
    return answer


def test_a_job_is_followed_to_its_end(client: TestClient, script: Script) -> None:
    script.step.release(3)
    job = started(client, force=True, limit=5)
    events = events_of(client, job)
    assert [int(event["id"]) for event in events] == [*range(1, len(events) + 1)]
    assert (events[0]["event"], events[-1]["event"]) == ("state", "state")
    assert '"detail": "done"' in events[-1]["data"]
    assert sum(event["event"] == "outcome" for event in events) == 3
    ended = now(client, job)
    assert (ended["state"], ended["counts"]["indexed"]) == ("done", 3)
    assert ended["report"]["indexed"] == [*DOCUMENTS]
    [request] = script.calls
    assert (request.force, request.limit, request.prune) == (True, 5, False)


def test_events_are_taken_up_where_they_were_left(client: TestClient, script: Script) -> None:
    script.step.release(3)
    job = started(client)
    events = events_of(client, job)
    assert events_of(client, job, **{"last-event-id": "4"}) == events[4:]
    with client.stream("GET", f"/api/v1/jobs/{job['job_id']}/events?after=6") as answer:
        assert "".join(answer.iter_text()).startswith("event: ")
    assert events_of(client, job, **{"last-event-id": events[-1]["id"]}) == []


@pytest.mark.parametrize("given", ["-1", "x", "9" * 30])
def test_an_event_id_that_is_none_is_refused(
    client: TestClient, script: Script, given: str
) -> None:
    script.step.release(3)
    job = started(client)
    path = f"/api/v1/jobs/{job['job_id']}/events"
    assert client.get(path, headers={"last-event-id": given}).status_code == 422


def test_a_job_is_cancelled_after_the_document_in_hand(client: TestClient, script: Script) -> None:
    job = started(client)
    assert script.begun.wait(PATIENCE)
    cancelled = client.post(f"/api/v1/jobs/{job['job_id']}/cancel")
    assert (cancelled.status_code, cancelled.json()["cancelling"]) == (202, True)
    script.step.release(3)
    assert '"detail": "cancelled"' in events_of(client, job)[-1]["data"]
    assert now(client, job)["report"]["indexed"] == [DOCUMENTS[0]]


def test_no_more_jobs_wait_than_may(client: TestClient, script: Script) -> None:
    jobs = [started(client), started(client)]
    answer = client.post("/api/v1/jobs", json={"project": ONE})
    assert (answer.status_code, answer.json()["code"]) == (429, "BUSY")
    assert answer.headers["retry-after"]
    script.step.release(9)
    for job in jobs:
        events_of(client, job)
    listed = client.get("/api/v1/jobs", params={"project": ONE}).json()
    assert [one["job_id"] for one in listed["items"]] == [one["job_id"] for one in jobs[::-1]]


def test_a_job_that_fails_says_why(client: TestClient, script: Script, own: ServedLibrary) -> None:
    base = own.library.info.base_dir
    script.error = DiskFull(f"{base}/x is full, and so is /var/tmp/other", "Make room.")
    script.step.release()
    job = started(client)
    events_of(client, job)
    ended = now(client, job)
    assert (ended["state"], ended["error"]["code"]) == ("failed", "DISK_FULL")
    assert ended["error"]["message"] == "x is full, and so is other"


def test_sources_are_told_without_the_place_they_lie_in(client: TestClient, script: Script) -> None:
    script.step.release(3)
    job = started(client, sources=["papers/moreau2015.pdf"])
    assert job["sources"] == ["papers/moreau2015.pdf"]
    events_of(client, job)
    [request] = script.calls
    assert request.files[0].startswith("/")


def test_a_client_that_vanishes_leaves_the_job_alone(client: TestClient, script: Script) -> None:
    job = started(client)
    assert script.begun.wait(PATIENCE)
    script.step.release(3)
    with client.stream("GET", f"/api/v1/jobs/{job['job_id']}/events") as answer:
        next(answer.iter_text())
    events_of(client, job)
    assert now(client, job)["state"] == "done"


def test_no_more_clients_listen_than_may(
    client: TestClient, script: Script, own: ServedLibrary
) -> None:
    script.step.release(3)
    job = started(client)
    own.listeners, free = Semaphore(0), own.listeners
    answer = client.get(f"/api/v1/jobs/{job['job_id']}/events")
    assert (answer.status_code, answer.json()["code"]) == (429, "BUSY")
    own.listeners = free
    assert events_of(client, job)


def test_an_unknown_job_is_not_found(client: TestClient) -> None:
    for path in ("jobs/none", "jobs/none/events"):
        assert client.get(f"/api/v1/{path}").json()["code"] == "NOT_FOUND"
    assert client.post("/api/v1/jobs/none/cancel").status_code == 404


def test_a_real_ingest_is_followed(client: TestClient, own: ServedLibrary) -> None:
    job = started(client)
    events = events_of(client, job)
    assert any("unchanged" in event["data"] or "done" in event["data"] for event in events)
    ended = now(client, job)
    assert (ended["state"], len(ended["report"]["unchanged"])) == ("done", 2)
    assert replace(own.jobs.get(job["job_id"])).report is not None
