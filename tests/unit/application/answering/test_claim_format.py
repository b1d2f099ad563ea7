"""Reading what a model replies, whatever it replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.application.answering.prompt import (
    LONGEST_REPLY,
    MOST_QUOTES,
    MOST_SENTENCES,
    ReplyReader,
)
from citeloom.domain.answers.claim_check import Claim, ClaimedQuote
from tests.fakes.answer_model import claim, read_reply, reply

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
        ('{"sentences": [1, null, {"text": 5}, {"text": " "}, {"quotes": []}]}', "too many: 5"),
        (reply(claim("x" * 3000)), "too many: 1"),
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
    read = read_reply(json.dumps({"sentences": value}))
    assert all(one.text.strip() for one in read.claims)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_sentence_is_read_as_soon_as_it_is_whole(size: int) -> None:
    two = claim("Oats } were not ].", ("p1", 'oats "{were}" not sown'))
    text = f"```json\n{reply(ONE, two)}\n```"
    reader = ReplyReader()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    known = [[one.text for one in reader.read(piece)] for piece in pieces]
    assert [text for texts in known for text in texts] == ["Rye was sown.", "Oats } were not ]."]
    if size == 1:
        first = text.index("}]}") + 2
        assert known[first] == ["Rye was sown."]
    assert reader.finish() == ((), ())


@given(st.text(alphabet='{}[]",: \\sentcxqu1'), st.integers(1, 20))
def test_it_does_not_matter_in_which_pieces_a_reply_comes(text: str, size: int) -> None:
    text = '{"sentences": [' + reply(ONE)[15:-2] + "," + text
    reader = ReplyReader()
    for start in range(0, len(text), size):
        reader.read(text[start : start + size])
    _, notes = reader.finish()
    assert (reader.claims, notes) == (read_reply(text).claims, read_reply(text).notes)
