"""Whether a sentence is a quotation."""

from __future__ import annotations

import pytest

from citeloom.domain.answers.quotes import is_quotation

QUOTE = (
    "However, the second harvest (see Table 3) was poor, which we had expected, because frost "
    "came early in May [4]."
)


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        (QUOTE, QUOTE),
        ("The second harvest was poor because frost came early in May.", QUOTE),
        ("the second harvest was poor", QUOTE),
        ("Frost came early", QUOTE),
        ("Rye \u201cgrows\u201d well.", 'Rye "grows" also well in sand.'),
    ],
)
def test_words_may_be_left_out_that_change_nothing(sentence: str, quote: str) -> None:
    assert is_quotation(sentence, [quote])


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The harvest was poor.", QUOTE),
        ("The second harvest was poor, had expected.", QUOTE),
        ("The frost was early.", QUOTE),
        ("Rye yields rose.", "Rye yields fell while barley yields rose."),
        ("The drug works.", "The drug, if taken daily, works."),
        ("The drug works.", "The drug, not the placebo, works."),
        ("The drug works in mice.", "The drug works only in mice."),
        ("The drug works.", "The drug may work."),
        ("Mice died.", "Mice that were fed with rye died."),
        ("In September rye was sown.", "Rye was sown in September."),
        ("", "Rye was sown."),
        ("...", "Rye was sown..."),
    ],
)
def test_no_word_is_left_out_that_says_something(sentence: str, quote: str) -> None:
    assert not is_quotation(sentence, [quote])


def test_no_sentence_is_a_quotation_of_two_quotes() -> None:
    assert not is_quotation("Rye was sown late.", ["Rye was sown", "sown late"])
