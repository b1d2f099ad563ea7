"""The blocks of a draft's source, and those that an edit has changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.application.manuscript.open_draft import blocks_of, changed_blocks, with_its_notes

PIECES = ("a b\n", "\n", "\n\n", "> q\n", "```\n", "\\begin{x}\n", "\\end{x}\n", "[^1] c")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_blocks_are_the_whole_source(source: str) -> None:
    blocks = blocks_of(source)
    assert "".join(block.text for block in blocks) == source
    assert all(source[block.start : block.end] == block.text for block in blocks)


@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
def test_what_is_the_same_at_both_ends_is_not_read_again(before: str, after: str) -> None:
    first, second = blocks_of(before), blocks_of(after)
    head, tail = changed_blocks(first, second)
    assert head + tail <= min(len(first), len(second))
    texts, others = [one.text for one in first], [one.text for one in second]
    assert texts[:head] == others[:head]
    assert texts[len(texts) - tail :] == others[len(others) - tail :]


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("a\n\nb\n", ["a\n\n", "b\n"]),
        ("a\n\n```\nx\n\ny\n```\n\nb", ["a\n\n", "```\nx\n\ny\n```\n\n", "b"]),
        ("a\n\n> q\n\n[@x]\n\nb", ["a\n\n> q\n\n[@x]\n\n", "b"]),
        ("\\begin{quote}\nx\n\ny\n\\end{quote}\n\nb\n\nc", None),
        ("```\nnever closed\n\na", ["```\nnever closed\n\na"]),
    ],
)
def test_listings_environments_and_quotations_stay_whole(
    source: str, texts: list[str] | None
) -> None:
    found = [block.text for block in blocks_of(source)]
    assert found == (texts or ["\\begin{quote}\nx\n\ny\n\\end{quote}\n\nb\n\n", "c"])


def test_an_edit_in_the_middle_changes_one_block() -> None:
    assert changed_blocks(blocks_of("a\n\nb\n\nc"), blocks_of("a\n\nbb\n\nc")) == (1, 1)


def test_a_block_is_read_with_the_footnotes_it_refers_to() -> None:
    source = "A[^1] and[^2] b[^3].\n\nB.\n\n[^1]: one\ntwo\n\n[^2]: other\n"
    read = with_its_notes("A[^1] and[^2] b[^3].\n\n", source)
    assert read == "A[^1] and[^2] b[^3].\n\n[^1]: one\ntwo\n\n[^2]: other"
    assert with_its_notes("B.\n\n", source) == "B.\n\n"
