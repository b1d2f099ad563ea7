"""What differs between a quotation and the place that is nearest to it."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.verdicts import NEAR_SHARE
from citeloom.domain.text.near import Remark, WordChange, aligned_words, nearest_match
from tests.fakes.works import work

ITS = work(
    "Some words before it. In 1984 the committee did not accept 12 of the proposals that the "
    "members had made, since a significant share of the infor-\nmation was missing. And more."
)


@pytest.mark.parametrize(
    ("quote", "change"),
    [
        (
            "In 1994 the committee did not accept 12 of the proposals",
            WordChange(quote="1994", work="1984", remarks=(Remark.NUMBER,)),
        ),
        (
            "In 1984 the committee did accept 12 of the proposals",
            WordChange(quote="", work="not", remarks=(Remark.NEGATION,)),
        ),
        (
            "the committee did not refuse 12 of the proposals",
            WordChange(quote="refuse", work="accept"),
        ),
        (
            "since an insignificant share of the information was missing",
            WordChange(quote="an insignificant", work="a significant", remarks=(Remark.NEGATION,)),
        ),
        (
            "did not accept twelve of the proposals that the members",
            WordChange(quote="twelve", work="12", remarks=(Remark.NUMBER,)),
        ),
        (
            "of the proposals the members had made, since a significant share",
            WordChange(quote="", work="that"),
        ),
    ],
)
def test_each_change_is_named(quote: str, change: WordChange) -> None:
    match = nearest_match(quote, ITS, NEAR_SHARE)
    assert match is not None
    assert match.changes == (change,)


def test_words_divided_otherwise_are_the_same() -> None:
    match = nearest_match("a signi ficant share of the information was lost", ITS, NEAR_SHARE)
    assert match is not None
    assert [change.work for change in match.changes] == ["missing"]


def test_parts_between_ellipses_are_compared_each_by_itself() -> None:
    match = nearest_match(
        "the committee did not accept […] the information was gone", ITS, NEAR_SHARE
    )
    assert match is not None
    assert [(change.quote, change.work) for change in match.changes] == [("gone", "missing")]


def test_a_sentence_with_other_words_is_not_near() -> None:
    assert (
        nearest_match("The council of elders rejected every suggestion of theirs", ITS, NEAR_SHARE)
        is None
    )
    assert nearest_match("of the", work("Nothing alike."), NEAR_SHARE) is None


def test_a_short_word_that_stands_elsewhere_too_is_matched_beside_its_neighbours() -> None:
    its = work(
        "It is a matter of a week, and a club has a fee. They follow a small set of rules that "
        "governs every game of the season, as a guest said to a friend."
    )
    match = nearest_match("a sett of rules that governs every game of the season", its, NEAR_SHARE)
    assert match is not None
    assert match.changes == (WordChange(quote="sett", work="small set"),)
    ending = nearest_match(
        "of rules that governs every game of the year, as the guest", its, NEAR_SHARE
    )
    assert ending is not None
    assert [(one.quote, one.work) for one in ending.changes] == [("year", "season"), ("the", "a")]


def test_a_quotation_of_another_work_has_nearly_all_of_its_words_there() -> None:
    quote = "In 1984 the board did refuse 12 of the proposals that the members had read aloud"
    assert nearest_match(quote, ITS, NEAR_SHARE) is not None
    assert nearest_match(quote, ITS, at_least=0.9) is None
    whole = "In 1984 the committee did not accept 12 of the proposals that the members had seen"
    assert nearest_match(whole, ITS, at_least=0.9) is not None


def test_a_long_quotation_without_a_run_of_words_in_the_work_is_not_near() -> None:
    words = "proposals committee members share since missing information accept significant had "
    assert nearest_match(words * 12, ITS, NEAR_SHARE) is None


@pytest.mark.parametrize(
    ("quote", "work", "expected"),
    [
        ("a bird sings", "a bird sings", [("a bird sings", "a bird sings", True)]),
        (
            "the inter- nal one",
            "the internal one",
            [
                ("the", "the", True),
                ("inter- nal", "internal", True),
                ("one", "one", True),
            ],
        ),
        (
            "a red bird",
            "a bird flew",
            [
                ("a", "a", True),
                ("red", "", False),
                ("bird", "bird", True),
                ("", "flew", False),
            ],
        ),
        ("図書館", "図書室", [("図書", "図書", True), ("館", "室", False)]),
        ("", "", []),
    ],
)
def test_words_of_two_texts_stand_side_by_side(
    quote: str, work: str, expected: list[tuple[str, str, bool]]
) -> None:
    aligned = [(part.quote, part.work, part.same) for part in aligned_words(quote, work)]
    assert aligned == expected


def test_words_of_the_work_beside_a_match_are_whole() -> None:
    rules = "They follow a small set of rules that governs every game of the season"
    long_words = [f"representation{number}" for number in range(40)]
    its = work(" ".join([*long_words, rules, *long_words]))
    match = nearest_match(f"{'so it is ' * 4}{rules}{' as we do' * 8}", its, at_least=0.4)
    assert match is not None
    words = [word for change in match.changes for word in change.work.split()]
    assert words
    assert set(words) <= set(long_words)


def test_what_is_too_long_to_be_compared_ends_with_a_word() -> None:
    words = [f"representation{number}" for number in range(1_000)]
    match = nearest_match(" ".join(words), work(" ".join(words)), NEAR_SHARE)
    assert match is not None
    assert match.changes == ()
