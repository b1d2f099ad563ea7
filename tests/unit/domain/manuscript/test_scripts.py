"""Quotations whose superscripts and subscripts are in the line."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.hidden_words import scripts_written_otherwise
from citeloom.domain.manuscript.verdicts import CitationVerdict, look_up
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.text.near import WordChange
from tests.fakes.works import stored

LAKES = WorkText.of([stored("The model has r² = 0.5 for every lake that was seen.")])
WORK = "a share of r² = 0.5, of CO₂ and of x_(max) with Aᵀ."


@pytest.mark.parametrize(
    "quotation",
    [
        "a share of r² = 0.5, of CO₂ and of xₘₐₓ with Aᵀ",
        "a share of r^2 = 0.5, of CO_2 and of x_{max} with A^T",
        "a share of r^{2} = 0.5 [...] with A^(T)",
        "a share",
    ],
)
def test_scripts_in_any_form_are_said_of_none(quotation: str) -> None:
    assert list(scripts_written_otherwise(quotation, WORK)) == []


def test_scripts_in_the_line_are_named_with_those_of_the_work() -> None:
    quotation = "a share of r2 = 0.5, of CO2 and of xmax with AT"
    assert list(scripts_written_otherwise(quotation, WORK)) == [
        ("r2", "r²"),
        ("CO2", "CO₂"),
        ("xmax", "x_(max)"),
        ("AT", "Aᵀ"),
    ]


def test_a_work_without_scripts_has_none() -> None:
    assert list(scripts_written_otherwise("a share of r2", "a share of r2")) == []


def test_an_exact_quotation_names_the_scripts_that_it_has_in_the_line() -> None:
    lookup = look_up("has r2 = 0.5 for every lake", LAKES)
    assert lookup.verdict is CitationVerdict.EXACT
    assert lookup.changes == (WordChange(quote="r2", work="r²"),)
    assert look_up("has r^2 = 0.5 for every lake", LAKES).changes == ()
