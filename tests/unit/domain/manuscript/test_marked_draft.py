"""A draft with its checks where they stand, and which of them comes first."""

from __future__ import annotations

from dataclasses import replace

from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftParagraph,
    Mark,
    ParagraphKind,
)
from citeloom.domain.manuscript.marked_draft import (
    DraftPiece,
    marked_paragraphs,
    severity,
    worst_first,
)
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, Reason
from citeloom.domain.text.near import Remark, WordChange

TEXT = 'He says "reeds bend low" [@doe] and more.\n\n> They break.\n\nSee [@roe].'


def draft_of(text: str = TEXT) -> Draft:
    """Paragraphs of a draft with places for their words."""
    whole = Draft(name="d.md", text=text, paragraphs=())
    doe, roe = (
        DraftCitation(citekey=key, place=whole.place(text.index(key), text.index(key) + 3))
        for key in ("doe", "roe")
    )

    def paragraph(
        words: str, kind: ParagraphKind = ParagraphKind.TEXT, *marks: Mark
    ) -> DraftParagraph:
        anchors, at = [], 0
        for word in words.replace(MARK, " ").replace('"', " ").replace(".", " ").split():
            offset = words.index(word, at)
            anchors.append((offset, text.index(word), len(word)))
            at = offset + len(word)
        return DraftParagraph(text=words, kind=kind, marks=marks, anchors=tuple(anchors))

    # as a reader has it: words and marks
    first = f'He says "reeds bend low" {MARK} and more{MARK}.'
    note = Mark(offset=first.rindex(MARK), citations=(roe,), is_note=True)
    return replace(
        whole,
        paragraphs=(
            paragraph(
                first, ParagraphKind.TEXT, Mark(offset=first.index(MARK), citations=(doe,)), note
            ),
            paragraph("They break.", ParagraphKind.QUOTATION),
            paragraph(f"See {MARK}.", ParagraphKind.TEXT, Mark(offset=4, citations=(roe,))),
            DraftParagraph(text="—"),
        ),
    )


def check_of(draft: Draft, words: str, citation: DraftCitation | None = None) -> CitationCheck:
    start = draft.text.index(words)
    return CitationCheck(
        place=draft.place(start, start + len(words)),
        citekey="doe",
        quote=words,
        verdict=CitationVerdict.NEAR,
        citation=citation,
    )


def test_words_of_a_check_are_a_piece_with_its_number() -> None:
    draft = draft_of()
    doe, roe = draft.citations
    quoted, cited = check_of(draft, "reeds bend low", doe), check_of(draft, "roe", roe)
    first, quotation, last, dash = marked_paragraphs(draft, [quoted, cited])
    assert first.pieces == (
        DraftPiece(text='He says "'),
        DraftPiece(text="reeds bend low", check=0),
        DraftPiece(text='" '),
        DraftPiece(citation=doe, check=0),
        DraftPiece(text=" and more"),
        DraftPiece(is_note=True),
        DraftPiece(text="."),
    )
    assert (first.checks, first.line, first.last_line) == ((0,), 1, 1)
    assert quotation.pieces == (DraftPiece(text="They break."),)
    assert last.pieces == (
        DraftPiece(text="See "),
        DraftPiece(citation=roe, check=1),
        DraftPiece(text="."),
    )
    assert (last.checks, last.line) == ((1,), 5)
    assert (dash.line, dash.checks, dash.pieces) == (0, (), (DraftPiece(text="—"),))


def test_a_quotation_over_paragraphs_is_marked_in_each() -> None:
    draft = draft_of()
    start, end = draft.text.index("more"), draft.text.index("break") + 5
    whole = replace(check_of(draft, "more"), place=draft.place(start, end))
    first, quotation, *_ = marked_paragraphs(draft, [whole])
    assert first.checks == quotation.checks == (0,)
    assert DraftPiece(text="They break", check=0) in quotation.pieces


def test_a_citation_within_a_quotation_and_of_overlaps_the_first() -> None:
    draft = draft_of()
    outer, inner = check_of(draft, 'low" [@doe] and'), check_of(draft, "and more")
    first, *_ = marked_paragraphs(draft, [outer, inner])
    texts = [(piece.text, piece.check) for piece in first.pieces]
    assert texts == [
        ('He says "reeds bend ', None),
        ('low" ', 0),
        ("", None),
        (" and", 0),
        (" more", None),
        ("", None),
        (".", None),
    ]
    assert first.checks == (0, 1)


def severity_of(verdict: CitationVerdict, **fields: object) -> int:
    draft = draft_of()
    check = replace(check_of(draft, "low"), verdict=verdict)
    return severity(replace(check, **fields))  # type: ignore[arg-type]


def test_the_worst_comes_first() -> None:
    negated = (WordChange(quote="not", work="", remarks=(Remark.NEGATION,)),)
    ranks = [
        severity_of(CitationVerdict.NEAR, difference=negated),
        severity_of(CitationVerdict.ABSENT),
        severity_of(CitationVerdict.OTHER_WORK),
        severity_of(CitationVerdict.WRONG_PAGE),
        severity_of(CitationVerdict.NEAR),
        severity_of(CitationVerdict.UNVERIFIABLE, reason=Reason.UNKNOWN_CITEKEY),
        severity_of(CitationVerdict.ABSENT, is_term=True),
        severity_of(CitationVerdict.UNVERIFIABLE, reason=Reason.NO_TEXT),
        severity_of(CitationVerdict.EXACT),
    ]
    assert ranks == sorted({*ranks})
    assert severity_of(CitationVerdict.UNVERIFIABLE, retracted="2021") == ranks[0]


def test_findings_alone_are_to_be_looked_at() -> None:
    draft = draft_of()
    near = check_of(draft, "reeds bend low")
    exact = replace(near, verdict=CitationVerdict.EXACT)
    absent = replace(near, verdict=CitationVerdict.ABSENT)
    assert worst_first([exact, near, absent, near]) == [2, 1, 3]
