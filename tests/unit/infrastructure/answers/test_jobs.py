from __future__ import annotations

import json
from dataclasses import replace

from citeloom.application.jobs import Job, JobEvent, JobState
from citeloom.application.reports import IngestReport
from citeloom.domain.errors import IndexLocked
from citeloom.infrastructure.answers.ingests import JobEntry, JobEventEntry
from citeloom.infrastructure.answers.json import json_text
from tests.described import as_json, assert_described
from tests.fakes.clock import NOON

JOB = Job(id="j1", project="lab/one", sources=("/a",), correlation_id="c1", created_at=NOON)


def test_a_waiting_job_has_neither_times_nor_outcome() -> None:
    shown = as_json(JobEntry.of(JOB))
    assert (shown["job_id"], shown["state"], shown["sources"]) == ("j1", "queued", ["/a"])
    assert json.loads(json_text(shown))["created_at"] == "2026-01-05T12:00:00+00:00"
    assert shown["started_at"] is shown["finished_at"] is None
    assert shown["report"] is None
    assert shown["error"] is None


def test_a_job_that_ended_has_its_report_or_its_error() -> None:
    report = IngestReport(project="lab/one", collection="c", models={}, run_id="r", found=3)
    done = as_json(JobEntry.of(replace(JOB, state=JobState.DONE, finished_at=NOON, report=report)))
    assert json.loads(json_text(done))["report"]["found"] == 3
    assert_described(json.loads(json_text(done)), JobEntry)
    failed = as_json(JobEntry.of(replace(JOB, state=JobState.FAILED, error=IndexLocked("m", "h"))))
    assert_described(json.loads(json_text(failed)), JobEntry)
    assert failed["error"] == {
        "code": "INDEX_LOCKED",
        "message": "m",
        "hint": "h",
        "correlation_id": "c1",
    }


def test_an_event_says_what_happened_to_which_document() -> None:
    event = JobEvent(number=7, kind="stage", detail="embed", at=NOON, document="a.pdf")
    assert_described(json.loads(json_text(as_json(JobEventEntry.of(event)))), JobEventEntry)
    assert json.loads(json_text(as_json(JobEventEntry.of(event)))) == {
        "number": 7,
        "kind": "stage",
        "detail": "embed",
        "document": "a.pdf",
        "at": "2026-01-05T12:00:00+00:00",
    }
