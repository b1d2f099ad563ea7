"""Citekeys and pages that are suggested where a citation is written."""

from __future__ import annotations

import pytest

from citeloom.application.manuscript.works import CitedWorks
from citeloom.application.manuscript.writing_aid import Suggestion, suggestions
from citeloom.domain.references.citation import CitationMeta
from tests.unit.application.manuscript.test_check import DOE, ROE, chunks, works_of

REFERENCES = (
    CitationMeta(citekey="doe2020", title="Grading", authors=("Doe, Jane",), year=2020),
    CitationMeta(citekey="roe2001", title="Rain"),
    CitationMeta(citekey="zoe1999", title="Nothing"),
)
QUOTE = "the committee did not accept 12 of the proposals"


@pytest.fixture
def works() -> CitedWorks:
    return works_of([*chunks("doe2020", DOE), *chunks("roe2001", ROE)], REFERENCES)


def first(found: list[Suggestion]) -> tuple[str, int, int, str]:
    one = found[0]
    return one.text, one.length, one.rank, one.page


@pytest.mark.parametrize(
    "before",
    ["As [@do", "As @do", "As -@do", "As @{do", r"As \autocite{do", r"As \parencite[4]{roe2001,do"],
)
def test_a_citekey_is_suggested_where_one_is_begun(works: CitedWorks, before: str) -> None:
    found = suggestions(works, before)
    assert [one.text for one in found] == ["doe2020", "roe2001", "zoe1999"]
    assert {(one.length, one.rank) for one in found} == {(2, 6)}


@pytest.mark.parametrize("before", ["me@do", "As ", r"\emph{do", "#cite(", ""])
def test_nothing_is_suggested_elsewhere(works: CitedWorks, before: str) -> None:
    assert suggestions(works, before) == []


@pytest.mark.parametrize("before", ["#cite(<", "[cite:@", "[cite/t:@"])
def test_typst_and_org_begin_citekeys_their_own_way(works: CitedWorks, before: str) -> None:
    assert len(suggestions(works, before)) == 3


def test_the_work_that_has_the_quotation_comes_first_with_its_page(works: CitedWorks) -> None:
    found = suggestions(works, 'He says "nobody who reads in it hears the rain" [@')
    assert first(found) == ("roe2001", 0, 0, "1")
    assert [one.rank for one in found[1:]] == [6, 6]


def test_then_those_that_have_the_words_of_the_sentence(works: CitedWorks) -> None:
    found = suggestions(works, "Other words. Rain falls on the reading room [@")
    assert first(found)[:3] == ("roe2001", 0, 1)
    assert suggestions(works, "Too short [@")[0].rank == 6


@pytest.mark.parametrize(
    ("before", "after", "length"),
    [
        (f'"{QUOTE}" [@doe2020, p. ', "]", 0),
        (f'"{QUOTE}" [@doe2020, pp. 1', "]", 1),
        (f'"{QUOTE}" @doe2020 [', "]", 0),
        (f'"{QUOTE}" \\autocite[', "]{doe2020}", 0),
        (f"\\enquote{{{QUOTE}}} \\cite[p.~", "]{doe2020}", 0),
        (f"``{QUOTE}'' \\parencite[see][S.~", "]{doe2020}", 0),
        (f"\\foreignquote{{english}}{{{QUOTE}}} \\footcite[1", "]{doe2020, roe2001}", 1),
        ("\\textcquote[pp. ", f"]{{doe2020}}{{{QUOTE}}}", 0),
        (f'"{QUOTE}" #cite(<doe2020>, supplement: [p. ', "])", 0),
    ],
)
def test_the_page_of_the_quotation_is_suggested(
    works: CitedWorks, before: str, after: str, length: int
) -> None:
    assert first(suggestions(works, before, after)) == ("2", length, 0, "2")


@pytest.mark.parametrize(
    "before",
    [
        "[@doe2020, p. ",
        '"two words" [@doe2020, p. ',
        f'"{QUOTE}" and then very many words that are not quoted at all [@doe2020, p. ',
        '"nobody who reads in it hears the rain" [@doe2020, p. ',
        f'"{QUOTE}" [@zoe1999, p. ',
    ],
)
def test_no_page_is_suggested_without_a_quotation_of_the_work(
    works: CitedWorks, before: str
) -> None:
    assert suggestions(works, before, "]") == []


def test_a_command_without_its_key_suggests_nothing(works: CitedWorks) -> None:
    assert suggestions(works, f'"{QUOTE}" \\autocite[', "]") == []
