"""A draft open in an editor: only what has changed is read again."""

from __future__ import annotations

import pytest

from citeloom.application.manuscript.open_draft import OpenDraft
from citeloom.domain.manuscript.draft import Draft, DraftCitation
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, DraftReport

SOURCE = "One is wrong.\n\nTwo is right.\n\nThree is wrong."


class Reader:
    """Reads sources, and finds the word 'wrong' at fault."""

    def __init__(self) -> None:
        self.read_texts: list[str] = []

    def read(self, source: str) -> Draft:
        self.read_texts.append(source)
        return Draft(name="d.md", text=source, paragraphs=())

    def check(self, draft: Draft) -> DraftReport:
        found: list[CitationCheck] = []
        at = draft.text.find("wrong")
        while at >= 0:
            place = draft.place(at, at + 5)
            cited = DraftCitation(citekey="doe2020", place=place) if len(found) % 2 == 0 else None
            check = CitationCheck(
                place=place,
                citekey="doe2020",
                quote=None,
                verdict=CitationVerdict.NEAR,
                citation=cited,
            )
            found.append(check)
            at = draft.text.find("wrong", at + 1)
        return DraftReport(draft=draft.name, checks=tuple(found), citations=0)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def draft(reader: Reader) -> OpenDraft:
    return OpenDraft(name="d.md", read=reader.read, check=reader.check)


def words(draft: OpenDraft) -> list[tuple[str, int, int]]:
    return [
        (draft.source[check.place.start : check.place.end], check.place.line, check.place.column)
        for check in draft.checks()
    ]


def test_a_draft_is_checked_whole_once(draft: OpenDraft, reader: Reader) -> None:
    assert len(draft.check_all(SOURCE)) == 2
    assert words(draft) == [("wrong", 1, 8), ("wrong", 5, 10)]
    assert reader.read_texts == [SOURCE]


def test_an_edit_reads_its_block_and_moves_the_rest(draft: OpenDraft, reader: Reader) -> None:
    draft.check_all(SOURCE)
    edited = SOURCE.replace("Two is right", "Two lines\nnow wrong")
    checks = draft.check_edit(edited)
    assert reader.read_texts[1:] == ["Two lines\nnow wrong.\n\n"]
    assert words(draft) == [("wrong", 1, 8), ("wrong", 4, 5), ("wrong", 6, 10)]
    assert all(check.citation is None or check.citation.place == check.place for check in checks)


def test_what_is_taken_away_is_forgotten(draft: OpenDraft, reader: Reader) -> None:
    draft.check_all(SOURCE)
    draft.check_edit(SOURCE.partition("Three")[0])
    assert words(draft) == [("wrong", 1, 8)]
    assert len(reader.read_texts) == 1
    draft.check_edit("")
    assert words(draft) == []


def test_a_footnote_counts_in_the_block_that_it_stands_in(draft: OpenDraft, reader: Reader) -> None:
    draft.check_all("Text.\n\n[^1]: It is wrong.")
    draft.check_edit("Text.[^1]\n\n[^1]: It is wrong.")
    assert reader.read_texts[-1] == "Text.[^1]\n\n[^1]: It is wrong."
    assert words(draft) == [("wrong", 3, 13)]


def test_blank_blocks_are_not_read(draft: OpenDraft, reader: Reader) -> None:
    draft.check_edit("\n\n")
    assert reader.read_texts == []
