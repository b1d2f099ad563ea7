"""Quotes that are in a passage, nearly in it, and not in it."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.answers.quotes import LONGEST_QUOTE, QuoteMatch, find_quote

PASSAGE = (
    "Copper collars more than doubled the life of a summer deployment. The infor-\nmation was "
    "logged every 15 minutes, at 3.5 V; growth did not begin before week 12. It is impossible to "
    "clean a fouled “win\u00addow” without a di\ufb00erent brush. The area was 10² cm."
)


def found(quote: str, passage: str = PASSAGE) -> tuple[QuoteMatch, str] | None:
    """How and where a quote is found."""
    one = find_quote(quote, passage)
    return None if one is None else (one.match, passage[one.start : one.end])


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("doubled the life of a summer deployment", "doubled the life of a summer deployment"),
        ("COPPER   collars\nmore than doubled", "Copper collars more than doubled"),
        ("The information was logged", "The infor-\nmation was logged"),
        ('a fouled "window" without', "a fouled “win\u00addow” without"),
        ("without a different brush", "without a di\ufb00erent brush"),
        ("logged every 15 minutes, at 3.5 V;", "logged every 15 minutes, at 3.5 V;"),
        ("growth did not begin before week 12.", "growth did not begin before week 12."),
    ],
)
def test_what_is_there_is_exact(quote: str, words: str) -> None:
    assert found(quote) == (QuoteMatch.EXACT, words)


@pytest.mark.parametrize(
    "quote",
    [
        "possible to clean a fouled",  # within a word
        "logged every 15 minutes, at 3",  # within a number
        "5 V; growth did not begin",
        "The area was 102 cm",
        "did not begin before week 1",
        "the life of",  # too short
        "",
        "The instrument was never seen again by anyone on the coast",
        "x" * (LONGEST_QUOTE + 1),
    ],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert found(quote) is None


def test_a_word_changed_at_the_end_is_near_and_shows_the_passages_own_words() -> None:
    quote = "Copper collars more than doubled the life of a summer deployments"
    assert found(quote) == (
        QuoteMatch.NEAR,
        "Copper collars more than doubled the life of a summer deployment",
    )
    one = find_quote(quote, PASSAGE)
    assert one is not None
    assert 0.95 < one.share < 1


def test_less_than_85_percent_in_one_piece_is_not_near() -> None:
    quote = "Copper collars more than doubled the age of a summer deployment"
    assert found(quote) is None


@pytest.mark.parametrize(
    "quote",
    [
        # a number changed, in digits and in words
        "The information was logged every 15 minutes, at 3.6 V",
        "rmation was logged every 15 minutes, at 3.5 V; growth did not begin before week 13",
        # a negation left out or put in, at either end
        "growth did begin before week 12. It is impossible to clean a fouled window without a",
        "not Copper collars more than doubled the life of a summer deployment. The information",
        "It is impossible to clean a fouled window with a different brush. The area was 10² cm.",
        "Copper collars more than doubled the life of a summer deployment. The information never",
    ],
)
def test_another_number_or_negation_is_never_verified(quote: str) -> None:
    assert found(quote) is None


STATEMENTS = (
    "The treatment did not reduce the loss of seedlings in the wetter half of the field",
    "In 2019 the crew counted 482 nests along the whole of the northern shore by boat",
    "No effect of grazing was seen on the plots that were fenced for three years or more",
    "Die Proben wurden nicht gekühlt, weil der Weg ins Labor kürzer war als vier Stunden",
    "As amostras nunca foram aquecidas acima de 40 graus durante o transporte para o porto",
)
NEGATIONS = {"not", "No", "nicht", "nunca"}


@given(st.sampled_from(STATEMENTS), st.data())
def test_a_statement_turned_around_is_never_verified(statement: str, data: st.DataObject) -> None:
    """One word dropped, put in or replaced, wherever it is, if it is a negation or a number."""
    words = statement.split()
    telling = [n for n, w in enumerate(words) if w in NEGATIONS or w.isdigit()]
    place = data.draw(st.sampled_from(telling))
    if words[place].isdigit():
        changed = [*words[:place], str(int(words[place]) + 1), *words[place + 1 :]]
    else:
        changed = [*words[:place], *words[place + 1 :]]
    passage = f"Before this something else was told. {statement}. After it came more of the same."
    assert find_quote(" ".join(words), passage) is not None
    assert find_quote(" ".join(changed), passage) is None
    at = data.draw(st.integers(0, len(words)))
    assert find_quote(" ".join([*words[:at], "never", *words[at:]]), passage) is None or at in (
        0,
        len(words),
    )


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_found_lies_in_the_passage(quote: str, passage: str) -> None:
    one = find_quote(quote, passage)
    assert one is None or 0 <= one.start < one.end <= len(passage)


@given(st.text(max_size=80), st.sampled_from(STATEMENTS), st.text(max_size=80))
def test_a_whole_statement_is_found_wherever_it_is(before: str, statement: str, after: str) -> None:
    one = find_quote(statement, f"{before}. {statement}. {after}")
    assert one is not None
    assert one.match is QuoteMatch.EXACT


@pytest.mark.parametrize(("end", "found"), [("b", True), ("7", False)])
def test_a_long_monotonous_passage_takes_no_time(end: str, found: bool) -> None:
    began = process_time()
    assert (find_quote("a " * 1500 + end, "a " * 20_000) is not None) is found
    assert process_time() - began < 5
