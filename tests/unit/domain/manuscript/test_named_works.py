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
    with_citekeys,
)
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


def citekeys_with(work: NamedWork) -> tuple[str, ...]:
    cited = DraftCitation(citekey=work.citekey, place=DraftLocation(0, 1, 1, 1))
    paragraph = DraftParagraph(text="\ufffc", marks=(Mark(offset=0, citations=(cited,)),))
    draft = Draft(name="d.docx", text="\ufffc", paragraphs=(paragraph,), works=(work,))
    return with_citekeys(draft, [DOE, ROE, TWIN, NOBODY]).citekeys


@pytest.mark.parametrize(
    "work",
    [
        NamedWork(citekey="doe2020"),
        NamedWork(citekey="http://zotero.org/users/1/items/ABCD2345"),
        NamedWork(citekey="x", doi="https://doi.org/10.1000/A"),
        NamedWork(citekey="x", title="On grades - a Study"),
        NamedWork(citekey="x", author="DOE", year=2020),
    ],
)
def test_a_work_is_found_by_key_item_doi_title_or_author_and_year(work: NamedWork) -> None:
    assert citekeys_with(work) == ("doe2020",)


def test_what_no_reference_or_more_than_one_is_stays_as_it_is() -> None:
    assert citekeys_with(NamedWork(citekey="x", title="Rain")) == ("x",)
    assert citekeys_with(NamedWork(citekey="x", title="Snow")) == ("x",)


def test_an_author_and_a_year_that_no_reference_has_are_no_citation() -> None:
    assert citekeys_with(NamedWork(citekey="x", author="Poe", year=2001)) == ()
    assert citekeys_with(NamedWork(citekey="x", author="Doe", year=1999)) == ()


def test_a_draft_that_names_no_works_is_left_alone() -> None:
    draft = Draft(name="d.md", text="", paragraphs=())
    assert with_citekeys(draft, [DOE]) is draft
