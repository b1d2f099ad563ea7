"""One quotation, checked against the document that it is said to be of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.manuscript.check import LONGEST_QUOTATION, check_quotation
from citeloom.application.manuscript.works import CitedWorks
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.errors import InvalidFilter, NotFound
from citeloom.domain.manuscript.verdicts import CitationVerdict, QuotationCheck, Reason
from citeloom.infrastructure.answers.draft_checks import QuotationAnswer, WordsBeside
from tests.unit.application.manuscript.test_check import chunks, works_of

PAGES = (
    "Two graders marked the same essays in every one of the years that we looked at.",
    "They agreed on nearly all of the hundred and twenty essays, and on none of the others.",
)
OTHER = "Storks return to the same chimney for as long as there are frogs in the meadows below."


@pytest.fixture
def works() -> CitedWorks:
    return works_of([*chunks("doe2020", PAGES), *chunks("roe2018", [OTHER])])


def check(works: CitedWorks, quote: str, citekey: str = "doe2020") -> QuotationCheck:
    [text] = works.of(citekey)
    return check_quotation(works, quote, text.chunks[0].chunk.doc_id)


def test_words_that_stand_there_are_exact(works: CitedWorks) -> None:
    checked = check(works, "\u201cthe same essays in every one of the years\u201d")
    assert (checked.verdict, checked.share) == (CitationVerdict.EXACT, 1.0)
    assert checked.found is not None
    assert checked.found.pages == "1"
    assert all(part.same for part in checked.beside)


def test_words_that_differ_are_shown_beside_those_of_the_work(works: CitedWorks) -> None:
    quote = "They agreed on almost all of the hundred and ten essays, and on none of the others."
    checked = check(works, quote)
    assert checked.verdict is CitationVerdict.NEAR
    differing = [(part.quote, part.work) for part in checked.beside if not part.same]
    assert differing == [("almost", "nearly"), ("ten", "twenty")]
    assert " ".join(part.quote for part in checked.beside) == quote.rstrip(".")
    answer = QuotationAnswer.of(checked)
    assert answer.beside == tuple(map(WordsBeside.of, checked.beside))
    assert answer.found is not None
    assert answer.found.text == PAGES[1].rstrip(".") or answer.found.text == PAGES[1]


def test_words_of_another_work_are_said_to_be_its(works: CitedWorks) -> None:
    checked = check(works, "Storks return to the same chimney for as long as there are frogs")
    assert checked.verdict is CitationVerdict.OTHER_WORK
    assert checked.found is not None
    assert checked.found.citekey == "roe2018"


def test_words_of_no_work_are_absent(works: CitedWorks) -> None:
    checked = check(works, "Nobody has ever counted the bats of the northern tower.")
    assert (checked.verdict, checked.found, checked.beside) == (CitationVerdict.ABSENT, None, ())


def test_a_few_words_are_not_called_absent(works: CitedWorks) -> None:
    checked = check(works, "the bats")
    assert checked.verdict is CitationVerdict.UNVERIFIABLE
    assert checked.reason is Reason.TOO_SHORT


def test_a_quotation_of_no_document_is_refused(works: CitedWorks) -> None:
    with pytest.raises(NotFound, match="'nothing'"):
        check_quotation(works, "the same essays", "nothing")
    for quote in ("", " ", "x" * (LONGEST_QUOTATION + 1)):
        with pytest.raises(InvalidFilter):
            check(works, quote)


@pytest.mark.parametrize(
    ("quote", "doubts"),
    [
        ("the variance \u03c3\u00b2 = x_(max)/2 was seen in all of them", (Doubt.FORMULA,)),
        ("was seen in all of them, but for one", ()),
    ],
)
def test_a_quotation_across_a_doubtful_formula_says_so(
    quote: str, doubts: tuple[Doubt, ...]
) -> None:
    text = (
        "In the lakes the variance \u03c3\u00b2 = x_(max)/2 was seen in all of them, but for one."
    )
    [one] = chunks("doe2020", [text])
    doubted = replace(one, chunk=replace(one.chunk, doubts=(Doubt.FORMULA,)))
    checked = check(works_of([doubted]), quote)
    assert checked.verdict is CitationVerdict.EXACT
    assert checked.found is not None
    assert checked.found.doubts == doubts
    answer = QuotationAnswer.of(checked)
    assert answer.found is not None
    assert answer.found.doubts == doubts
