"""Works that a draft names in its own words, and the references that they are."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.draft import (
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
    NamedWork,
)
from citeloom.domain.manuscript.named_works import with_citekeys
from citeloom.domain.references.citation import CitationMeta

DOE = CitationMeta(
    citekey="doe2020",
    title="On Grädes: a study",
    authors=("Doe, Jane",),
    year=2020,
    doi="10.1000/a",
    item_key="ABCD2345",
)
ROE = CitationMeta(citekey="roe2001", title="Rain", authors=("Roe, R.",), year=2001)
TWIN = CitationMeta(citekey="roe2001b", title="Rain", authors=("Roe, R.",), year=2001)
NOBODY = CitationMeta(citekey="zoe", title="Alone", year=2001)


def draft_with(work: NamedWork) -> Draft:
    cited = DraftCitation(citekey=work.citekey, place=DraftLocation(0, 1, 1, 1))
    paragraph = DraftParagraph(text="\ufffc", marks=(Mark(offset=0, citations=(cited,)),))
    return Draft(name="d.docx", text="\ufffc", paragraphs=(paragraph,), works=(work,))


def citekeys_with(work: NamedWork) -> tuple[str, ...]:
    return with_citekeys(draft_with(work), [DOE, ROE, TWIN, NOBODY]).citekeys


@pytest.mark.parametrize(
    "work",
    [
        NamedWork(citekey="doe2020"),
        NamedWork(citekey="http://zotero.org/users/1/items/ABCD2345"),
        NamedWork(citekey="x", doi="https://doi.org/10.1000/A"),
        NamedWork(citekey="x", title="On grades - a Study"),
        NamedWork(citekey="x", author="DOE", year=2020, is_in_text=True),
        NamedWork(citekey="x", title="On Grades, a study: of marks", author="Doe", year=2020),
    ],
)
def test_a_work_is_found_by_key_item_doi_title_or_author_and_year(work: NamedWork) -> None:
    assert citekeys_with(work) == ("doe2020",)


def test_what_no_reference_or_more_than_one_is_is_called_what_is_known_of_it() -> None:
    assert citekeys_with(NamedWork(citekey="x", title="Rain")) == ("Rain",)
    snow = NamedWork(citekey="x", title="Snow", author="Doe", year=2020)
    assert citekeys_with(snow) == ("Doe 2020, Snow",)
    assert citekeys_with(NamedWork(citekey="x")) == ("x",)


def test_an_author_and_a_year_that_no_reference_has_are_no_citation() -> None:
    assert citekeys_with(NamedWork(citekey="x", author="Poe", year=2001, is_in_text=True)) == ()
    assert citekeys_with(NamedWork(citekey="x", author="Doe", year=1999, is_in_text=True)) == ()
    assert citekeys_with(NamedWork(citekey="x", author="Roe", year=2001, is_in_text=True)) == ()


@pytest.mark.parametrize(("letter", "expected"), [("a", "ham1999b"), ("b", "ham1999"), ("c", None)])
def test_the_letter_behind_a_year_counts_the_titles(letter: str, expected: str | None) -> None:
    references = [
        CitationMeta(citekey="ham1999", title="Zebras", authors=("van Ham, R.",), year=1999),
        CitationMeta(citekey="ham1999b", title="Apes", authors=("van Ham, R.",), year=1999),
    ]
    work = NamedWork(citekey="x", author="Ham", year=1999, letter=letter, is_in_text=True)
    draft = with_citekeys(draft_with(work), references)
    assert draft.citekeys == ((expected,) if expected else ())
    assert len(draft.unmatched) == (expected is None)


def test_each_work_of_a_bracket_that_is_in_no_library_is_told() -> None:
    place = DraftLocation(0, 1, 1, 1)
    cited = [DraftCitation(citekey=key, place=place) for key in ("Doe 2020", "Poe 1999")]
    paragraph = DraftParagraph(text="\ufffc", marks=(Mark(offset=0, citations=tuple(cited)),))
    works = (
        NamedWork(citekey="Doe 2020", author="Doe", year=2020, is_in_text=True),
        NamedWork(citekey="Poe 1999", author="Poe", year=1999, is_in_text=True),
    )
    draft = Draft(name="d.docx", text="\ufffc", paragraphs=(paragraph,), works=works)
    resolved = with_citekeys(draft, [DOE])
    assert resolved.citekeys == ("doe2020",)
    assert [one.citekey for one in resolved.unmatched] == ["Poe 1999"]


@pytest.mark.parametrize(
    ("citekey", "in_text", "expected"),
    [
        ("example.org", True, ()),
        ("sorbonne-universite.fr", True, ()),
        ("example.org", False, ("example.org",)),
        ("doe.rain", True, ("doe.rain",)),
        ("doe2020", True, ("doe2020",)),
    ],
)
def test_the_host_of_an_address_is_no_citation(
    citekey: str, in_text: bool, expected: tuple[str, ...]
) -> None:
    cited = DraftCitation(citekey=citekey, in_text=in_text)
    paragraph = DraftParagraph(text="\ufffc", marks=(Mark(offset=0, citations=(cited,)),))
    draft = Draft(name="d.md", text="\ufffc", paragraphs=(paragraph,))
    assert with_citekeys(draft, [DOE]).citekeys == expected


def test_a_draft_that_names_no_works_is_left_alone() -> None:
    draft = Draft(name="d.md", text="", paragraphs=())
    assert with_citekeys(draft, [DOE]) is draft
