"""Quotations: what may be one, and where one stands."""

from __future__ import annotations

import pytest

from citeloom.domain.quotation import holds_verbatim, may_be_quotation


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
