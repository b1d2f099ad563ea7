"""Annotations and notes as chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.domain.chunks.annotations import (
    MarkChunker,
    MarkPlace,
    QuotedParagraphs,
    has_words,
    mark_doc_id,
    own_label,
    page_of,
    plain,
)
from citeloom.domain.chunks.chunk import AnnotationRef, Chunk, ChunkKind, chunk_id
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.zotero.items import (
    AnnotationType,
    ZoteroAnnotation,
    ZoteroLibraryRef,
    ZoteroNote,
    ZoteroTag,
)

_LIBRARY = ZoteroLibraryRef(group_id=7, name="Coast")
_HIGHLIGHT = ZoteroAnnotation(
    library=_LIBRARY,
    key="NNTE2345",
    attachment="PDFA2345",
    type=AnnotationType.HIGHLIGHT,
    text="The <i>marsh</i> grows.",
    comment="Says who?",
    color="#FFD400",
    page_index=2,
    page_label="47",
    rects=((10.0, 20.0, 30.0, 40.5),),
    tags=(ZoteroTag(name="claim"),),
)


def test_a_highlight_keeps_its_raised_and_lowered_figures() -> None:
    assert plain("10<sup>5</sup> <b>of</b> H<sub>2</sub>O ") == "10⁵ of H₂O"


def _count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


_CHUNKER = MarkChunker(
    policy=ChunkingPolicy(max_tokens=30, overlap_tokens=0, min_chunk_tokens=10),
    embedding_model="fake/model",
    special_tokens=2,
    count_all=_count_words,
)


def _split(annotation: ZoteroAnnotation, label: str = "47") -> tuple[Chunk, ...]:
    return _CHUNKER.annotation(
        annotation, title="Salt marshes", at=MarkPlace(label=label), fingerprint="f1"
    )


def test_a_highlight_and_its_comment_are_one_chunk_told_apart() -> None:
    (chunk,) = _split(_HIGHLIGHT)
    assert chunk.kind is ChunkKind.ANNOTATION
    assert chunk.text == "The marsh grows."
    assert chunk.embedding_text == "Salt marshes\nThe marsh grows.\nSays who?"
    assert chunk.token_count == 7 + 2
    assert (chunk.page_span, chunk.page_labels) == ((3, 3), ("47",))
    assert chunk.mark == AnnotationRef(
        key="NNTE2345",
        fingerprint="f1",
        quotes=True,
        comment="Says who?",
        color="#FFD400",
        tags=("claim",),
        rects=((10.0, 20.0, 30.0, 40.5),),
    )
    assert chunk.mark.color_name == "yellow"


def test_its_id_is_that_of_its_place() -> None:
    (chunk,) = _split(_HIGHLIGHT)
    assert chunk.doc_id == mark_doc_id("groups/7", "NNTE2345", ChunkKind.ANNOTATION)
    assert chunk.id == chunk_id(
        doc_id=chunk.doc_id,
        page_span=(3, 3),
        section_path=(),
        embedding_model="fake/model",
        index=0,
    )


def test_keys_of_other_libraries_and_kinds_are_other_documents() -> None:
    ids = {
        mark_doc_id(library, "NNTE2345", kind)
        for library in ("library", "groups/7")
        for kind in (ChunkKind.ANNOTATION, ChunkKind.NOTE)
    }
    assert len(ids) == 4


def test_what_the_reader_alone_says_is_no_quotation() -> None:
    (chunk,) = _split(replace(_HIGHLIGHT, text="", type=AnnotationType.NOTE))
    assert chunk.text == "Says who?"
    assert chunk.mark is not None
    assert (chunk.mark.quotes, chunk.mark.comment) == (False, "")


def test_a_long_highlight_and_its_comment_are_cut_and_nothing_is_lost() -> None:
    text = " ".join(f"Plot {n} was flooded." for n in range(20))
    chunks = _split(replace(_HIGHLIGHT, text=text))
    assert [chunk.chunk_idx for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks) > 2
    assert all(chunk.token_count <= 30 for chunk in chunks)
    quoted = [chunk.text for chunk in chunks if chunk.mark and chunk.mark.quotes]
    assert " ".join(quoted) == text
    assert [chunk.text for chunk in chunks if chunk.mark and not chunk.mark.quotes] == ["Says who?"]


def test_a_comment_too_long_for_the_highlights_chunk_has_its_own() -> None:
    text = " ".join(["mud"] * 14)
    chunks = _split(replace(_HIGHLIGHT, text=text, comment=text.replace("mud", "silt")))
    assert [chunk.text.split()[0] for chunk in chunks] == ["mud", "silt"]


def test_without_pages_there_is_the_label_that_zotero_has_or_no_place() -> None:
    unpaged = replace(_HIGHLIGHT, page_index=None)
    for label, labels in (("47", ("47",)), ("", ())):
        (chunk,) = _split(unpaged, label)
        assert (chunk.page_span, chunk.paragraphs, chunk.page_labels) == (None, None, labels)


@pytest.mark.parametrize(
    ("label", "own"), [("47", "47"), ("3", ""), (" iii ", "iii"), ("-", ""), ("", "")]
)
def test_a_label_counts_where_it_says_more_than_the_page(label: str, own: str) -> None:
    annotation = replace(_HIGHLIGHT, page_label=label)
    assert own_label(annotation) == own
    assert page_of(annotation) == 3


def test_a_drawing_has_words_once_something_is_said_of_it() -> None:
    ink = replace(_HIGHLIGHT, type=AnnotationType.INK, text="", comment=" <b></b>")
    assert not has_words(ink)
    assert _split(ink) == ()
    assert has_words(replace(ink, comment="see here"))


def test_a_note_is_cut_along_its_headings() -> None:
    html = "<h1>Tides</h1><p>Two a day.</p><h1>Mud</h1><p>It stays.</p>"
    note = ZoteroNote(
        library=_LIBRARY,
        key="NTEA2345",
        parent="ART22345",
        html=html,
        tags=(ZoteroTag(name="todo"),),
    )
    chunks = _CHUNKER.note(note, title="Salt marshes", fingerprint="f2")
    assert [chunk.section_path for chunk in chunks] == [("Tides",), ("Mud",)]
    assert [chunk.kind for chunk in chunks] == [ChunkKind.NOTE] * 2
    assert all(chunk.page_span is None and chunk.paragraphs for chunk in chunks)
    assert chunks[0].mark == AnnotationRef(
        key="NTEA2345", fingerprint="f2", parts=2, tags=("todo",)
    )
    assert chunks[0].heading_context[0] == "Salt marshes"


def test_an_empty_note_has_no_chunks() -> None:
    note = ZoteroNote(library=_LIBRARY, key="NTEA2345", parent=None, html="<p></p>")
    assert _CHUNKER.note(note, title="", fingerprint="") == ()


def test_a_colour_zotero_does_not_offer_has_no_name() -> None:
    assert AnnotationRef(key="K", color="#123456").color_name == ""


def _chunk(text: str, first: Paragraph, last: Paragraph) -> Chunk:
    (chunk,) = _split(replace(_HIGHLIGHT, page_index=None, comment=""), label="")
    return replace(chunk, text=text, paragraphs=(first, last))


def test_a_quotation_in_a_document_without_pages_has_its_paragraph() -> None:
    ebb = _chunk(
        "Ebb\n\nThe water falls.\n\nThe mud-flats dry.\n\nBirds come.",
        Paragraph(section="2", number=4),
        Paragraph(section="2", number=6),
    )
    several = _chunk(
        "Birds leave. Flow begins.",
        Paragraph(section="2", number=6),
        Paragraph(section="3", number=1),
    )
    listed = _chunk(
        "one\n\ntwo", Paragraph(section="4", number=1), Paragraph(section="4", number=9)
    )
    places = QuotedParagraphs([ebb, several, listed])
    fifth = Paragraph(section="2", number=5)
    assert places.of("the mudflats dry") == (fifth, fifth)
    assert places.of("The water falls. The mud-flats dry.") == ebb.paragraphs
    assert places.of("Flow begins") == several.paragraphs
    assert places.of("two") == listed.paragraphs
    assert places.of("Birds") is None
    assert places.of("Whales") is None
    assert places.of("…") is None
    chunks = _CHUNKER.annotation(
        replace(_HIGHLIGHT, page_index=None),
        title="Tides",
        at=MarkPlace(paragraphs=(fifth, fifth)),
        fingerprint="f",
    )
    assert {chunk.paragraphs for chunk in chunks} == {(fifth, fifth)}


def test_a_quotation_in_a_book_with_a_page_list_is_on_its_printed_page() -> None:
    whole = _chunk("The water falls. Birds come.", *(Paragraph(section="1", number=1),) * 2)
    paged = replace(
        whole, paragraphs=None, page_span=(4, 5), page_labels=("xii", "1"), page_starts=(17,)
    )
    places = QuotedParagraphs([paged])
    assert places.label_of("the water falls") == "xii"
    assert places.label_of("Birds") == "1"
    assert places.label_of("falls. Birds") == ""
    assert places.label_of("…") == ""
    assert QuotedParagraphs([whole]).label_of("Birds") == ""
