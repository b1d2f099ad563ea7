from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import (
    Chunk,
    ChunkKind,
    Enrichment,
    LessonPart,
    LessonType,
    PageBox,
    SectionType,
)
from citeloom.domain.documents.conversion import Box, Doubt, SourcePlace
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.infrastructure.stores.records.metadata_payload import filterable_keys
from citeloom.infrastructure.stores.records.payload import (
    chunk_id_of,
    citation_fields,
    from_payload,
    to_payload,
)
from citeloom.testing.chunks import METADATA, doubted, embedded, rich

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: text.strip() != ""
)
lists = st.lists(words, max_size=3).map(tuple)
places = st.builds(
    lambda start, length: SourcePlace(start_position=start, end_position=start + length),
    st.integers(0, 10_000),
    st.integers(1, 500),
)
metadata = st.dictionaries(
    st.text("abcdef_-", min_size=1, max_size=8),
    words | lists | st.booleans() | st.integers(-1000, 1000) | st.floats(-9, 9),
    max_size=4,
)
lessons = st.builds(
    lambda index, more, kind, done: LessonPart(
        section_type=kind,
        chunk_index=index,
        total_chunks=index + more,
        enrichment_strategy=done,
    ),
    st.integers(0, 9),
    st.integers(1, 9),
    st.sampled_from(LessonType),
    st.none() | st.sampled_from(Enrichment),
)
points = st.floats(0, 1000, allow_nan=False)


@st.composite
def stored_chunks(draw: st.DrawFn) -> StoredChunk:
    first, pages = draw(st.integers(1, 500)), draw(st.integers(0, 5))
    starts = draw(st.just(()) | st.lists(st.integers(0, 99), min_size=pages, max_size=pages))
    paragraph = st.builds(Paragraph, section=words | st.just(""), number=st.integers(1, 99))
    paragraphs = draw(st.none() | st.tuples(paragraph, paragraph))
    left, top = draw(points), draw(points)
    box = Box(left=left, top=top, right=left + draw(points), bottom=top + draw(points))
    chunk = Chunk(
        id=draw(words),
        doc_id=draw(words),
        text=draw(words),
        page_span=None if paragraphs else (first, first + pages),
        paragraphs=paragraphs,
        section_path=draw(lists),
        chunk_idx=draw(st.integers(0, 10_000)),
        token_count=draw(st.integers(0, 1000)),
        signal_to_noise=draw(st.floats(0, 1)),
        kind=draw(st.sampled_from(ChunkKind)),
        page_labels=draw(lists),
        page_starts=() if paragraphs else tuple(starts),
        boxes=draw(st.sampled_from(((), (PageBox(page=first, box=box),)))),
        heading_context=draw(lists),
        source=draw(st.none() | places),
        heading_level=draw(st.none() | st.integers(1, 6)),
        section_type=draw(st.none() | st.sampled_from(SectionType)),
        lesson=draw(st.none() | lessons),
        token_count_estimated=draw(st.booleans()),
        doubts=tuple(draw(st.lists(st.sampled_from(Doubt), unique=True))),
    )
    optional = st.none() | words
    citation = CitationMeta(
        citekey=draw(words),
        title=draw(words),
        authors=draw(lists),
        year=draw(st.none() | st.integers(1, 3000)),
        doi=draw(optional),
        url=draw(optional),
        tags=draw(lists),
        collections=draw(lists),
        language=draw(st.sampled_from((None, "en", "de-AT"))),
        container=draw(optional),
        pages=draw(optional),
        item_key=draw(optional),
        citekey_generated=draw(st.booleans()),
        attachment=draw(optional),
        more_authors=draw(st.booleans()),
        retracted=draw(optional),
        item_type=draw(optional),
        added=draw(st.none() | st.dates().map(date.isoformat)),
        **{
            name: draw(lists)
            for name in "collection_keys libraries aliases identifiers related".split()
        },
    )
    fields = draw(metadata)
    return StoredChunk(
        project_id=draw(words),
        chunk=chunk,
        source_path=draw(words),
        citation=draw(st.sampled_from((None, citation))),
        attachment_key=draw(optional),
        zotero_library=draw(optional),
        embed_model=draw(words),
        sparse_model=draw(optional),
        metadata=fields,
        undeclared=frozenset(name for name in fields if draw(st.booleans())),
    )


@given(stored_chunks())
def test_a_chunk_comes_back_as_it_went(stored: StoredChunk) -> None:
    assert from_payload("point", to_payload(stored)) == stored


def test_a_chunk_of_an_older_version_has_no_doubts_and_those_of_a_newer_one_are_left_out() -> None:
    payload = to_payload(doubted("a").stored)
    assert payload["doubts"] == ["order", "table"]
    newer = {**payload, "doubts": ["order", "another"]}
    assert from_payload("point", newer).chunk.doubts == (Doubt.ORDER,)
    del payload["doubts"]
    assert from_payload("point", payload).chunk.doubts == ()


def test_the_payload_is_flat_and_complete() -> None:
    payload = to_payload(rich("a").stored)
    assert payload.keys() == {
        *("version", "project_id", "doc_id", "chunk_id", "chunk_idx", "citekey", "title"),
        *("authors", "year", "doi", "url", "tags", "collections", "language", "container"),
        *("pages", "item_key", "attachment_key", "zotero_library", "source_path"),
        *("page_start", "page_end"),
        *("page_labels", "section_path", "section_keys", "heading_chain", "boxes"),
        *("chunk_text", "token_count", "signal_to_noise", "kind", "embed_model", "sparse_model"),
        *("start_position", "end_position", "heading_level", "section_type"),
        *("lesson_section_type", "chunk_index", "total_chunks", "enrichment_strategy"),
        "token_count_estimated",
        *("item_type", "added", "added_day", "collection_keys", "in_collections", "libraries"),
        *("aliases", "identifiers", "related"),
        *(f"metadata_{name}" for name in METADATA),
        *(f"number_{name}" for name in ("tier", "hours", "draft", "published")),
    }
    assert payload["metadata_published"] == "2024-05-01"
    assert (payload["number_tier"], payload["number_draft"]) == (2.0, 0.0)
    assert payload["version"] == "1"
    assert payload["section_keys"] == ["methods", "methods > sampling", "sampling"]
    assert payload["boxes"] == [[11, 72.0, 80.5, 300.0, 96.0]]
    assert not any(isinstance(value, dict) for value in payload.values())


def test_undeclared_metadata_is_stored_and_not_indexed() -> None:
    metadata = {"module": "M", "params.author": "Ada"}
    stored = replace(rich("a").stored, metadata=metadata, undeclared=frozenset({"params.author"}))
    payload = to_payload(stored)
    assert payload["undeclared_params.author"] == "Ada"
    assert "metadata_module" in set(filterable_keys(payload))
    assert not any("params" in key for key in filterable_keys(payload))


def test_what_is_unknown_has_no_key() -> None:
    payload = to_payload(embedded("a", sparse=None).stored)
    assert not {"citekey", "year", "attachment_key", "sparse_model"} & payload.keys()


def test_a_reference_taken_away_empties_every_key_it_had() -> None:
    assert citation_fields(rich("a").stored.citation).keys() == citation_fields(None).keys()
    assert set(citation_fields(None).values()) == {None}


def test_the_least_a_payload_can_say_is_read() -> None:
    least = {"project_id": "p", "doc_id": "d", "chunk_text": "Words.", "page_start": 3}
    stored = from_payload("point-1", least)
    assert stored.chunk.id == "point-1"
    assert stored.chunk.page_span == (3, 3)
    assert stored.citation is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"project_id": None}, "no 'project_id'"),
        ({"doc_id": ""}, "no 'doc_id'"),
        ({"chunk_text": None}, "no 'chunk_text'"),
        ({"page_start": None}, "no 'page_start'"),
        ({"page_start": True}, "'page_start' is not a whole number"),
        ({"page_end": 1}, "not a page span"),
        ({"citekey": 7}, "'citekey' is not text"),
        ({"tags": "one"}, r"Expected `array`, got `str` - at .*\.tags`"),
        ({"tags": [1]}, r"Expected `str`, got `int` - at .*\.tags\[0\]`"),
        ({"signal_to_noise": "much"}, r"Expected `float`, got `str` - at .*\.signal_to_noise`"),
        ({"signal_to_noise": 3}, "signal-to-noise"),
        ({"kind": "poem"}, "poem"),
        ({"chunk_idx": True}, r"Expected `int`, got `bool` - at .*\.chunk_idx`"),
        ({"source_path": 3}, r"Expected `str`, got `int` - at .*source_path`"),
        ({"year": -1}, "a year must be positive"),
        ({"mark_key": "K", "mark_tags": [2]}, r"Expected `str`, got `int` - at .*mark\.tags"),
        ({"mark_key": "K", "mark_rects": [[1.0]]}, r"length 4, got 1 - at .*mark\.rects"),
        ({"boxes": 1}, "'boxes' is not a list"),
        ({"boxes": [[1, 2]]}, "missing"),
        ({"boxes": [[1, 9.0, 9.0, 1.0, 1.0]]}, "sides swapped"),
    ],
)
def test_a_broken_payload_names_its_point(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(IndexUnavailable, match=complaint) as broken:
        from_payload("point-1", to_payload(rich("a").stored) | change)
    assert "point-1" in broken.value.message
    assert "--force" in broken.value.hint


def test_an_impossible_language_does_not_cost_the_passage() -> None:
    payload = to_payload(rich("a").stored) | {"language": "Deutsch, english"}
    citation = rich("a").stored.citation
    assert citation is not None
    assert from_payload("point", payload).citation == replace(citation, language=None)


def test_a_payload_of_another_program_is_broken() -> None:
    with pytest.raises(IndexUnavailable, match="point-1 cannot be read"):
        from_payload("point-1", {"project": "lab/wheat"})


@pytest.mark.parametrize(
    ("payload", "chunk_id"),
    [({"chunk_id": "c"}, "c"), ({}, "point-1")],
)
def test_the_chunk_of_a_point_is_known_without_reading_it_all(
    payload: dict[str, object], chunk_id: str
) -> None:
    assert chunk_id_of("point-1", payload) == chunk_id
