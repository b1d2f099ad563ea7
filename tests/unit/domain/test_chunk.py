"""The stored unit and its id."""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import hexdigits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import Chunk, chunk_id

CHUNK = Chunk(
    id="0123456789abcdef",
    doc_id="doc",
    text="Wheat grows.",
    page_span=(3, 4),
    section_path=("2 Methods", "2.1 Sampling"),
    chunk_idx=0,
    token_count=4,
    signal_to_noise=1.0,
)


@dataclass(frozen=True)
class Place:
    """Everything an id is made from."""

    doc_id: str = "4f2a"
    page_span: tuple[int, int] = (3, 4)
    section_path: tuple[str, ...] = ("2 Methods", "2.1 Sampling")
    embedding_model: str = "sentence-transformers/all-MiniLM-L6-v2"
    index: int = 7

    @property
    def id(self) -> str:
        return chunk_id(
            doc_id=self.doc_id,
            page_span=self.page_span,
            section_path=self.section_path,
            embedding_model=self.embedding_model,
            index=self.index,
        )


awkward = st.text('ab-0,"[]\\\x1e\x1f', max_size=3)
places = st.builds(
    Place,
    doc_id=awkward,
    page_span=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    section_path=st.lists(awkward, max_size=3).map(tuple),
    embedding_model=awkward,
    index=st.integers(0, 12),
)


@pytest.mark.parametrize(
    ("place", "known"),
    [
        (Place(), "94faeafb370442ec"),
        (Place(section_path=()), "9d0ca9f263249c36"),
        (Place(section_path=("Über Weizen", "方法")), "fc9b5810d6485164"),
    ],
)
def test_an_id_is_the_same_on_every_machine(place: Place, known: str) -> None:
    assert place.id == known


@given(places, places)
def test_two_ids_are_equal_only_where_every_part_is(one: Place, other: Place) -> None:
    assert (one.id == other.id) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Place(section_path=("a", "b")), Place(section_path=("a\x1eb",))),
        (Place(section_path=("a", "b")), Place(section_path=("a\x1fb",))),
        (Place(section_path=()), Place(section_path=("",))),
        (Place(doc_id="d\x1f1-1"), Place(doc_id="d")),
    ],
)
def test_no_part_runs_into_another(one: Place, other: Place) -> None:
    assert one.id != other.id


@given(places)
def test_an_id_is_sixteen_hexadecimal_digits(place: Place) -> None:
    assert len(place.id) == 16
    assert set(place.id) <= set(hexdigits.lower())


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_chunk_has_text(text: str) -> None:
    with pytest.raises(ValueError, match="must have text"):
        replace(CHUNK, text=text)


@pytest.mark.parametrize("span", [(0, 1), (4, 3), (-1, -1)])
def test_a_page_span_is_ordered_and_counted_from_one(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="page span"):
        replace(CHUNK, page_span=span)


def test_index_and_token_count_are_not_negative() -> None:
    for index, tokens in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="must not be negative"):
            replace(CHUNK, chunk_idx=index, token_count=tokens)


@pytest.mark.parametrize("ratio", [-0.01, 1.01])
def test_signal_to_noise_is_a_share(ratio: float) -> None:
    with pytest.raises(ValueError, match="signal-to-noise"):
        replace(CHUNK, signal_to_noise=ratio)


def test_the_heading_of_a_chunk_is_that_of_its_innermost_section() -> None:
    assert CHUNK.section_heading == "2.1 Sampling"
    assert replace(CHUNK, section_path=()).section_heading is None


def test_the_headings_of_all_sections_that_a_chunk_has_parts_of_are_one_text() -> None:
    methods, sampling, analysis = ("3 Methods",), ("3 Methods", "3.1 Sampling"), ("4 Analysis",)
    assert replace(CHUNK, section_path=sampling).heading_chain == "3 Methods > 3.1 Sampling"
    apart = replace(CHUNK, section_path=(), sections=(sampling, analysis))
    assert apart.heading_chain == "3 Methods > 3.1 Sampling; 4 Analysis"
    below = replace(CHUNK, section_path=methods, sections=(sampling, (*methods, "3.2 Sums")))
    assert below.heading_chain == "3 Methods > 3.1 Sampling; 3.2 Sums"
    within = replace(CHUNK, section_path=methods, sections=(methods, sampling))
    assert within.heading_chain == "3 Methods; 3.1 Sampling"
    assert apart.section_titles == "3.1 Sampling; 4 Analysis"
    assert (below.section_titles, within.section_titles) == ("3 Methods", "3 Methods")
    assert within.titles == {"3 Methods", "3.1 Sampling"}
    nowhere = replace(CHUNK, section_path=())
    assert (nowhere.heading_chain, nowhere.section_titles) == ("", "")


def test_heading_context_is_embedded_and_not_quoted() -> None:
    headed = replace(CHUNK, heading_context=("Methods", "Sampling"))
    assert headed.embedding_text == "Methods > Sampling\nWheat grows."
    assert headed.text == "Wheat grows."
    assert CHUNK.embedding_text == CHUNK.text
