"""The quotations of a draft, and which citations are given for them."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
    ParagraphKind,
)
from citeloom.domain.manuscript.quotations import quotations, spans_in_quotation_marks


def paragraph(
    text: str, *keys: str, kind: ParagraphKind = ParagraphKind.TEXT, block: int = 0
) -> DraftParagraph:
    """A paragraph in which each `@` is a citation: `!key` in the text of a sentence, `^key` in a
    footnote; pages behind a comma.
    """
    marks = []
    for key in keys:
        at = text.index("@")
        text = text[:at] + MARK + text[at + 1 :]
        name, _, suffix = key.lstrip("!^").partition(",")
        place = DraftLocation(at, at + 1, 1, at + 1)
        cited = DraftCitation(citekey=name, place=place, suffix=suffix, in_text=key.startswith("!"))
        marks.append(Mark(offset=at, citations=(cited,), is_note=key.startswith("^")))
    anchors = tuple((at, at, 1) for at, char in enumerate(text) if char.isalnum())
    return DraftParagraph(text=text, marks=tuple(marks), anchors=anchors, kind=kind, block=block)


def found(*paragraphs: DraftParagraph) -> list[tuple[str, tuple[str, ...]]]:
    text = "\n".join(one.text for one in paragraphs)
    draft = Draft(name="draft.md", text=text, paragraphs=paragraphs)
    return [(q.text, tuple(c.citekey for c in q.citations)) for q in quotations(draft)]


def test_a_heading_quotes_what_it_cites_itself_and_no_other_work() -> None:
    cited = paragraph("“one two three” @", "a", kind=ParagraphKind.HEADING)
    named = paragraph("“four five six”", kind=ParagraphKind.HEADING)
    assert found(paragraph("Text @.", "z"), cited, named) == [("one two three", ("a",))]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("He says “one two” and «three».", ["one two", "three"]),
        ("Er sagt „eins zwei“ und »drei«.", ["eins zwei", "drei"]),
        ('It is "straight" here', ["straight"]),
        ("\u2018It\u2019s the authors\u2019 own\u2019 he said", ["It\u2019s the authors"]),
        ("“an \u2018inner\u2019 quotation”", ["an \u2018inner\u2019 quotation"]),
        ("“a ”strange” one” and ”Swedish”", ["a ”strange” one", "Swedish"]),
        ('"a "nested" one" and', ['a "nested" one']),
        ("Il dit « des mots », et «\u00a0d'autres\u202f».", [" des mots ", "\u00a0d'autres\u202f"]),
        ("Il dit « a « b » c » et «d»", [" a « b » c ", "d"]),
        ("Hän sanoo »yksi kaksi» ja »kolme».", ["yksi kaksi", "kolme"]),
        ("「彼は『そう』と言った」と書いた", ["彼は『そう』と言った"]),
        ("彼は「そう」と『これ』を言った", ["そう", "これ"]),
        ("他说“这个方法”和“那个”。", ["这个方法", "那个"]),
        ("他说「甲「乙」丙」。", ["甲「乙」丙"]),
        ('"never closed, "inner" and more', ["inner"]),
        ('a 5" pipe and nothing', []),
        ("“never closed", []),
    ],
)
def test_quotation_marks_are_paired(text: str, spans: list[str]) -> None:
    assert [text[start:end] for start, end in spans_in_quotation_marks(text)] == spans


@pytest.mark.parametrize("text", ['"a ' * 30_000, "“a " * 30_000, "„a “b " * 15_000, "« " * 30_000])
def test_thousands_of_marks_that_never_close_take_no_time(text: str) -> None:
    begun = process_time()
    assert len(list(spans_in_quotation_marks(text))) in {0, 15_000}
    assert process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "keys", "expected"),
    [
        ("A says “one” @.", ("a",), [("one", ("a",))]),
        ("“One.” @ And @ too.", ("a", "b"), [("One.", ("a",))]),
        ("As @ says, “one”, and @ says “two”.", ("!a", "!b"), [("one", ("a",)), ("two", ("b",))]),
        ("“one” and “two” @.", ("a",), [("one", ("a",)), ("two", ("a",))]),
        ("As @ says, “one”@.", ("!a", "^b"), [("one", ("b",))]),
        ("@ writes “one”, unlike @.", ("!a,p. 3", "b"), [("one", ("a",))]),
        ("It is so @. Some say “one”.", ("a",), []),
    ],
)
def test_the_citations_of_a_quotation(
    text: str, keys: tuple[str, ...], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert found(paragraph(text, *keys)) == expected


def test_a_quotation_without_a_citation_may_be_of_the_sentence_before() -> None:
    text = "It is so @. It says “one two three four five six” there. And “a b c d e f” so."
    one = paragraph(text, "a,p. 3")
    draft = Draft(name="draft.md", text=one.text, paragraphs=(one,))
    [first] = quotations(draft)
    assert (first.text, first.citations[0].citekey) == ("one two three four five six", "a")
    assert first.is_cited_before


@pytest.mark.parametrize(
    ("behind", "key", "page"),
    [
        ("(ibid., p. 5)", "b", "5"),
        ("(ebd., S. 5).", "b", "5"),
        ("(ibid.)", "b", "3"),
        ("[idem: 5]", "b", "5"),
        ("(identical)", None, None),
    ],
)
def test_the_same_work_again_is_the_one_cited_last(
    behind: str, key: str | None, page: str | None
) -> None:
    before = paragraph("It is so @, and so @.", "a,p. 1", "b,p. 3")
    quoting = paragraph(f"It says “one two” {behind}.")
    text = f"{before.text}\n{quoting.text}"
    draft = Draft(name="draft.md", text=text, paragraphs=(before, quoting))
    cited = [(c.citekey, str(c.locator)) for q in quotations(draft) for c in q.citations]
    assert cited == ([(key, page)] if key else [])
    assert all(not one.is_cited_before for one in quotations(draft))


def test_thousands_of_quotations_in_a_paragraph_take_no_time() -> None:
    many = paragraph("He says “words of it” so. " * 4_000)
    marks = [at for at, char in enumerate(many.text) if char == "."]
    cited = DraftCitation(citekey="a", suffix="p. 1")
    one = replace(many, marks=tuple(Mark(offset=at, citations=(cited,)) for at in marks))
    begun = process_time()
    assert len(quotations(Draft(name="d.md", text=one.text, paragraphs=(one,)))) == 4_000
    assert process_time() - begun < 2


def test_a_block_is_cited_in_it_behind_it_or_before_it() -> None:
    quote = ParagraphKind.QUOTATION
    inside = paragraph("Words of it. @", "a", kind=quote, block=1)
    bare = paragraph("Words of it.", kind=quote, block=1)
    assert found(paragraph("As @ says:", "!b"), inside) == [("Words of it.", ("a",))]
    assert found(paragraph("As @ says:", "!b"), bare) == [("Words of it.", ("b",))]
    assert found(bare, paragraph("@ And so on.", "c")) == [("Words of it.", ("c",))]
    assert found(bare, paragraph("And so on @.", "c")) == []


def test_paragraphs_of_one_block_are_one_quotation() -> None:
    quote = ParagraphKind.QUOTATION
    first = paragraph("First of it.", kind=quote, block=1)
    second = paragraph("“Second of it.” — @", "a", kind=quote, block=1)
    assert found(first, second) == [("First of it. “Second of it.”", ("a",))]


@pytest.mark.parametrize(
    "suffix", ["p. 3, my translation", "3, Übers. d. Verf.", "own translation"]
)
def test_translations_are_marked(suffix: str) -> None:
    draft = Draft(name="d", text="x", paragraphs=(paragraph("“one” @", f"a,{suffix}"),))
    assert [quotation.is_translation for quotation in quotations(draft)] == [True]


def test_the_citation_before_a_block_is_found_past_a_footnote() -> None:
    block = paragraph("Nobody hears it.", kind=ParagraphKind.QUOTATION, block=1)
    note = paragraph("A note.", kind=ParagraphKind.NOTE)
    leading = paragraph("As Roe says @:", "roe2001")
    assert found(leading, note, block) == [("Nobody hears it.", ("roe2001",))]
    assert found(paragraph("As Roe says:"), note, block) == []
    assert found(note, block) == []


def test_a_block_of_its_citation_alone_is_no_quotation() -> None:
    empty = paragraph("@", "roe2001", kind=ParagraphKind.QUOTATION, block=1)
    assert found(empty) == []


def test_an_attribution_and_quotation_marks_around_a_block_are_not_its_words() -> None:
    block = paragraph(
        "“Nobody hears it.” — Roe @", "roe2001", kind=ParagraphKind.QUOTATION, block=1
    )
    assert found(block) == [("Nobody hears it.", ("roe2001",))]
