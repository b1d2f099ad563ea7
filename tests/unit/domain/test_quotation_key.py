"""The form in which quotations are compared, and their parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.text.near import nearest_match
from citeloom.domain.text.normal_form import KeyedText, NormalText, quotation_key
from citeloom.domain.text.verbatim import quotation_spans, quoted_parts, spans_between_omissions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("infor-\nmation", "information"),
        ("well-known", "well\u2010known"),
        ("ef\ufb01cient", "efficient"),
        ("a “quoted” word", 'a "quoted" word'),
        ("a \u2018quoted\u2019 word", "a «quoted» word"),
        ("the model\u2019s end", "the model's end"),
        ("one  two\nthree", "one two three"),
        ("this — that", "this -- that"),
        ("soft\u00adhyphen", "softhyphen"),
        (
            "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05b4\u05c1\u05d9\u05ea",
            "\u05d1\u05e8\u05d0\u05e9\u05d9\u05ea",
        ),  # points
        (
            "\ufb2a\u05dc\u05d5\u05dd",
            "\u05e9\u05dc\u05d5\u05dd",
        ),  # a letter that is composed with one
        (
            "\u05d1\u05d9\u05ea\u05be\u05e1\u05e4\u05e8",
            "\u05d1\u05d9\u05ea-\u05e1\u05e4\u05e8",
        ),  # maqaf
        (
            "\u0627\u0644\u062d\u064e\u0645\u0652\u062f\u064f",
            "\u0627\u0644\u062d\u0645\u062f",
        ),  # vowels
        (
            "\u0627\u0644\u062d\u0640\u0640\u0645\u062f",
            "\u0627\u0644\u062d\u0645\u062f",
        ),  # drawn out
        ("\u0641\u0627\u0631\u0633\u06cc", "\u0641\u0627\u0631\u0633\u064a"),  # yeh
        ("\u06a9\u062a\u0627\u0628", "\u0643\u062a\u0627\u0628"),  # kaf
        ("\ufedb\ufe98\ufe8e\ufe8f", "\u0643\u062a\u0627\u0628"),  # presentation forms
        ("\uff12\uff10\uff12\uff14\u5e74", "2024\u5e74"),
    ],
)
def test_spelling_of_the_same_words_is_one_key(one: str, other: str) -> None:
    assert quotation_key(one) == quotation_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it is 12 long", "it is 1 2 long"),
        ("at -5 degrees", "at 5 degrees"),
        ("10² units", "102 units"),
        ("10-20 units", "1020 units"),
        ("is significant", "is not significant"),
        ("its own", "it's own"),
        ("one, two", "one two"),
        ("word", "Word"),
        ("\u0639\u0644\u0649", "\u0639\u0644\u064a"),  # "on" and "Ali"
        ("\u0623\u0646", "\u0622\u0646"),
    ],
)
def test_other_words_and_numbers_are_other_keys(one: str, other: str) -> None:
    assert quotation_key(one) != quotation_key(other)


@given(st.text(alphabet="ab1 2-\n'\u2019“\ufb01²\u00ad.", max_size=60))
def test_the_key_by_character_is_the_key(text: str) -> None:
    offsets = NormalText.key_of(text)
    assert offsets.text == quotation_key(text)
    assert len(offsets.offsets) == len(offsets.text)
    assert list(offsets.offsets) == sorted(offsets.offsets)


def test_ellipses_and_changes_divide_a_quotation() -> None:
    keys = [part.key for part in quoted_parts("[T]he cat [...] sat [quietly] on it [sic] again…")]
    assert keys == ["Thecat", "sat", "onitagain"]


def test_a_bracketed_letter_may_have_either_case() -> None:
    [part] = quoted_parts("so [T]he cat")
    assert part.key[2] == "T"
    assert part.loose == {0, 2}


def test_a_number_in_brackets_is_part_of_the_quotation() -> None:
    [part] = quoted_parts("as shown [12] before")
    assert part.key == "asshown[12]before"


def test_words_between_ellipses_keep_what_is_in_brackets() -> None:
    assert spans_between_omissions("one [two] … three [sic] four") == ["one two", "three four"]


@pytest.mark.parametrize(
    ("quotation", "stands"),
    [
        ("\u0643\u062a\u0628 \u0627\u0644\u0648\u0644\u062f", True),  # leaves the vowels out
        ("\u0643\u064f\u062a\u0650\u0628\u064e \u0627\u0644\u0648\u0644\u062f\u064f", True),
        ("\u0643\u062a\u0650\u0628 \u0627\u0644\u0648\u0644\u062f\u064f", True),
        (
            "\u0643\u064e\u062a\u064e\u0628\u064e \u0627\u0644\u0648\u0644\u062f",
            False,
        ),  # "wrote", not "was written"
    ],
)
def test_a_quotation_may_leave_vowel_signs_out_but_not_change_them(
    quotation: str, stands: bool
) -> None:
    text = "\u0643\u064f\u062a\u0650\u0628\u064e \u0627\u0644\u0648\u0644\u062f\u064f"
    found = list(quotation_spans(quotation, KeyedText(text=text, starts=(0,))))
    assert bool(found) is stands


def test_a_vowel_sign_that_was_changed_is_a_difference() -> None:
    rest = "\u0627\u0644\u0648\u0644\u062f \u0641\u064a \u0627\u0644\u0645\u062f\u0631\u0633\u0629"
    work = KeyedText(text=f"\u0643\u064f\u062a\u0650\u0628\u064e {rest}", starts=(0,))
    near = nearest_match(f"\u0643\u064e\u062a\u064e\u0628\u064e {rest}", work, 0.6)
    assert near is not None
    assert near.changes
