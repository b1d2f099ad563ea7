"""How well passages fit a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.retrieval.words import Strength, WordCoverage, fit_of

WEIGHTS = {"capital": 2.0, "Mongolia": 6.0}


def test_a_work_that_has_the_words_fits_well() -> None:
    fit = fit_of(WordCoverage(weights=WEIGHTS), "@rye2001")
    assert (fit.strength, fit.value, fit.reasons) == (Strength.STRONG, 1.0, ())


@pytest.mark.parametrize(
    ("missing", "strength", "value"),
    [("capital", Strength.STRONG, 0.75), ("Mongolia", Strength.FAIR, 0.25)],
)
def test_rare_words_count_more(missing: str, strength: Strength, value: float) -> None:
    fit = fit_of(WordCoverage(weights=WEIGHTS, missing=frozenset({missing})), "@rye2001")
    assert (fit.strength, fit.value) == (strength, value)
    assert fit.reasons == (f"'{missing}' occurs in none of the passages found of @rye2001",)


def test_words_that_the_library_does_not_have_count_twice() -> None:
    both = frozenset(WEIGHTS)
    fit = fit_of(
        WordCoverage(weights=WEIGHTS, missing=both, unknown=both, names=frozenset({"Mongolia"})),
        "@rye2001",
    )
    assert (fit.strength, fit.value) == (Strength.WEAK, -1.0)
    assert fit.reasons == ("'Mongolia' and 'capital' occur nowhere in the library",)


def test_no_more_than_four_words_are_named() -> None:
    words = {name: float(weight) for weight, name in enumerate("abcdef", start=1)}
    fit = fit_of(WordCoverage(weights=words, missing=frozenset(words)), "@rye2001")
    assert fit.reasons == (
        "'f', 'e', 'd', 'c' and 2 more occur in none of the passages found of @rye2001",
    )


def test_a_question_without_words_has_no_value() -> None:
    fit = fit_of(WordCoverage(weights={}), "@rye2001")
    assert (fit.strength, fit.value) == (Strength.FAIR, None)


@given(weights=st.dictionaries(st.text(max_size=3), st.floats(0.1, 9.0), min_size=1))
def test_where_all_words_are_missing_nothing_is_covered(weights: dict[str, float]) -> None:
    wording = WordCoverage(weights=weights, missing=frozenset(weights))
    assert str(wording.coverage) == "0.0"
    assert str(fit_of(wording, "@rye2001").value) == "0.0"


def test_words_that_no_spaces_part_are_named_as_they_stand_in_the_question() -> None:
    pairs = ("火山", "山灰", "鹅卵")
    wording = WordCoverage(weights=dict.fromkeys(pairs, 1.0), unknown=frozenset(pairs))
    fit = fit_of(wording, "@rye2001", "火山灰和鹅卵在哪里?")
    assert fit.reasons == ("'火山灰' and '鹅卵' occur nowhere in the library",)
