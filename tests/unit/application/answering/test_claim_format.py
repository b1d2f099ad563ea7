"""Reading what a model replies, whatever it replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.application.answering.claim_format import (
    LONGEST_REPLY,
    MOST_QUOTES,
    MOST_SENTENCES,
    read_reply,
)
from citeloom.domain.answers.claims import Claim, ClaimedQuote
from tests.fakes.answer_model import claim, reply

ONE = claim("Rye was sown.", ("p1", "rye was sown"))
READ = Claim("Rye was sown.", (ClaimedQuote("p1", "rye was sown"),))


@pytest.mark.parametrize(
    "text",
    [
        reply(ONE),
        f"Here you are:\n```json\n{reply(ONE)}\n```\nAnything else?",
        '{"thought": "hm"} ' + reply(ONE),
        reply(claim(" Rye was sown. ", ("p1", "rye was sown"), ("p1", " rye was sown"))),
        json.dumps({"sentences": [{**ONE, "confidence": 0.9}], "more": None}),
    ],
)
def test_a_reply_is_read_wherever_it_stands(text: str) -> None:
    assert read_reply(text).claims == (READ,)
    assert read_reply(text).notes == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", "not whole"),
        ("Rye was sown in autumn [1].", "not whole"),
        (reply(ONE)[:-9], "not whole"),
        ("[" * 5000, "not whole"),
        ('{"a":' * 5000, "not whole"),
        ('{"sentences": "Rye"}', "no list"),
        ('{"answer": 1}', "not whole"),
        ('{"sentences": [1, null, {"text": 5}, {"text": " "}, {"quotes": []}]}', "5 entries"),
        (reply(claim("x" * 3000)), "1 entries"),
    ],
)
def test_what_is_no_claim_is_left_out_and_noted(text: str, note: str) -> None:
    read = read_reply(text)
    assert read.claims == ()
    assert note in read.notes[0]


def test_of_a_reply_that_is_cut_off_the_whole_sentences_are_read() -> None:
    cut = reply(ONE, claim("Oats were not.", ("p1", "oats were not sown")))[:-30]
    read = read_reply(cut)
    assert read.claims == (READ,)
    assert "not whole" in read.notes[0]


def test_an_empty_answer_is_an_answer() -> None:
    assert read_reply('{"sentences": []}') == read_reply(reply())
    assert read_reply(reply()).notes == ()


def test_sentences_and_quotes_are_bounded() -> None:
    many = [claim(f"Sentence {n}.", *[("p1", f"quote {q}") for q in range(90)]) for n in range(90)]
    read = read_reply(reply(*many)[: LONGEST_REPLY * 2])
    assert len(read.claims) <= MOST_SENTENCES
    few = read_reply(reply(*many[:3]))
    assert [len(one.quotes) for one in few.claims] == [MOST_QUOTES] * 3


def test_a_quote_of_another_shape_is_left_out() -> None:
    rows = {"text": "Rye.", "quotes": ["rye", {"passage": 1, "quote": "x"}, {"quote": "x"}, None]}
    assert read_reply(json.dumps({"sentences": [rows]})).claims == (Claim("Rye."),)
    rows["quotes"] = []
    loose = {"text": "Rye.", "quotes": "rye was sown"}
    assert read_reply(json.dumps({"sentences": [loose]})).claims == (Claim("Rye."),)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read = read_reply(text)
    assert read.claims or read.notes or "sentences" in text


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_any_json_is_read(value: object) -> None:
    read_reply(json.dumps({"sentences": value}))
