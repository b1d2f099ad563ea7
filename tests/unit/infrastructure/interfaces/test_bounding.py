"""Answers of the MCP server that are small enough."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.interfaces.mcp.server import bounded_answer
from citeloom.infrastructure.serialisation.json import estimated_tokens, json_text

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


PASSAGES = st.lists(
    st.fixed_dictionaries({"chunk_id": st.just("0123456789abcdef"), "text": st.text(max_size=200)}),
    max_size=60,
)


@given(PASSAGES, PASSAGES, st.integers(min_value=200, max_value=1500))
def test_the_whole_text_of_an_answer_fits(
    items: list[dict[str, str]], failed: list[dict[str, str]], tokens: int
) -> None:
    answer: dict[str, object] = {"items": items, "failed": failed, "notes": ["a note"]}
    cut = bounded_answer({**answer, "total": 99, "offset": 0}, ("items", "failed"), tokens)
    assert estimated_tokens(json_text(cut, indent=None)) <= tokens
