"""Answers of the MCP server that are small enough."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import Model, replaced
from citeloom.infrastructure.interfaces.mcp.tool_answers import (
    ToolAnswer,
    bounded_answer,
    estimated_tokens,
)

MOST = 2000


class Failed(Model):
    document: str
    message: str


class Item(Model):
    chunk_id: str
    text: str

    def shortened(self, text: str) -> Item:
        return replaced(self, text=text)


class Listed(ToolAnswer):
    items: tuple[Item, ...] = ()
    failed: tuple[object, ...] = ()
    events: tuple[str, ...] = ()
    total: int = 99
    offset: int = 0
    next_offset: int | None = None


def test_a_job_with_many_failures_and_events_is_answered() -> None:
    message = "it cannot be opened " * 5
    failed = tuple(Failed(document=f"{n}.pdf", message=message) for n in range(500))
    events = tuple(f"{n} outcome {n}.pdf failed" for n in range(500))
    cut = bounded_answer(Listed(failed=failed, events=events), ("failed", "events"), MOST)
    assert cut.failed == failed[: len(cut.failed)]
    assert cut.events == events[: len(cut.events)]
    assert [note.partition(":")[0] for note in cut.notes] == ["failed", "events"]
    assert estimated_tokens(json_text(cut, indent=None)) <= MOST


PASSAGES = st.lists(
    st.text(max_size=200).map(lambda text: Item(chunk_id="0123456789abcdef", text=text)),
    max_size=60,
)


@given(PASSAGES, PASSAGES, st.integers(min_value=200, max_value=1500))
def test_the_whole_text_of_an_answer_fits(
    items: list[Item], failed: list[Item], tokens: int
) -> None:
    answer = Listed(items=tuple(items), failed=tuple(failed), notes=("a note",))
    cut = bounded_answer(answer, ("items", "failed"), tokens)
    assert estimated_tokens(json_text(cut, indent=None)) <= tokens
