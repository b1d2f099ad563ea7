"""Which small text is a footnote."""

from __future__ import annotations

import pytest
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock
from citeloom_pdf.structure.assembly import assemble
from citeloom_pdf.structure.footnotes import mark_footnotes
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

SMALL = style(8)


def prose(top: float, text: str = SENTENCE, left: float = 100) -> LayoutBlock:
    return block("\n".join([text] * 4), (left, top, left + 180, top + 60))


def small(text: str, top: float, left: float = 100) -> LayoutBlock:
    return block(text, (left, top, left + 180, top + 10), look=SMALL)


def notes(*pages: list[LayoutBlock]) -> list[str]:
    mark_footnotes([page(number, *blocks) for number, blocks in enumerate(pages, 1)], 10.0)
    found = (block for blocks in pages for block in blocks)
    return [block.text for block in found if block.label == DocItemLabel.FOOTNOTE]


@pytest.mark.parametrize(
    "text",
    [
        "1 See the survey.",
        "12 См. обзор.",
        "¹ Βλ. την έρευνα.",
        "3조사를 보라.",
        "** «Voir»",
        "7参见",
    ],
)
def test_small_text_with_a_mark_at_the_foot_is_a_note_in_any_script(text: str) -> None:
    assert notes([prose(100), small(text, 700)]) == [text]


def test_text_of_any_size_that_begins_with_a_number_raised_above_it_is_a_note() -> None:
    """As in files of word processors without a style for notes."""

    def found(text: str, *below: LayoutBlock) -> list[str]:
        first = block("1See it.", (100, 600, 280, 610))
        second = block("² It.", (100, 620, 280, 630))
        return notes([prose(100, text), first, second, *below])

    assert found("Gravel moves.¹ It stops.²") == ["1See it.", "² It."]
    assert found("Gravel moves. It stops.") == []
    assert found("Over 5 m¹ and m² of it.") == []
    assert found("Gravel moves.¹ It stops.²", prose(700)) == []


@pytest.mark.parametrize(
    ("call", "first", "second"),
    [
        ("gravel.¹ ² ", "¹ 1913 was wet.", "² It stops."),  # the other call is not read
        ("gravel1) and sand2)", "1) See it.", "2) It stops."),
        ("gravel*) and sand**)", "*) See it.", "**) It stops."),
        ("gravel¹) and sand. ²)", "¹ )See it.", "² )It stops."),
    ],
)
def test_notes_as_large_as_the_text_are_called_in_many_ways(
    call: str, first: str, second: str
) -> None:
    below = [block(first, (100, 600, 280, 610)), block(second, (100, 620, 280, 630))]
    assert notes([prose(100, f"Water moves {call}"), *below]) == [first, second]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Gravel moves (see p.1)", "1) It stops."),
        ("Gravel moves by (1)", "(1) It stops."),
        ("Gravel moves.", "1) It stops."),
    ],
)
def test_an_item_that_nothing_calls_is_no_note(text: str, item: str) -> None:
    assert notes([prose(100, text), block(item, (100, 600, 280, 610))]) == []


def test_small_text_with_a_letter_is_a_note() -> None:
    assert notes([prose(100), small("a See the survey.", 600)]) == ["a See the survey."]
    assert notes([prose(100), small("a survey of it", 600)]) == []


@pytest.mark.parametrize(("call", "text"), [("¹", "1. See it."), (" (1)", "(1) See it.")])
def test_small_text_with_a_number_that_is_called_is_a_note(call: str, text: str) -> None:
    item = block(text, (100, 600, 280, 610), DocItemLabel.LIST_ITEM, SMALL)
    assert notes([prose(100, f"Gravel moves{call}."), item]) == [text]
    item = block(text, (100, 600, 280, 610), DocItemLabel.LIST_ITEM)
    assert notes([prose(100, f"Gravel moves{call}."), item]) == []
    assert notes([prose(100), small(text, 600)]) == []


def test_a_note_goes_on_with_another_sentence_right_above_the_next_note() -> None:
    first = [prose(100), small("1 See the survey.", 700)]
    rest, own = small("It says more.", 700), small("2 See it.", 711)
    assert notes(first, [prose(100), rest, own]) == ["1 See the survey.", rest.text, own.text]
    apart = small("A source of it.", 690)
    assert notes(first, [prose(100), apart, small("2 See it.", 711)]) == [
        "1 See the survey.",
        "2 See it.",
    ]


def test_what_stands_below_a_note_belongs_to_it() -> None:
    assert notes([prose(100), small("1 See below.", 600), small("unstable", 620)]) == [
        "1 See below.",
        "unstable",
    ]


def test_small_text_above_the_rest_of_its_column_is_none() -> None:
    assert notes([small("1 University of Gravel", 80), prose(100)]) == []
    assert notes([prose(100), small("1 A table's first row", 300), prose(400)]) == []
    beside = [
        prose(100),
        small("1 See the survey.", 300),
        prose(100, left=320),
        prose(400, left=320),
    ]
    assert notes(beside) == ["1 See the survey."]


def test_a_note_goes_on_at_the_foot_of_the_next_page() -> None:
    first = [prose(100), small("1 The survey says of it that gravel and", 700)]
    assert notes(first, [prose(100), small("sand are moved by rivers", 700)]) == [
        "1 The survey says of it that gravel and",
        "sand are moved by rivers",
    ]
    listed = block("1. A. Author, B. Other", (100, 700, 280, 710), DocItemLabel.LIST_ITEM, SMALL)
    assert notes([prose(100), small("1 The survey and", 700)], [prose(100), listed]) == [
        "1 The survey and"
    ]


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        ("Gravel is moved by the", "River whose bed it is.", "1 See the survey."),
        ("Гравий движется по", "дну реки.", "1 См. обзор."),
        ("자갈은 강의 바닥에서", "움직인다.", "1 조사를 보라."),
        ("砾石在河流的底部", "被水流搬运。", "1 参见调查。"),
    ],
)
def test_no_note_stands_within_the_sentence_that_turns_the_page(
    first: str, second: str, note: str
) -> None:
    opening = block(f"{first}\n{first}", (100, 600, 500, 624))
    pages = [
        page(1, prose(100), opening, block(note, (100, 700, 300, 710), look=SMALL)),
        page(2, block(second, (100, 60, 500, 72)), prose(100)),
    ]
    texts = [item.text for item in assemble("gravel", pages, [], "").texts]
    between = "" if first.endswith("底部") else " "
    whole = between.join([first, first, second])
    assert whole in texts
    assert texts.index(note) != texts.index(whole)
