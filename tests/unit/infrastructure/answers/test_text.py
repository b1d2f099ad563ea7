from __future__ import annotations

import sys
import unicodedata
from time import process_time

import pytest
from hypothesis import given

from citeloom.infrastructure.answers.text import one_line, printable
from tests.fakes.hostile_texts import forbidden, hostile

_VISIBLE_FORMAT = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"


def test_no_character_that_is_not_seen_is_let_through_alone() -> None:
    let_through = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and char in printable(f" {char} ")
    ]
    assert set(let_through) == {"\n", "\t", "\U000110bd", "\U000110cd", *_VISIBLE_FORMAT}


@given(hostile)
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    once = printable(text)
    assert forbidden(once) == []
    assert printable(once) == once
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain\n\ttext",
        "العربية עברית",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "क्\u200dष",
        "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 👍🏽",
        "e\u0301 葛\U000e0100",
    ],
)
def test_what_is_written_stays_readable(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x1b]8;;http://evil.example\x1b\\safe\x1b]8;;\x1b\\", "safe"),
        ("\x1b]0;title\x07a\x9b31mb\x1b[0mc\x1bcd", "abcd"),
        ("a\x1b", "a\ufffd"),
        ("\x1b]8;;never ended", "8;;never ended"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("a\r\nb\rc\u2028d", "a\nb c d"),
        ("word\u200d", "word"),
        ("a\ufe00\ufe01\ufe02b", "a\ufe00b"),
        ("tag\U000e0068\U000e0069s", "tags"),
        ("half\ud83d", "half\ufffd"),
    ],
)
def test_what_acts_or_hides_is_taken_out(text: str, printed: str) -> None:
    assert printable(text) == printed


def test_long_unended_sequences_take_no_time() -> None:
    assert len(printable("\x9d" * 200_000)) == 200_000
    assert printable("\x1b]" * 200_000) == ""


def test_a_joiner_makes_no_long_text_slow() -> None:
    def seconds(text: str) -> float:
        begun = process_time()
        assert len(printable(text)) == 300_000
        return process_time() - begun

    plain, joined = ("a" * 299_997 + end for end in ("abc\u200b", "\u0645\u200c\u062e"))
    assert min(seconds(joined) for _ in range(5)) < 2.5 * min(seconds(plain) for _ in range(5))
