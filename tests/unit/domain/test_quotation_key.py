"""The form in which quotations are compared, and their parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.text.normal_form import NormalText, quotation_key
from citeloom.domain.text.verbatim import quoted_parts, spans_between_omissions


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
