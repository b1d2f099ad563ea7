"""Pages and words of a draft, corrected where that is sure."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.corrections import corrected
from citeloom.domain.manuscript.draft import Draft, DraftCitation
from citeloom.domain.manuscript.verdicts import (
    CitationCheck,
    CitationVerdict,
    DraftReport,
    FoundText,
)
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.text.near import WordChange

PAGE_12 = Locator(page_start=12, page_end=12)


def correct(
    text: str,
    suffix: str,
    *changes: WordChange,
    name: str = "thesis.md",
    found: Locator = PAGE_12,
) -> tuple[str, int]:
    """The corrected text, and how many checks are left."""
    draft = Draft(name=name, text=text, paragraphs=(), is_plain_text=name != "thesis.docx")
    start, end = text.index("“") + 1, text.index("”")
    at = text.index("doe")
    citation = DraftCitation(citekey="doe", place=draft.place(at, at + 3), suffix=suffix)
    text_there = FoundText(citekey="doe", doc_id="d", chunk_id="c", locator=found, text="")
    check = CitationCheck(
        place=draft.place(start, end),
        citekey="doe",
        quote=text[start:end],
        verdict=CitationVerdict.NEAR if changes else CitationVerdict.WRONG_PAGE,
        page=suffix,
        found=text_there,
        difference=changes,
        citation=citation,
    )
    result = corrected(draft, DraftReport(draft=name, checks=(check,), citations=1))
    return result.text, len(result.left)


@pytest.mark.parametrize(
    ("text", "suffix", "name", "expected"),
    [
        ("“a b” [@doe, p. 4] on p. 4", "p. 4", "thesis.md", "“a b” [@doe, p. 12] on p. 4"),
        ("@doe [p. 4] says “a b”", "p. 4", "thesis.md", "@doe [p. 12] says “a b”"),
        (
            "“a b” [@doe, pp. 4\u20135; @roe, p. 4]",
            "pp. 4\u20135",
            "t.md",
            "“a b” [@doe, p. 12; @roe, p. 4]",
        ),
        (r"“a b” \citep[p.~4]{roe,doe}", "p. 4", "thesis.tex", r"“a b” \citep[p.~12]{roe,doe}"),
        ("“a b” [@doe, pages 4-5]", "pages 4-5", "t.md", "“a b” [@doe, page 12]"),
        ("“a b” [@doe, ss. 4-5]", "ss. 4-5", "t.md", "“a b” [@doe, s. 12]"),
        ("“a b” [@doe, S. 4-5]", "S. 4-5", "t.md", "“a b” [@doe, S. 12]"),
        ("“a b” @doe[p. 4]", "p. 4", "thesis.typ", "“a b” @doe[p. 12]"),
    ],
)
def test_a_page_is_corrected_where_it_stands(
    text: str, suffix: str, name: str, expected: str
) -> None:
    assert correct(text, suffix, name=name) == (expected, 0)


def test_several_pages_have_the_label_of_several() -> None:
    locator = Locator(page_start=12, page_end=13)
    assert correct("“a b” [@doe, p. 4]", "p. 4", found=locator) == ("“a b” [@doe, pp. 12-13]", 0)
    assert correct("“a b” [@doe, S. 4]", "S. 4", found=locator) == ("“a b” [@doe, S. 12-13]", 0)


def test_words_are_corrected_once() -> None:
    change = WordChange(quote="teh cat", work="the cat")
    assert correct("“so *teh\ncat* sat” [@doe]", "", change)[0] == "“so *the cat* sat” [@doe]"
    twice = WordChange(quote="a", work="the")
    assert correct("“a cat and a dog” [@doe]", "", twice) == ("“a cat and a dog” [@doe]", 1)


def test_words_left_out_and_packed_files_are_left_to_the_author() -> None:
    missing = WordChange(quote="", work="not")
    assert correct("“it is so” [@doe]", "", missing) == ("“it is so” [@doe]", 1)
    text = "“a b” [@doe, p. 4]"
    assert correct(text, "p. 4", name="thesis.docx") == (text, 1)


def test_the_diff_names_the_draft() -> None:
    draft = Draft(name="t.md", text="one\n", paragraphs=())
    same = corrected(draft, DraftReport(draft="t.md", checks=(), citations=0))
    assert same.diff() == ""
