"""How much of a draft was read."""

from __future__ import annotations

from dataclasses import replace

from citeloom.domain.manuscript.coverage import coverage, with_reading
from citeloom.domain.manuscript.draft import (
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    ParagraphKind,
    WrittenCitation,
)
from citeloom.domain.manuscript.quotations import quotations
from tests.fakes.drafts import draft_of


def at(start: int) -> DraftLocation:
    return DraftLocation(start, start + 1, 1, start + 1)


def cited(key: str, start: int) -> DraftCitation:
    return DraftCitation(citekey=key, place=at(start))


def test_a_citation_is_read_at_its_place_or_by_number() -> None:
    written = [
        WrittenCitation(citekey=key, place=at(start))
        for start, key in enumerate(["doe", "doe", "doe", "roe", "poe"])
    ]
    read = [cited("doe", 2), cited("doe", 70), cited("roe", 80), cited("roe", 90)]
    found = list(with_reading(written, read))
    assert [one.is_read for one in found] == [True, False, True, True, False]
    assert [replace(one, is_read=False) for one in found] == written


def test_the_share_is_that_of_citations_or_of_paragraphs() -> None:
    written = (
        WrittenCitation(citekey="doe", place=at(0), is_read=True),
        WrittenCitation(citekey="roe", place=at(5), is_certain=False),
        WrittenCitation(citekey="word", place=at(9), is_certain=False),
    )
    draft = replace(draft_of("One.", "Two.", "Three."), written=written)
    of_citations = coverage(draft, [], {"roe"})
    assert (of_citations.written, of_citations.read, of_citations.share) == (2, 1, 0.5)
    assert [one.citekey for one in of_citations.unread] == ["roe"]
    assert coverage(draft, [], ()).share == 1.0
    of_paragraphs = coverage(replace(draft, unreadable=(at(0),)), [], ())
    assert (of_paragraphs.share, of_paragraphs.read) == (0.75, 1)
    assert coverage(draft_of(), [], ()).share == 1.0


def test_what_is_in_quotation_marks_is_seen_or_said() -> None:
    draft = draft_of(
        'It says "one two three" {@doe}. A "term" and “a whole quotation alone” here.',
        'It “never closes and “again; a 5" pipe, "and one more',
        '"closed first" and “opened behind',
    )
    found = coverage(draft, quotations(draft), ())
    assert [draft.text[one.start : one.end] for one in found.uncited] == ["whole quotation alone”"]
    assert [one.line for one in found.unclosed] == [2, 2, 2, 3]
    assert not coverage(draft_of("It\u2019s \u2018here\u2019 and not “there”."), [], ()).unclosed


def test_a_block_quotation_without_a_citation_is_said_once() -> None:
    paragraphs = [
        DraftParagraph(text=text, kind=kind, block=block, anchors=((0, at, 3),))
        for text, kind, block, at in [
            ("Before it", ParagraphKind.TEXT, 0, 0),
            ("The block", ParagraphKind.QUOTATION, 1, 10),
            ("and on", ParagraphKind.QUOTATION, 1, 20),
            ('"A heading of four words"', ParagraphKind.HEADING, 0, 30),
        ]
    ]
    draft = Draft(name="a.md", text="x" * 40, paragraphs=tuple(paragraphs))
    assert [one.start for one in coverage(draft, quotations(draft), ()).uncited] == [10]
