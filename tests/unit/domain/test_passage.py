"""What is stored, asked and given back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.passage import IndexQuery, Passage, Selection, SparseVector, trim
from citeloom.testing.chunks import embedded, rich

TERMS = SparseVector(indices=(1,), values=(1.0,))
ALL = Selection(project_id="p")


def test_a_sparse_vector_has_one_value_an_index() -> None:
    with pytest.raises(ValueError, match="one value an index"):
        SparseVector(indices=(1, 2), values=(1.0,))


def test_a_stored_chunk_knows_its_place() -> None:
    assert rich("a").stored.locator == Locator(
        page_start=11, page_end=12, page_labels=("ix", "x"), section="2.1 Sampling"
    )
    assert embedded("a").stored.locator == Locator(page_start=1, page_end=1)


def test_a_passage_is_cited_to_its_page() -> None:
    passage = Passage(stored=rich("a").stored, score=1.0, text="Wheat")
    assert passage.citation == "[@baker2007, pp. ix-x]"


def test_a_passage_of_no_known_work_has_no_citation() -> None:
    assert Passage(stored=embedded("a").stored, score=1.0, text="Wheat").citation is None


def test_the_citation_is_that_of_the_work() -> None:
    stored = replace(embedded("a").stored, citation=CitationMeta(citekey="key", title="T"))
    assert Passage(stored=stored, score=1.0, text="Wheat").citation == "[@key, p. 1]"


@pytest.mark.parametrize(
    ("mode", "lacking"), [(Mode.DENSE, "dense"), (Mode.SPARSE, "sparse"), (Mode.HYBRID, "dense")]
)
def test_a_query_has_the_vectors_its_mode_needs(mode: Mode, lacking: str) -> None:
    with pytest.raises(ValueError, match=f"needs a {lacking} vector"):
        IndexQuery(selection=ALL, mode=mode, limit=1)


def test_a_hybrid_query_has_both_vectors() -> None:
    with pytest.raises(ValueError, match="needs a sparse vector"):
        IndexQuery(selection=ALL, mode=Mode.HYBRID, limit=1, dense=(1.0,))
    with pytest.raises(ValueError, match="needs a dense vector"):
        IndexQuery(selection=ALL, mode=Mode.HYBRID, limit=1, sparse=TERMS)


def test_a_query_of_one_side_needs_only_that_side() -> None:
    assert IndexQuery(selection=ALL, mode=Mode.DENSE, limit=1, dense=(1.0,)).sparse is None
    assert IndexQuery(selection=ALL, mode=Mode.SPARSE, limit=1, sparse=TERMS).dense is None


def test_a_query_asks_for_at_least_one_hit() -> None:
    with pytest.raises(ValueError, match="at least one hit"):
        IndexQuery(selection=ALL, mode=Mode.DENSE, limit=0, dense=(1.0,))


@given(st.text("ab \n", max_size=60), st.integers(1, 70))
def test_a_trimmed_text_begins_as_the_whole_and_is_no_longer_than_allowed(
    text: str, most: int
) -> None:
    shown, cut = trim(text, most)
    assert len(shown) <= most
    assert cut == (len(text) > most)
    assert text.startswith(shown.removesuffix("…"))
    assert shown.endswith("…") == cut


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (15, "Wheat grows in…"),
        (14, "Wheat grows…"),
        (12, "Wheat grows…"),
        (11, "Wheat grow…"),
        (6, "Wheat…"),
        (3, "Wh…"),
    ],
)
def test_a_text_is_trimmed_behind_a_word_where_one_ends_in_time(most: int, shown: str) -> None:
    assert trim("Wheat grows in fields", most) == (shown, True)
    assert trim("Wheat\ngrows\nin\nfields", most)[0].split() == shown.split()
