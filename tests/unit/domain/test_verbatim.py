"""Quotations: what may be one, and where one stands."""

from __future__ import annotations

import pytest

from citeloom.domain.text.verbatim import holds_verbatim, may_be_quotation, may_run_on, runs_on


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Copper collars kept the barnacles away.", True),
        ("copper collars kept the barnacles", True),
        ("Did copper collars keep the barnacles away?", False),
        ("Did copper collars keep the barnacles away? ", False),
        ("copper collars on loggers", False),
    ],
)
def test_a_few_words_that_are_no_question_may_be_a_quotation(query: str, expected: bool) -> None:
    assert may_be_quotation(query) is expected


@pytest.mark.parametrize(
    "query",
    [
        "the first deployment was unsuccessful",
        "The First\nDeployment was unsuccess-\nful",
        "the \ufb01rst deployment, was unsuccessful.",
    ],
)
def test_marks_spaces_and_ligatures_do_not_count(query: str) -> None:
    assert holds_verbatim("We saw that the first deployment was unsuccessful, twice.", query)


@pytest.mark.parametrize(
    "query", ["the deployment first was unsuccessful", "the first deployments"]
)
def test_other_words_or_another_order_are_no_quotation(query: str) -> None:
    assert not holds_verbatim("We saw that the first deployment was unsuccessful, twice.", query)


BEFORE = "Gauges were read daily. We built a package."
AFTER = "We built a package. 5. Results of it all. Copper won."
OVER_THE_BORDER = "read daily. We built a package. 5. Results"


def test_a_quotation_may_run_on_into_a_neighbour_that_repeats_some() -> None:
    assert runs_on(BEFORE, AFTER, OVER_THE_BORDER)
    assert runs_on(BEFORE, "5. Results of it all.", OVER_THE_BORDER)
    assert not holds_verbatim(BEFORE, OVER_THE_BORDER)


def test_a_gap_at_the_border_is_no_running_on() -> None:
    assert not runs_on(BEFORE, "Of course: 5. Results of it all.", OVER_THE_BORDER)
    assert not runs_on(AFTER, BEFORE, OVER_THE_BORDER)


def test_the_larger_part_holds_the_first_or_the_second_half() -> None:
    assert may_run_on("Gauges were read daily. We built.", "read daily. We built a pack")
    assert may_run_on("a package. 5. Results", "daily built a package. 5. Results")
    assert not may_run_on("Gauges were read", "read daily. We built a package.")
    assert not may_run_on("Gauges were read", "?")


@pytest.mark.parametrize("query", ["???", "", " — … ! "])
def test_a_query_without_a_word_is_held_by_nothing(query: str) -> None:
    assert not holds_verbatim("Copper collars kept the barnacles away???", query)
    assert not may_run_on("Copper collars", query)
    assert not runs_on("Copper", "collars", query)
