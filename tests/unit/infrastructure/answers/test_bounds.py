from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import Model, replaced
from citeloom.infrastructure.interfaces.mcp.tool_answers import bounded, estimated_tokens


class Item(Model):
    chunk_id: str
    text: str
    trimmed: bool = False

    def shortened(self, text: str) -> Item:
        return replaced(self, text=text, trimmed=True)


def item(text: str, number: int = 0) -> Item:
    return Item(chunk_id=f"{number:04}", text=text)


def size(items: Sequence[object]) -> int:
    return estimated_tokens(json_text(items, indent=None))


def test_four_ascii_characters_are_a_token_and_so_is_any_other() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcde") == 2
    assert estimated_tokens("潮汐") == 2


def test_what_fits_is_left_alone() -> None:
    items = [item("a few words", n) for n in range(3)]
    assert bounded(items, 1000).items == tuple(items)
    assert bounded(items, 1000).note == ""
    assert bounded([], 1).note == ""


def test_what_does_not_fit_is_left_out_and_said() -> None:
    items = [item("word " * 40, n) for n in range(5)]
    cut = bounded(items, 150)
    assert cut.items == (*items[:2],)
    assert "only 2 of 5" in cut.note


def test_a_first_item_that_is_too_large_is_trimmed() -> None:
    cut = bounded([item("word " * 1000)], 100)
    [kept] = cut.items
    assert kept.trimmed is True
    assert 80 < size(cut.items) <= 100
    assert "a trimmed text" in cut.note


TEXTS = st.text(max_size=300) | st.text('"\n\x00a', max_size=300)


@given(st.lists(TEXTS, max_size=40), st.integers(min_value=1, max_value=400))
def test_an_answer_is_never_larger_than_its_bound(texts: list[str], tokens: int) -> None:
    items = [item(text, number) for number, text in enumerate(texts)]
    cut = bounded(items, tokens)
    assert size(cut.items) <= tokens
    assert cut.items[1:] == tuple(items[1 : len(cut.items)])
    assert len(cut.items) <= len(items)
    assert bool(cut.note) == (cut.items != tuple(items))


def test_a_first_item_without_a_text_to_trim_is_left_out() -> None:
    for items in (["an event " * 9, "another"], [{"message": "broken " * 9}]):
        cut = bounded(items, 5)
        assert cut.items == ()
        assert f"only 0 of {len(items)}" in cut.note


def test_what_fits_to_the_last_token_is_whole() -> None:
    items = [item("a few words", n) for n in range(40)]
    assert bounded(items, size(items)).items == tuple(items)
    assert bounded(items, size(items) - 1).items == tuple(items[:-1])
