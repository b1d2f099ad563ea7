"""The order of a page's lines: errors are counted, floats and notes apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.chunks.chunk import AnnotationRef, Chunk, ChunkKind
from citeloom.domain.evaluation.line_order import (
    PageText,
    PrintedLine,
    PrintedPage,
    page_order,
    parts_in_doubt,
    texts_by_page,
)

WORDS = (
    "The river carries barley past the old mill",
    "Farmers of the valley plant rye in September",
    "Storms in winter break the wooden bridges",
    "Merchants count their wool before the market",
    "Children gather chestnuts under the abbey walls",
    "Masons repair the tower with yellow sandstone",
    "Pilgrims rest beside the fountain at midday",
    "Scribes copy ledgers of the weavers' guild",
)
NOTE = "1 Registers of this kind lie in the archive"
SECOND_NOTE = "2 Nothing is known of the other volumes"


def page(*lines: PrintedLine, tagged: bool = False) -> PrintedPage:
    text = "\n".join(line.text for line in lines)
    return PrintedPage(text=text, lines=tuple(lines), tagged=tagged)


def column(
    *texts: str, left: float = 50.0, top: float = 100.0, size: float = 10.0
) -> list[PrintedLine]:
    """Lines below one another."""
    tops = [top + 12 * at for at in range(len(texts))]
    return [
        PrintedLine(text=text, left=left, top=at, right=left + 200, bottom=at + 9, size=size)
        for text, at in zip(texts, tops)
    ]


def stored(*texts: str) -> list[PageText]:
    return [PageText(text=text) for text in texts]


def test_the_same_order_has_no_fault() -> None:
    order = page_order(page(*column(*WORDS)), stored(" ".join(WORDS[:4]), "\n".join(WORDS[4:])))
    assert (order.lines, order.moved, order.torn, order.is_doubtful) == (8, (), (), False)


def test_the_fewest_lines_that_must_move_are_out_of_order() -> None:
    texts = [*WORDS[:2], *WORDS[3:6], WORDS[2], *WORDS[6:]]
    order = page_order(page(*column(*WORDS)), stored(*texts))
    assert order.moved == (WORDS[2],)
    assert order.is_doubtful


def test_a_line_that_is_divided_between_two_blocks_is_torn() -> None:
    label, rest = WORDS[3].split(" their ")
    texts = [label, *WORDS[:3], *WORDS[4:], f"their {rest}"]
    order = page_order(page(*column(*WORDS)), stored(*texts))
    assert (order.torn, order.moved) == ((WORDS[3],), ())
    assert order.is_doubtful


def test_accents_count_on_neither_side() -> None:
    printed = [*WORDS[:3], "Les th\u00b4eor`emes de la rivi`ere en \u00b4et\u00b4e", *WORDS[3:]]
    texts = [*WORDS[:3], "Les théorèmes de la rivière en été", *WORDS[3:]]
    assert page_order(page(*column(*printed)), stored(*texts)).lines == len(printed)


def test_lines_of_few_letters_and_repeated_ones_say_nothing() -> None:
    printed = column("x = 1", *WORDS[:2], WORDS[0], *WORDS[2:])
    order = page_order(page(*printed), stored(*reversed(WORDS[:2]), *WORDS[2:], "x = 1"))
    assert (order.lines, order.moved) == (7, ())


def test_a_note_at_the_foot_may_stand_behind_the_text_of_the_next_column() -> None:
    lines = [
        *column(*WORDS[:4]),
        *column(NOTE, top=160, size=8),
        *column(*WORDS[4:], left=300),
    ]
    order = page_order(page(*lines), stored(*WORDS, NOTE))
    assert (order.moved, order.floats) == ((), (NOTE,))


def test_text_that_passes_notes_is_not_out_of_order_either() -> None:
    lines = [
        *column(*WORDS[:6]),
        *column(NOTE, SECOND_NOTE, top=180, size=8),
        *column(WORDS[6], left=300),
    ]
    order = page_order(page(*lines), stored(*WORDS[:7], NOTE, SECOND_NOTE))
    assert (order.moved, order.floats) == ((), (WORDS[6],))


def test_small_text_between_lines_of_the_body_is_no_note() -> None:
    lines = column(*WORDS)
    lines[3] = replace(lines[3], size=8)
    texts = [*WORDS[:3], *WORDS[4:], WORDS[3]]
    assert page_order(page(*lines), stored(*texts)).moved == (WORDS[3],)


@pytest.mark.parametrize("caption", ["Table 2. Harvests by year", "Figure A.1: The abbey"])
def test_captions_move_by_custom(caption: str) -> None:
    lines = column(*WORDS[:4], caption, *WORDS[4:])
    order = page_order(page(*lines), stored(*WORDS, caption))
    assert (order.moved, order.floats) == ((), (caption,))


def test_a_sentence_on_a_figure_is_no_caption() -> None:
    sentence = "Figure 2 shows how the abbey was repaired"
    lines = column(*WORDS[:4], sentence, *WORDS[4:])
    assert page_order(page(*lines), stored(*WORDS, sentence)).moved == (sentence,)


def test_a_table_may_stand_anywhere() -> None:
    rows = ("Barley 1712 1713 1714", "Wheat 1802 1803 1804")
    lines = column(*WORDS[:4], *rows, *WORDS[4:])
    parts = [PageText(text="\n".join(rows), aside=True), *stored(*WORDS)]
    assert page_order(page(*lines), parts).moved == ()


def test_a_page_drawn_from_the_bottom_says_nothing_unless_it_is_tagged() -> None:
    lines = column(*WORDS)[::-1]
    assert page_order(page(*lines), stored(*WORDS)).lines == 0
    assert page_order(page(*lines, tagged=True), stored(*WORDS[::-1])).lines == 8


def test_a_page_drawn_in_an_order_of_its_own_says_nothing() -> None:
    first, second = column(*WORDS[:4]), column(*WORDS[4:], left=300)
    order = page_order(page(*second, *first), stored(*WORDS))
    assert (order.lines, order.is_doubtful) == (0, False)


def test_chunks_are_divided_at_their_pages() -> None:
    mark = AnnotationRef(key="K")
    texts = texts_by_page(
        [
            chunk("Barley. Wheat.", (1, 2), starts=(8,)),
            chunk("Rye", (2, 3)),
            chunk("A | B", (3, 3), ChunkKind.TABLE),
            chunk("white words", (1, 1), ChunkKind.HIDDEN),
            chunk("a remark", (1, 1), ChunkKind.ANNOTATION, mark=mark),
            chunk("no pages", None, ChunkKind.NOTE, mark=mark),
        ]
    )
    assert {page: [(part.text, part.aside) for part in parts] for page, parts in texts.items()} == {
        1: [("Barley. ", False)],
        2: [("Wheat.", False), ("Rye", False)],
        3: [("Rye", False), ("A | B", True)],
    }


def chunk(
    text: str,
    span: tuple[int, int] | None,
    kind: ChunkKind = ChunkKind.TEXT,
    *,
    starts: tuple[int, ...] = (),
    mark: AnnotationRef | None = None,
) -> Chunk:
    return Chunk(
        id=text,
        doc_id="d",
        text=text,
        page_span=span,
        page_starts=starts,
        chunk_idx=0,
        token_count=3,
        signal_to_noise=1.0,
        kind=kind,
        mark=mark,
    )


def in_doubt(*parts: str) -> set[int]:
    printed = page(*column(*WORDS))
    return parts_in_doubt(printed, page_order(printed, stored(*parts)), parts)


def test_in_doubt_are_the_parts_with_a_moved_line_and_those_between_which_it_belongs() -> None:
    moved = [*WORDS[:2], *WORDS[3:7], WORDS[2], WORDS[7]]
    assert {moved[at] for at in in_doubt(*moved)} == set(WORDS[1:4])


def test_in_doubt_are_both_parts_of_a_torn_line() -> None:
    label, rest = WORDS[3].split(" their ")
    texts = [label, *WORDS[:3], *WORDS[4:], f"their {rest}"]
    assert {texts[at] for at in in_doubt(*texts)} == {label, WORDS[2], WORDS[4], texts[-1]}


def test_no_part_is_in_doubt_where_all_lines_are_in_order() -> None:
    assert in_doubt(*WORDS) == set()
