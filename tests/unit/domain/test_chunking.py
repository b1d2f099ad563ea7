"""How documents are cut, by example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from citeloom.domain.chunks.chunk import ChunkKind, chunk_id
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.pieces import pieces_of
from citeloom.domain.chunks.place_chunks import ChunkedDocument, FilterReason
from citeloom.domain.documents.conversion import (
    BlockKind,
    ConversionResult,
    Doubt,
    LeftOut,
    LeftOutKind,
    LostWords,
)
from citeloom.domain.policies import ChunkingPolicy
from tests.fakes.documents import (
    PAGE_BREAK,
    Part,
    caption,
    document,
    heading,
    paragraph,
    table,
    told,
    without_pages,
)
from tests.fakes.embedders import PieceCounter

COUNTER = PieceCounter()
NOTHING_LOST: Mapping[int, LostWords] = {}
POLICY = ChunkingPolicy(max_tokens=40, overlap_tokens=0, heading_context=2, min_chunk_tokens=8)


def cut(
    *parts: Part, policy: ChunkingPolicy = POLICY, lost: Mapping[int, LostWords] = NOTHING_LOST
) -> ChunkedDocument:
    return chunk_document(
        replace(document(*parts, page_labels={1: "i", 2: "ii"}), lost_words=lost),
        policy=policy,
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    )


def texts(chunked: ChunkedDocument) -> list[str]:
    return [chunk.text for chunk in chunked.chunks]


def test_sections_are_cut_apart_and_know_where_they_stand() -> None:
    first, second = cut(
        heading("Methods"),
        heading("Sampling", 2),
        paragraph(told("Wheat")),
        heading("Results"),
        paragraph(told("Rye")),
    ).chunks
    assert first.text == f"Methods\n\nSampling\n\n{told('Wheat')}"
    assert second.text == f"Results\n\n{told('Rye')}"
    assert (first.section_path, second.section_path) == (("Methods", "Sampling"), ("Results",))
    assert first.embedding_text == f"Methods > Sampling\n{first.text}"
    assert first.token_count == COUNTER.count(first.embedding_text) + COUNTER.special_tokens


def test_the_title_stands_before_the_headings_a_model_reads() -> None:
    parts = (
        Part(BlockKind.TITLE, "On wheat"),
        paragraph(told("Barley")),
        heading("Methods"),
        paragraph(told("Wheat")),
    )
    assert [c.heading_context for c in cut(*parts).chunks] == [
        ("On wheat",),
        ("On wheat", "Methods"),
    ]
    without = replace(POLICY, heading_context=0)
    assert [c.heading_context for c in cut(*parts, policy=without).chunks] == [(), ()]


def test_a_heading_at_the_foot_of_a_page_does_not_stretch_the_pages_of_its_text() -> None:
    (chunk,) = cut(heading("Methods"), paragraph(f"{PAGE_BREAK}{told('Wheat')}")).chunks
    assert (chunk.text, chunk.page_span) == (told("Wheat"), (2, 2))
    assert chunk.section_path == ("Methods",)


def test_a_chunk_has_the_id_its_place_gives_it() -> None:
    (chunk,) = cut(heading("Methods"), paragraph(told("Wheat"))).chunks
    assert chunk.id == chunk_id(
        doc_id="doc",
        page_span=(1, 1),
        section_path=("Methods",),
        embedding_model="model",
        index=0,
    )


@pytest.mark.parametrize(
    ("depth", "context"), [(0, ()), (1, ("C",)), (2, ("B", "C")), (9, ("A", "B", "C"))]
)
def test_as_many_headings_stand_before_the_text_as_the_policy_says(
    depth: int, context: tuple[str, ...]
) -> None:
    (chunk,) = cut(
        heading("A"),
        heading("B", 2),
        heading("C", 3),
        paragraph(told("Wheat")),
        policy=replace(POLICY, heading_context=depth),
    ).chunks
    assert chunk.heading_context == context
    assert chunk.section_path == ("A", "B", "C")


def test_long_headings_give_way_from_the_outside() -> None:
    (chunk,) = cut(
        heading("A very long title of a chapter on all the wheat of the world"),
        heading("Sampling", 2),
        paragraph(told("Wheat")),
    ).chunks
    assert chunk.heading_context == ("Sampling",)


def test_a_short_section_joins_its_neighbour_with_both_headings_in_the_text() -> None:
    (chunk,) = cut(
        heading("Results"),
        heading("Aim", 2),
        paragraph("None."),
        heading("Yield", 2),
        paragraph(told("Wheat")),
    ).chunks
    assert chunk.text == f"Results\n\nAim\n\nNone.\n\nYield\n\n{told('Wheat')}"
    assert chunk.section_path == ("Results",)
    assert chunk.sections == (("Results", "Aim"), ("Results", "Yield"))


def test_a_little_text_above_the_first_heading_is_no_section() -> None:
    above, below = paragraph("Of wheat."), (heading("Yield"), paragraph(told("Wheat")))
    (chunk,) = cut(above, *below).chunks
    assert (chunk.section_path, chunk.sections) == (("Yield",), ())
    first, second = (heading("Aim"), paragraph("To see.")), (heading("Yield"), paragraph("Little."))
    (chunk,) = cut(paragraph(told("Rye")), *first, *second).chunks
    assert (chunk.section_path, chunk.sections) == ((), (("Aim",), ("Yield",)))


def test_a_short_section_joins_the_neighbour_that_is_nearest_in_the_tree_of_headings() -> None:
    first, second = cut(
        heading("Results"),
        heading("Yield", 2),
        heading("Wheat", 3),
        paragraph(told("Wheat")),
        heading("Limits", 3),
        paragraph("There are few."),
        heading("Prices", 2),
        paragraph(told("Rye")),
    ).chunks
    assert first.text.endswith("Limits\n\nThere are few.")
    assert first.section_path == ("Results", "Yield")
    assert (second.section_path, second.sections) == (("Results", "Prices"), ())


def test_a_short_section_joins_its_own_chapter_rather_than_the_next() -> None:
    first, second = cut(
        heading("Methods"),
        heading("Sampling", 2),
        paragraph(told("Wheat")),
        heading("Limits", 2),
        paragraph("There are few."),
        heading("Results"),
        paragraph(told("Rye")),
    ).chunks
    assert "There are few." in first.text
    assert second.text == f"Results\n\n{told('Rye')}"


def test_a_section_stands_alone_from_seven_tenths_of_the_smallest_chunk_on() -> None:
    policy = replace(POLICY, min_chunk_tokens=10)
    long = " ".join(["Rye grows well here."] * 4)
    parts = (heading("Results"), paragraph(long), heading("Thanks"))
    alone = cut(*parts, paragraph("To all who dug it up."), policy=policy).chunks
    assert [chunk.section_path for chunk in alone] == [("Results",), ("Thanks",)]
    (joined,) = cut(*parts, paragraph("To all."), policy=policy).chunks
    assert joined.sections == (("Results",), ("Thanks",))
    above = cut(paragraph("To all who dug it up."), heading("Aim"), paragraph(long), policy=policy)
    assert above.chunks[0].text.startswith("To all who dug it up.\n\nAim")


def test_a_short_chapter_at_the_end_joins_the_one_before() -> None:
    (chunk,) = cut(
        heading("Results"),
        paragraph(told("Rye")),
        heading("Thanks"),
        paragraph("To all."),
    ).chunks
    assert chunk.text.endswith("Thanks\n\nTo all.")
    assert (chunk.section_path, chunk.sections) == ((), (("Results",), ("Thanks",)))


def test_a_document_that_is_too_short_as_a_whole_is_kept() -> None:
    chunked = cut(heading("Thanks"), paragraph("To all."))
    (chunk,) = chunked.chunks
    assert (chunk.text, chunk.page_span) == ("Thanks\n\nTo all.", (1, 1))
    assert (chunked.filtered, chunked.body_share) == ({}, 1.0)


def test_of_a_short_document_with_references_the_body_is_kept() -> None:
    references = (heading("References"), paragraph("Baker (2007)."))
    chunked = cut(heading("Memo"), paragraph("Rye is late."), *references)
    assert texts(chunked) == ["Memo\n\nRye is late."]
    assert chunked.filtered == {FilterReason.REFERENCES: 1}
    (alone,) = cut(*references).chunks
    assert alone.kind is ChunkKind.REFERENCE


def test_what_is_too_short_is_left_out_where_the_document_has_more() -> None:
    chunked = cut(
        heading("Results"),
        paragraph(told("Rye")),
        heading("References"),
        paragraph("Baker (2007)."),
    )
    assert [chunk.kind for chunk in chunked.chunks] == [ChunkKind.TEXT]
    assert chunked.filtered == {FilterReason.REFERENCES: 1}


def test_what_says_nothing_is_filtered_and_counted() -> None:
    chunked = cut(
        heading("Contents"),
        paragraph(". " * 30),
        heading("Results"),
        paragraph(told("Rye")),
    )
    assert texts(chunked) == [f"Results\n\n{told('Rye')}"]
    assert chunked.filtered == {FilterReason.LOW_SIGNAL: 1}
    (noisy,) = chunked.noisy
    assert (noisy.section_path, noisy.page) == (("Contents",), 1)
    assert 0.0 < chunked.body_share < 1.0


def test_the_words_of_a_page_that_are_in_no_chunk_are_counted_and_doubted_beside() -> None:
    chunked = cut(
        paragraph(told("Rye")),
        heading("It"),
        paragraph("a b c d e f g h i j k l m n o p q"),
        heading("Spelt"),
        heading("Rye"),
        paragraph(told("Rye")),
        heading("Oats"),
        paragraph(f"{PAGE_BREAK}{told('Oats')}"),
        heading("A"),
        paragraph("q r s t u v w x y z"),
        lost={1: LostWords(count=2, sample="barley millet"), 3: LostWords(count=40, sample="rye")},
    )
    assert {page: lost.count for page, lost in chunked.lost_words.items()} == {1: 20, 2: 11, 3: 40}
    assert chunked.lost_words[1].sample == "barley millet"
    assert chunked.lost_words[2].sample == "A q r s t u v w x y z"
    doubts = [(chunk.page_span, chunk.doubts) for chunk in chunked.chunks]
    assert doubts == [((1, 1), (Doubt.LOSS,)), ((1, 1), (Doubt.LOSS,)), ((2, 2), ())]


def test_headings_above_a_chunk_and_hidden_text_are_not_lost() -> None:
    hidden = Part(BlockKind.HIDDEN, "wheat")
    chunked = cut(hidden, heading("Rye"), heading("Oats", 2), paragraph(told("Rye")))
    assert chunked.lost_words == {}


def test_a_heading_above_no_text_is_text_of_the_section_behind_it_or_before() -> None:
    rye, oats = cut(
        heading("Rye"),
        paragraph(told("Rye")),
        heading("Cereals"),
        heading(f"{PAGE_BREAK}Oats"),
        paragraph(told("Oats")),
        heading("Late oats"),
        heading("Empty", 2),
    ).chunks
    assert (rye.text, rye.section_path) == (f"Rye\n\n{told('Rye')}", ("Rye",))
    assert oats.text == f"Cereals\n\nOats\n\n{told('Oats')}\n\nLate oats\n\nEmpty"
    assert (oats.section_path, oats.page_span) == (("Oats",), (1, 2))


def test_the_title_of_contents_that_are_left_out_is_no_text() -> None:
    parts = (heading("Contents"), heading(f"{PAGE_BREAK}Rye"), paragraph(told("Rye")))
    entries = LeftOut(kind=LeftOutKind.CONTENTS, count=3, text="1 Rye 2")
    result = replace(document(*parts), left_out={1: (entries,)})
    pieces = [
        pieces_of(each, limit=40, count_all=COUNTER.count_all)
        for each in (result, document(*parts))
    ]
    assert [each[0].kind for each in pieces] == [BlockKind.HEADING, BlockKind.PARAGRAPH]


def test_a_heading_above_no_text_is_no_part_of_the_works_cited() -> None:
    chunked = cut(
        heading("Rye"),
        paragraph(told("Rye")),
        heading("Appendix"),
        heading("References"),
        paragraph("[1] A. Miller. On wheat. Journal of Fields 3 (1999), 4."),
    )
    assert chunked.chunks[0].text == f"Rye\n\n{told('Rye')}\n\nAppendix"
    assert chunked.chunks[0].section_path == ("Rye",)


def test_a_document_of_headings_alone_is_its_headings() -> None:
    chunked = cut(heading("Results"), heading("Rye", 2))
    assert texts(chunked) == ["Results\n\nRye"]
    assert (chunked.filtered, chunked.body_share) == ({}, 1.0)


def test_a_document_without_text_has_no_chunks() -> None:
    chunked = cut()
    assert (chunked.chunks, chunked.filtered, chunked.body_share) == ((), {}, 1.0)


def test_long_sections_are_cut_evenly_between_sentences() -> None:
    chunked = cut(paragraph(told("Wheat", 6)))
    assert [COUNTER.count(text) for text in texts(chunked)] == [24, 24]
    assert " ".join(texts(chunked)) == told("Wheat", 6)


def test_a_chunk_ends_with_the_paragraph_where_one_ends_in_time() -> None:
    chunked = cut(paragraph(told("Wheat", 3)), paragraph(told("Rye", 4)))
    assert texts(chunked) == [told("Wheat", 3), told("Rye", 4)]


def test_chunks_overlap_by_whole_sentences() -> None:
    first, second = texts(
        cut(paragraph(told("Wheat", 6)), policy=replace(POLICY, overlap_tokens=9))
    )[:2]
    shared = first[first.index(second.split(".")[0]) :]
    assert second.startswith(shared)
    assert COUNTER.count(shared) == 8


def test_no_overlap_reaches_back_over_a_page_end() -> None:
    first, second = cut(
        paragraph(f"{told('Wheat', 3)}\f {told('Rye', 3)}"),
        policy=replace(POLICY, overlap_tokens=9),
    ).chunks
    assert (first.page_span, second.page_span) == ((1, 1), (2, 2))
    assert (first.page_labels, second.page_labels) == (("i",), ("ii",))


def test_no_overlap_reaches_back_over_a_table() -> None:
    chunked = cut(
        paragraph(told("Wheat", 3)),
        table("Site | Wheat", "A | 1"),
        paragraph(told("Rye", 3)),
        policy=replace(POLICY, overlap_tokens=9, min_chunk_tokens=4),
    )
    (rye,) = [text for text in texts(chunked) if "Rye 3" in text]
    assert "Wheat" not in rye


def formula(text: str) -> Part:
    return Part(BlockKind.FORMULA, text)


def test_a_chunk_carries_what_speaks_against_its_words() -> None:
    result = document(
        heading("Methods"),
        paragraph(told("Wheat", 3)),
        heading("Results"),
        paragraph(told("Rye", 2)),
        formula("a = b"),
        table(told("Oats", 2)),
        paragraph(told("Spelt", 2)),
    )
    doubts = {
        BlockKind.FORMULA: (Doubt.FORMULA,),
        BlockKind.TABLE: (Doubt.ORDER, Doubt.TABLE),
    }
    blocks = tuple(replace(block, doubts=doubts.get(block.kind, ())) for block in result.blocks)
    chunks = chunk_document(
        replace(result, blocks=blocks),
        policy=POLICY,
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    ).chunks
    words = ("Wheat", "a = b", "Oats")
    doubted = {word: one.doubts for one in chunks for word in words if word in one.text}
    assert doubted == {
        "Wheat": (),
        "a = b": (Doubt.FORMULA,),
        "Oats": (Doubt.ORDER, Doubt.TABLE),
    }


def test_a_formula_at_the_head_of_a_page_goes_with_the_text_below_it() -> None:
    first, second = cut(
        heading("Methods"),
        paragraph(f"{told('Wheat', 3)}{PAGE_BREAK}"),
        formula("a = b"),
        heading("Results"),
        paragraph(told("Rye", 3)),
    ).chunks
    assert (first.page_span, second.page_span) == ((1, 1), (2, 2))
    assert second.text.startswith("a = b")


def test_a_formula_at_the_foot_of_a_page_goes_with_the_text_above_it() -> None:
    chunks = cut(
        paragraph(told("Wheat", 3)),
        formula(f"a = b{PAGE_BREAK}"),
        paragraph(told("Rye", 3)),
    ).chunks
    assert [chunk.page_span for chunk in chunks] == [(1, 1), (2, 2)]
    assert "a = b" in chunks[0].text


def test_a_chunk_over_two_pages_says_both() -> None:
    (chunk,) = cut(paragraph("Wheat 1 was seen \fon the field of them all.")).chunks
    assert chunk.page_span == (1, 2)
    assert [box.page for box in chunk.boxes] == [1, 2]
    assert chunk.page_labels == ("i", "ii")
    assert chunk.page_starts == (chunk.text.index("on the field"),)
    assert chunk.pages_between(0, 5) == (1, 1)
    assert chunk.pages_between(chunk.text.index("on the"), len(chunk.text)) == (2, 2)
    assert replace(chunk, page_starts=()).pages_between(0, 5) == (1, 2)


def test_labels_are_left_out_where_a_page_has_none() -> None:
    (chunk,) = cut(paragraph("\fWheat 1 was seen \fon the field of them all.")).chunks
    assert (chunk.page_span, chunk.page_labels) == ((2, 3), ())


@pytest.mark.parametrize("words", [25, 33], ids=["fits beside it", "has to be cut for it"])
def test_a_short_sentence_before_a_long_one_is_not_lost(words: int) -> None:
    long = " ".join(["Then", *["wheat"] * words, "grew."])
    chunked = cut(paragraph(f"It rained. {long} {long}"), policy=replace(POLICY, overlap_tokens=9))
    assert (chunked.body_share, chunked.filtered) == (1.0, {})
    assert "It rained." in texts(chunked)[0]


def test_a_sentence_longer_than_a_chunk_is_cut_between_words() -> None:
    words = [f"wheat{n}" for n in range(90)]
    chunked = cut(paragraph(" ".join(words)))
    assert " ".join(texts(chunked)).split() == words
    assert max(chunk.token_count for chunk in chunked.chunks) <= 40


def test_a_word_longer_than_a_chunk_is_cut_within() -> None:
    word = "wheat" * 120
    chunked = cut(paragraph(word))
    assert "".join(texts(chunked)) == word
    assert max(chunk.token_count for chunk in chunked.chunks) <= 40


def test_a_word_that_counts_as_one_token_is_cut_by_its_length() -> None:
    counted: list[int] = []

    def count_all(texts: Sequence[str]) -> list[int]:
        counted.extend(map(len, texts))
        return [len(text.split()) for text in texts]

    chunked = chunk_document(
        document(paragraph("a" * 100_000)),
        policy=POLICY,
        embedding_model="model",
        special_tokens=2,
        count_all=count_all,
    )
    assert "".join(texts(chunked)) == "a" * 100_000
    longest = 64 * POLICY.size
    assert max(map(len, texts(chunked))) <= longest
    assert max(counted) <= longest


def test_a_table_stands_alone_with_the_caption_before_it() -> None:
    before, standing, after = cut(
        heading("Results"),
        paragraph(told("Wheat", 3)),
        caption("Table 1. Yields."),
        table("field yield", "north 3.1", "south 2.7"),
        heading("Discussion"),
        paragraph(told("Rye")),
    ).chunks
    assert before.text == f"Results\n\n{told('Wheat', 3)}"
    assert after.text == f"Discussion\n\n{told('Rye')}"
    assert standing.text == "Table 1. Yields.\n\nfield yield\nnorth 3.1\nsouth 2.7"
    assert (before.kind, standing.kind) == (ChunkKind.TEXT, ChunkKind.TABLE)
    assert standing.section_path == ("Results",)


def test_every_part_of_a_long_table_begins_with_caption_and_first_row() -> None:
    chunked = cut(caption("Table 1."), table("field yield", *(f"plot {n}" for n in range(30))))
    assert len(chunked.chunks) > 1
    assert all(text.startswith("Table 1.\n\nfield yield\n") for text in texts(chunked))
    lines = [line for text in texts(chunked) for line in text.splitlines()]
    rows = [line for line in lines if line.startswith("plot")]
    assert rows == [f"plot {n}" for n in range(30)]


def test_a_head_on_the_page_before_does_not_stretch_the_span_of_later_parts() -> None:
    rows = (f"plot {n}" for n in range(40))
    whole = table("field yield", *rows).text.replace("plot 8", f"{PAGE_BREAK}plot 8")
    chunked = cut(caption("Table 1."), Part(BlockKind.TABLE, whole))
    first, *later = chunked.chunks
    assert first.text.startswith("Table 1.\n\nfield yield")
    assert len(later) > 1
    for chunk in later:
        assert chunk.page_span == (2, 2)
        assert chunk.text.startswith("plot")
        assert chunk.heading_context[-1] == "Table 1. field yield"
        assert {placed.page for placed in chunk.boxes} == {2}


def test_a_head_that_takes_too_much_room_is_not_repeated() -> None:
    head = " ".join(f"column{n}" for n in range(14))
    chunked = cut(table(head, *(f"plot {n} was measured" for n in range(20))))
    assert [text.startswith("column0") for text in texts(chunked)].count(True) == 1
    assert chunked.body_share == 1.0


def test_a_small_table_stays_in_the_text() -> None:
    (chunk,) = cut(
        heading("Results"), paragraph(told("Wheat")), table("north 3"), paragraph(told("Rye"))
    ).chunks
    assert chunk.text == f"Results\n\n{told('Wheat')}\n\nnorth 3\n\n{told('Rye')}"
    assert chunk.kind is ChunkKind.TEXT


def test_of_two_captions_the_one_next_to_the_table_is_its_own() -> None:
    text, standing = cut(
        paragraph(told("Wheat", 3)),
        caption("Figure 1. A field."),
        caption("Table 1. Yields."),
        table("field yield", "north 3.1", "south 2.7"),
    ).chunks
    assert text.text.endswith("Figure 1. A field.")
    assert standing.text.startswith("Table 1.")


def test_a_caption_at_the_end_is_text() -> None:
    (chunk,) = cut(paragraph(told("Wheat")), caption("Figure 1. A field.")).chunks
    assert chunk.text.endswith("Figure 1. A field.")


def test_lists_and_code_keep_their_lines() -> None:
    (chunk,) = cut(
        Part(BlockKind.CODE, "for plot in plots:\n    measure(plot)\n    note(plot)")
    ).chunks
    assert chunk.text.splitlines()[1] == "    measure(plot)"


LISTINGS = {
    "pointers": "for (i = 0; i < n; ++i) { *p++ = (a[i] << 3) | 0xff; }\n" * 9,
    "expressions": "^(?:[+-]?\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?$\n" * 9,
    "numbers": "\n".join(f"{n},{n * 3},{n * 7}" for n in range(20)),
    "braces": "  {\n    a: 1,\n    b: 2,\n  },\n" * 9,
    "boxes": "┌────────┐\n│ Reader │\n└───┬────┘\n    ▼\n+--------+\n| Parser |\n+--------+\n",
}


@pytest.mark.parametrize("name", LISTINGS)
def test_what_is_marked_as_code_is_not_left_out_for_its_symbols(name: str) -> None:
    parts = (heading("Rye"), paragraph(told("Rye")), heading("Code"))
    result = without_pages(document(*parts, Part(BlockKind.CODE, LISTINGS[name])))
    assert divided(result).noisy == ()


@pytest.mark.parametrize(
    "rows", ["p | q | p∧q\n0 | 0 | 0\n0 | 1 | 0\n1 | 1 | 1", "a | b\n→ | ←\n⇒ | ⇐"]
)
def test_a_table_of_symbols_is_no_noise_where_its_author_made_it(rows: str) -> None:
    parts = (heading("Rye"), paragraph(told("Rye")), heading("Signs"))
    made = document(*parts, Part(BlockKind.TABLE, rows))
    assert divided(without_pages(made)).noisy == ()


def test_a_table_of_arrows_on_a_page_is_measured_as_a_plot() -> None:
    parts = (heading("Rye"), paragraph(told("Rye")), heading("Signs"))
    (noisy,) = divided(document(*parts, table("a | b\n→ | ←\n⇒ | ⇐"))).noisy
    assert noisy.section_path == ("Signs",)


def test_a_table_of_single_digits_on_a_page_is_kept() -> None:
    rows = "\n".join(f"{n} | {n % 4} | {n % 3} | 1" for n in range(9))
    (_, chunk) = divided(document(heading("Rye"), paragraph(told("Rye")), table(rows))).chunks
    assert chunk.text.endswith("8 | 0 | 2 | 1")


def test_no_part_of_a_table_is_left_out_that_says_something_as_a_whole() -> None:
    rows = "\n".join([told("Oats", 3), *(f"{sign} | {sign}" for sign in "abcdefghiklm")])
    policy = replace(POLICY, min_chunk_tokens=2)
    *_, last = cut(table(rows), policy=policy).chunks
    assert last.text.endswith("l | l\nm | m")
    alone = table(rows.partition("\n")[2])
    assert cut(paragraph(told("Rye")), alone, policy=policy).noisy


def test_tables_of_digits_and_letters_are_kept() -> None:
    policy = replace(POLICY, min_chunk_tokens=2)
    for rows in (
        "\n".join(f"${n} + 1$ | {n} + 1 | {n} + 1" for n in range(9)),
        "\n".join(["+1 | \u22121 | +1"] * 9),
        "\n".join(f"{sign} | x | {sign} x" for sign in "abcdefghik"),
    ):
        chunked = cut(heading("Rye"), table(rows), policy=policy)
        assert (chunked.noisy, chunked.lost_words) == ((), {})


def test_a_list_of_signs_with_words_and_a_long_formula_are_kept() -> None:
    accents = " ".join(f'{sign} \\"{sign}' for sign in "aeiouyx") + " umlaut accent"
    assert cut(paragraph(told("Rye")), heading("It"), paragraph(accents)).noisy == ()
    equation = formula(" ".join("a = b + c ;" for _ in range(9)))
    assert cut(paragraph(told("Rye")), heading("It"), equation).noisy == ()
    leaders = paragraph("Introduction" + " ." * 40 + "\nRye" + " ." * 40)
    assert cut(paragraph(told("Rye")), heading("It"), leaders).noisy


def test_columns_of_numbers_in_a_listing_on_a_page_are_kept() -> None:
    rows = "\n".join(
        " ".join(f"{n + column}.{row}" for column in range(6))
        for n, row in [(49, 1), (51, 2), (53, 3)]
    )
    (chunk,) = cut(Part(BlockKind.CODE, rows), paragraph(told("Rye", 6))).chunks[:1]
    assert chunk.text.startswith("49.1 50.1 51.1")


def test_repeated_lines_of_a_listing_on_a_page_are_kept() -> None:
    calls = "\n".join("{'Action', 19, {'Button', 20, true}}," for _ in range(9))
    made = document(heading("Rye"), paragraph(told("Rye")), Part(BlockKind.CODE, calls))
    assert "".join(chunk.text for chunk in divided(made).chunks).count("Button") == 9


def test_code_recognised_on_a_page_and_drawings_without_labels_are_measured_as_noise() -> None:
    text, drawing = LISTINGS["expressions"], "+----+----+\n|    |    |\n" * 9
    parts = (heading("Rye"), paragraph(told("Rye")), heading("Code"))
    on_page = document(*parts, Part(BlockKind.CODE, text))
    drawn = without_pages(document(*parts, Part(BlockKind.CODE, drawing)))
    for result in (on_page, drawn):
        (noisy,) = divided(result).noisy
        assert noisy.section_path == ("Code",)


def divided(result: ConversionResult) -> ChunkedDocument:
    return chunk_document(
        result,
        policy=ChunkingPolicy(min_chunk_tokens=2),
        embedding_model="model",
        special_tokens=COUNTER.special_tokens,
        count_all=COUNTER.count_all,
    )


def test_a_sentence_that_fits_into_a_chunk_is_not_cut() -> None:
    long = "The field " + "and the meadow " * 11 + "lay fallow."
    short = told("Wheat", 3)
    assert texts(cut(paragraph(f"{short} {long} {told('Rye', 3)}"))) == [
        short,
        long,
        told("Rye", 3),
    ]


def test_a_sentence_that_goes_on_below_a_formula_is_not_cut() -> None:
    chunked = cut(
        paragraph(f"{told('Wheat', 2)} The field of the meadow has"),
        formula("a = b + c,"),
        paragraph(f"where a lies fallow. {told('Rye', 2)}"),
        formula("d = e"),
    )
    whole = "The field of the meadow has\n\na = b + c,\n\nwhere a lies fallow."
    assert [whole in text for text in texts(chunked)].count(True) == 1


def test_no_overlap_begins_within_a_sentence() -> None:
    chunks = cut(
        paragraph(
            f"{told('Wheat', 2)} The field and the meadow of the old village have always had"
        ),
        formula("a = b"),
        paragraph(f"where a lies fallow. {told('Rye', 4)}"),
        policy=replace(POLICY, overlap_tokens=8),
    ).chunks
    assert not [chunk.text for chunk in chunks if chunk.text.startswith(("where", "a ="))]
