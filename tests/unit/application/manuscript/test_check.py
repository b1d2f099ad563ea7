"""The check of drafts: the verdict on each quotation and citation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from citeloom.application.events import shown_by
from citeloom.application.manuscript.check import check_draft
from citeloom.application.manuscript.works import CitedWorks
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import DeadlineExceeded, InvalidProject
from citeloom.domain.manuscript.corrections import corrections_of
from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
)
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, DraftReport, Reason
from citeloom.domain.project import Collection, Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from citeloom.infrastructure.answers.draft_checks import explained
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.embedders import HashingDense, TermHashSparse
from tests.fakes.progress import RecordedProgress
from tests.fakes.works import stored
from tests.unit.application.library import project_in

PROJECT = Project(
    id="lab/thesis",
    sources=("papers",),
    embedding_model="fake/hashing-dense",
    sparse_model="fake/term-hash-sparse",
)
DOE = (
    "Graders agree more often when they have marked the same essays for several years.",
    "In 1984 the committee did not accept 12 of the proposals that its members had made.",
)
ROE = ("Rain falls on the reading room, and nobody who reads in it hears the rain at all.",)


Check = Callable[..., DraftReport]
REFERENCES = tuple(
    CitationMeta(citekey=key, title=key) for key in ("doe2020", "roe2001", "poe1999")
)


@pytest.fixture
def check() -> Check:
    return check_of([*chunks("doe2020", DOE), *chunks("roe2001", ROE)])


def check_of(chunks: Sequence[StoredChunk], *, sparse: bool = True) -> Check:
    return partial(check_draft, works=works_of(chunks, sparse=sparse))


def chunks(citekey: str, pages: Sequence[str]) -> list[StoredChunk]:
    return [
        stored(text, at, citekey=citekey, pages=(at + 1, at + 1)) for at, text in enumerate(pages)
    ]


def works_of(
    chunks: Sequence[StoredChunk],
    references: Sequence[CitationMeta] = REFERENCES,
    *,
    sparse: bool = True,
) -> CitedWorks:
    index, dense, terms = InMemoryIndex(), HashingDense(), TermHashSparse() if sparse else None
    index.create(
        Collection(
            name=PROJECT.collection,
            project_id=PROJECT.id,
            generation="first",
            dense_model=dense.model_id,
            dimension=dense.dimension,
            sparse_model=terms.model_id if terms else None,
        )
    )
    bound = [
        replace(one, embed_model=dense.model_id, sparse_model=terms.model_id if terms else None)
        for one in chunks
    ]
    texts = [one.chunk.text for one in chunks]
    vectors = dense.embed_passages(texts)
    sparse_vectors = terms.embed_passages(texts) if terms else [None] * len(texts)
    index.upsert(
        PROJECT.collection,
        [
            EmbeddedChunk(stored=one, dense=vector, sparse=words)
            for one, vector, words in zip(bound, vectors, sparse_vectors)
        ],
    )
    project = project_in(index, settings=PROJECT, dense=dense, sparse=terms)
    return CitedWorks(project=project, read_references=lambda: references)


def draft(*lines: tuple[str, str]) -> Draft:
    """A draft of paragraphs; `@` is a citation, given as its key and suffix."""
    paragraphs: list[DraftParagraph] = []
    at = 0
    for line, cited in lines:
        text, where = line.replace("@", MARK), line.find("@")
        marks: tuple[Mark, ...] = ()
        if where >= 0:
            key, _, suffix = cited.partition(",")
            place = DraftLocation(at + where, at + where + 1, len(paragraphs) + 1, where + 1)
            citation = DraftCitation(citekey=key, place=place, suffix=suffix)
            marks = (Mark(offset=where, citations=(citation,)),)
        anchors = tuple((n, at + n, 1) for n, char in enumerate(text) if char.isalnum())
        paragraphs.append(DraftParagraph(text=text, marks=marks, anchors=anchors))
        at += len(text) + 1
    text = "\n".join(paragraph.text for paragraph in paragraphs)
    return Draft(name="thesis.md", text=text, paragraphs=tuple(paragraphs))


def only(report: DraftReport) -> CitationCheck:
    [check] = report.checks
    return check


@pytest.mark.parametrize(
    ("line", "cited", "verdict", "page"),
    [
        ("“marked the same essays” @", "doe2020,p. 1", CitationVerdict.EXACT, "1"),
        ("“Graders agree […] several years” @", "doe2020", CitationVerdict.EXACT, "1"),
        ("“marked the same essays” @", "doe2020,p. 2", CitationVerdict.WRONG_PAGE, "1"),
        (
            "“marked the other essays for several years” @",
            "doe2020,p. 1",
            CitationVerdict.NEAR,
            "1",
        ),
        (
            "“nobody who reads in it hears the rain” @",
            "doe2020,p. 1",
            CitationVerdict.OTHER_WORK,
            "1",
        ),
        ("“elephants never write any theses” @", "doe2020,p. 1", CitationVerdict.ABSENT, None),
        ("“In 1985 the committee did not accept” @", "doe2020", CitationVerdict.NEAR, "2"),
    ],
)
def test_the_verdict_on_a_quotation(
    check: Check, line: str, cited: str, verdict: CitationVerdict, page: str | None
) -> None:
    result = only(check(draft((line, cited))))
    assert result.verdict is verdict
    assert (result.found.pages if result.found else None) == page


@pytest.mark.parametrize(
    ("line", "cited", "page", "reason"),
    [
        ("“marked the same essays” @", "doe2020,p. 1", "1", None),
        ("“marked the same essays” @", "doe2020,ch. 1, p. 1", "1", None),
        ("“marked the same essays” @", "doe2020", None, Reason.NO_PAGE_CITED),
        ("“marked the same essays” @", "doe2020,ch. 1", None, Reason.NO_PAGE_CITED),
        ("“marked the same essays” @", "doe2020,3rd part", None, Reason.UNREAD_LOCATOR),
        ("So @ says “marked the same essays” (p. 1).", "doe2020", "1", None),
    ],
)
def test_only_a_page_that_was_read_is_called_the_cited_one(
    check: Check, line: str, cited: str, page: str | None, reason: Reason | None
) -> None:
    result = only(check(draft((line, cited))))
    assert (result.verdict, result.page, result.reason) == (CitationVerdict.EXACT, page, reason)
    assert ("on the cited page" in explained(result)) is (reason is None)
    assert result.is_finding is (reason is Reason.UNREAD_LOCATOR)


def test_a_page_behind_a_quotation_is_checked(check: Check) -> None:
    result = only(check(draft(("So @ says “marked the same essays” (p. 2).", "doe2020"))))
    assert (result.verdict, result.page) == (CitationVerdict.WRONG_PAGE, "2")


def test_a_work_without_pages_is_called_so() -> None:
    paged = stored("Graders have marked the same essays here.")
    place = Paragraph(section="1", number=1)
    chunk = replace(paged.chunk, page_span=None, paragraphs=(place, place))
    check = check_of([replace(paged, chunk=chunk)])
    result = only(check(draft(("“marked the same essays” @", "doe2020,p. 1"))))
    assert (result.verdict, result.reason) == (CitationVerdict.EXACT, Reason.NO_PAGES)
    assert explained(result).endswith("the work has no pages")


def test_a_locator_that_cannot_be_read_is_told(check: Check) -> None:
    result = only(check(draft(("As is known @.", "doe2020,3rd part"))))
    assert (result.reason, result.fails) == (Reason.UNREAD_LOCATOR, False)
    assert "“3rd part”" in explained(result)


@pytest.mark.parametrize(
    ("line", "verdict", "is_term"),
    [
        ("“elephants never write any theses” @", CitationVerdict.ABSENT, True),
        ("“marked the other essays” @", CitationVerdict.NEAR, True),
        ("“rain on the reading room” @", CitationVerdict.NEAR, True),
        ("“hears the rain at all” @", CitationVerdict.OTHER_WORK, True),
        ("“did accept 12 of the” @", CitationVerdict.NEAR, True),
        ("“did not accept 13 of” @", CitationVerdict.NEAR, True),
        ("“did not accept 13 of the” @", CitationVerdict.NEAR, False),
        ("“elephants never write any theses here” @", CitationVerdict.ABSENT, False),
        ("“marked the other essays for years” @", CitationVerdict.NEAR, False),
    ],
)
def test_a_few_words_may_be_a_term_that_is_neither_a_fault_nor_corrected(
    check: Check, line: str, verdict: CitationVerdict, is_term: bool
) -> None:
    text = draft((line, "roe2001" if "rain on" in line else "doe2020"))
    report = check(text)
    result = only(report)
    assert (result.verdict, result.is_term, report.passed) == (verdict, is_term, is_term)
    assert explained(result).endswith("may be a term: no fault") is is_term
    if is_term:
        assert list(corrections_of(text, result)) == []


def test_what_a_comment_or_the_settings_call_no_quotation_is_none(check: Check) -> None:
    lines = (
        ("“elephants never write any theses here” @", "doe2020"),
        (
            "“elephants never write any theses there” @ <!-- citeloom: not a quotation -->",
            "doe2020",
        ),
        ("“a thesis that no elephant ever wrote” @", "doe2020"),
    )
    report = check(draft(*lines), terms=["A thesis, that no elephant ever wrote."])
    assert [one.place.line for one in report.checks] == [1]
    assert report.ignored == 2
    assert report.coverage.uncited == ()


@pytest.mark.parametrize(
    ("quote", "verdict", "reason"),
    [
        ("when they have marked the same essays", CitationVerdict.EXACT, None),
        ("when they have marked the old essays", CitationVerdict.NEAR, None),
        (
            "elephants never write any theses here",
            CitationVerdict.UNVERIFIABLE,
            Reason.CITED_BEFORE,
        ),
    ],
)
def test_a_quotation_behind_a_cited_sentence_is_looked_up_there(
    check: Check, quote: str, verdict: CitationVerdict, reason: Reason | None
) -> None:
    result = only(check(draft((f"It is so @. It says “{quote}” there.", "doe2020,p. 1"))))
    assert (result.verdict, result.reason) == (verdict, reason)


def test_another_work_is_named(check: Check) -> None:
    result = only(check(draft(("“nobody who reads in it hears the rain” @", "doe2020"))))
    assert result.found is not None
    assert (result.found.citekey, result.found.text) == (
        "roe2001",
        "nobody who reads in it hears the rain",
    )


def test_another_work_is_found_without_sparse_vectors() -> None:
    without = check_of([*chunks("doe2020", DOE), *chunks("roe2001", ROE)], sparse=False)
    result = only(without(draft(("“nobody who reads in it hears the rain” @", "doe2020"))))
    assert result.verdict is CitationVerdict.OTHER_WORK


@pytest.mark.parametrize(
    ("line", "cited", "reason", "fails"),
    [
        ("“any words there are” @", "poe1999", Reason.NOT_IN_LIBRARY, False),
        ("“so weit ist es” @", "doe2020, my translation", Reason.TRANSLATION, False),
        ("“so-called” @", "doe2020", Reason.TOO_SHORT, False),
    ],
)
def test_what_cannot_be_verified_says_why(
    check: Check, line: str, cited: str, reason: Reason, fails: bool
) -> None:
    result = only(check(draft((line, cited))))
    assert (result.verdict, result.reason) == (CitationVerdict.UNVERIFIABLE, reason)
    assert result.fails is fails


def test_a_work_without_text_cannot_be_verified() -> None:
    scan = check_of([stored("p. 1", citekey="doe2020")])
    assert only(scan(draft(("“any words there are” @", "doe2020")))).reason is Reason.NO_TEXT


def test_an_unknown_citekey_fails_and_the_nearest_are_named(check: Check) -> None:
    report = check(draft(("As is known @.", "doe2002")))
    result = only(report)
    assert (result.reason, result.quote) == (Reason.UNKNOWN_CITEKEY, None)
    assert "doe2020" in result.near_citekeys
    assert not report.passed


def test_a_quotation_with_an_unknown_citekey_is_reported_once(check: Check) -> None:
    result = only(check(draft(("“any words there are” @.", "doe2002"))))
    assert (result.reason, result.quote) == (Reason.UNKNOWN_CITEKEY, "any words there are")
    assert "doe2020" in result.near_citekeys
    assert result.citation is not None
    assert result.place == result.citation.place


def test_a_page_that_the_work_has_not_fails(check: Check) -> None:
    assert only(check(draft(("As is known @.", "doe2020,p. 7")))).reason is Reason.NO_SUCH_PAGE
    assert check(draft(("As is known @.", "doe2020,p. 2"))).checks == ()


def test_a_retracted_work_fails() -> None:
    title = "RETRACTED: Graders"
    works = works_of(chunks("doe2020", DOE), [CitationMeta(citekey="doe2020", title=title)])
    report = check_draft(draft(("As is known @.", "doe2020")), works)
    assert (only(report).retracted, report.passed) == (title, False)


def test_a_retraction_that_zotero_knows_is_in_the_index() -> None:
    [chunk] = [stored("Words of it that are long enough.", citekey="doe2020")]
    assert chunk.citation is not None
    citation = replace(chunk.citation, retracted="2021-02-03")
    report = check_of([replace(chunk, citation=citation)])(draft(("As @.", "doe2020")))
    assert only(report).retracted == "2021-02-03"


def test_checks_are_counted_in_the_order_of_the_draft(check: Check) -> None:
    report = check(
        draft(
            ("“marked the same essays” @", "doe2020,p. 2"),
            ("As is known @.", "doe2002"),
            ("“Rain falls on the reading room” @", "roe2001,p. 1"),
        )
    )
    assert [one.place.line for one in report.checks] == [1, 2, 3]
    counts = {verdict: number for verdict, number in report.counts.items() if number}
    assert counts == {"wrong_page": 1, "unverifiable": 1, "exact": 1}
    assert report.citations == 3


def test_repeated_quotations_are_judged_by_the_pages_of_each_citation_and_counted(
    check: Check,
) -> None:
    quote = "“marked the same essays” @"
    pages = ("p. 2", "p. 1", "p. 2")
    shown = RecordedProgress()
    report = check(
        draft(*((quote, f"doe2020,{page}") for page in pages), (quote, "roe2001")),
        events=shown_by(shown),
    )
    verdicts = [one.verdict for one in report.checks]
    assert verdicts == ["wrong_page", "exact", "wrong_page", "other_work"]
    assert [one.place.line for one in report.checks] == [1, 2, 3, 4]
    assert shown.total == 4
    assert shown.stages[0] == ("2 works", "loading")
    assert [stage for _, stage in shown.stages[1:]] == ["checking"] * 4
    assert len({place for place, _ in shown.outcomes}) == 4
    assert shown.finished


def test_every_quotation_of_a_line_is_counted_by_itself(check: Check) -> None:
    shown = RecordedProgress()
    line = "“marked the same essays” @ and “marked the same essays” again"
    check(draft((line, "doe2020,p. 1")), events=shown_by(shown))
    assert len({place for place, _ in shown.outcomes}) == shown.total == 2


def test_powers_are_exact_where_a_pdf_has_them_as_two_numbers() -> None:
    check = check_of(
        chunks("doe2020", ["That would lead to over 10 12 ways to call the function."])
    )
    line = "It has “over {} ways to call” @ of them"
    for power, verdict in (("10¹²", "exact"), ("10^12", "exact"), ("10^{12}", "exact")):
        assert only(check(draft((line.format(power), "doe2020")))).verdict == verdict
    for number in ("10¹³", "1012"):
        assert only(check(draft((line.format(number), "doe2020")))).verdict == "near"


def test_a_mark_that_the_quotation_keeps_is_not_taken_for_its_change() -> None:
    text = "The array was fast (Oliphant, 2015) and the machine was rarely short of memory then."
    listed = stored("Oliphant, T. (2015). Arrays for everybody.", 1, kind=ChunkKind.REFERENCE)
    check = check_of([*chunks("doe2020", [text]), listed])
    line = "“The array was quick (Oliphant, 2015) and the machine was rarely short of memory” @"
    found = only(check(draft((line, "doe2020"))))
    assert found.verdict == "near"
    assert [change.quote for change in found.difference] == ["quick"]


def test_nothing_ingested_and_cancelled_checks_end(check: Check) -> None:
    cancelled = Cancellation()
    cancelled.request()
    with pytest.raises(DeadlineExceeded):
        check(draft(("“marked the same essays” @", "doe2020")), cancellation=cancelled)
    empty = CitedWorks(project=project_in(InMemoryIndex(), settings=PROJECT), read_references=list)
    with pytest.raises(InvalidProject):
        check_draft(draft(("A.", "")), empty)


def test_an_exact_quotation_across_a_doubtful_formula_is_to_be_compared_with_the_page() -> None:
    [one] = chunks("doe2020", ["In all lakes the variance x_(max)/2 was seen by the graders."])
    doubted = replace(one, chunk=replace(one.chunk, doubts=(Doubt.FORMULA,)))
    line = ("“the variance x_(max)/2 was seen” @", "doe2020,p. 1")
    result = only(check_of([doubted])(draft(line)))
    assert (result.verdict, result.fails, result.is_finding) == (CitationVerdict.EXACT, False, True)
    assert explained(result).endswith("; compare it with the page (formula)")
    plain = only(check_of([one])(draft(line)))
    assert not plain.is_finding
    assert "compare" not in explained(plain)


def test_an_exact_quotation_of_a_scan_names_its_words_that_seem_misread() -> None:
    [one] = chunks("doe2020", ["Nobody has seen tbe men who take the rest away in tlie night."])
    doubted = replace(one, chunk=replace(one.chunk, doubts=(Doubt.SCAN,)))
    result = only(check_of([doubted])(draft(("“has seen tbe men who take the” @", "doe2020,p. 1"))))
    assert result.found
    assert result.found.doubtful_words == ("tbe",)
    assert explained(result).endswith('; compare it with the page (text of an old scan "tbe")')
