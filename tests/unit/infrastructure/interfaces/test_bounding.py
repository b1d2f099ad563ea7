"""Answers of the MCP server that are small enough."""

from __future__ import annotations

from citeloom.infrastructure.interfaces.mcp.bounding import bounded_answer
from citeloom.infrastructure.serialisation.bounds import estimated_tokens
from citeloom.infrastructure.serialisation.json import json_text

MOST = 2000


def test_a_job_with_many_failures_and_events_is_answered() -> None:
    failed = [{"document": f"{n}.pdf", "message": "it cannot be opened " * 5} for n in range(500)]
    events = [f"{n} outcome {n}.pdf failed" for n in range(500)]
    answer: dict[str, object] = {"state": "done", "notes": [], "failed": failed, "events": events}
    cut = bounded_answer(answer, ("failed", "events"), MOST)
    assert cut["failed"] == failed[: len(cut["failed"])]  # type: ignore[arg-type]
    assert cut["events"] == events[: len(cut["events"])]  # type: ignore[arg-type]
    assert [note.partition(":")[0] for note in cut["notes"]] == ["failed", "events"]  # type: ignore[attr-defined]
    assert estimated_tokens(json_text(cut, indent=None)) <= MOST
