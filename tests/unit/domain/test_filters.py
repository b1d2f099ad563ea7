"""Filters that are empty or impossible do not come into being."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citeloom.domain.errors import InvalidFilter
from citeloom.domain.retrieval.filters import Filters, parse_section, parse_years

EMPTY: dict[str, Callable[[], Filters]] = {
    "citekey": lambda: Filters(citekey=""),
    "citekey of a sign alone": lambda: Filters(citekey="@"),
    "document id": lambda: Filters(doc_id=" "),
    "source path": lambda: Filters(source_path="\t"),
    "tag": lambda: Filters(tags=("rye", "")),
    "section title": lambda: Filters(section=parse_section("")),
    "section title below another": lambda: Filters(section=parse_section("Methods > ")),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_filter_is_refused_and_not_ignored(name: str) -> None:
    with pytest.raises(InvalidFilter, match="is empty") as caught:
        EMPTY[name]()
    assert "variable" in caught.value.hint


def test_a_citekey_may_have_its_sign() -> None:
    assert Filters(citekey="@rye2001") == Filters(citekey="rye2001")


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidFilter, match=r"the tag is not text: 'rye\\udcff'"):
        Filters(tags=("rye\udcff",))


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2019", (2019, 2019)),
        ("2019..2023", (2019, 2023)),
        (" 2019.. ", (2019, None)),
        ("..2023", (None, 2023)),
    ],
)
def test_years_are_read(text: str, years: tuple[int | None, int | None]) -> None:
    first, last = parse_years(text)
    assert (first, last) == years
    Filters(year_from=first, year_to=last)


@pytest.mark.parametrize("text", ["", "..", "last", "2019-2023", "20191", "٢٠١٩"])
def test_what_is_no_span_of_years_is_refused(text: str) -> None:
    with pytest.raises(InvalidFilter, match="no span of years"):
        parse_years(text)


def test_a_span_of_years_does_not_run_backwards() -> None:
    with pytest.raises(InvalidFilter) as caught:
        Filters(year_from=2023, year_to=2019)
    assert (caught.value.message, caught.value.hint) == (
        "no year lies in 2023..2019",
        "Put the earlier year first: 2019..2023.",
    )
    with pytest.raises(InvalidFilter, match="is no year"):
        Filters(year_from=-1)
    with pytest.raises(InvalidFilter, match="is no year"):
        Filters(year_to=10**30)


def test_a_section_is_its_titles() -> None:
    assert parse_section("Methods >  Sampling") == ("Methods", "Sampling")
