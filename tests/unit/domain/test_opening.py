"""The opening of a document as a field of its chunks' sparse vectors."""

from __future__ import annotations

from citeloom.domain.chunks.chunk import Chunk, ChunkKind
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.retrieval.sparse import (
    document_context,
    in_document_context_field,
    own_terms,
    with_opening,
)

OWN = SparseVector(indices=(3, 7), values=(1.0, 2.0))
OPENING = SparseVector(indices=(7, 9), values=(4.0, 5.0))


def chunk(text: str, kind: ChunkKind = ChunkKind.TEXT) -> Chunk:
    return Chunk(
        id=text,
        doc_id="d",
        text=text,
        page_span=(1, 1),
        chunk_idx=0,
        token_count=9,
        signal_to_noise=1.0,
        kind=kind,
    )


def test_a_document_opens_with_its_first_three_chunks() -> None:
    told = [chunk(text) for text in ("title", "abstract", "aims", "method")]
    assert document_context(told) == "title\nabstract\naims"
    assert document_context(told[:1]) == "title"


def test_a_reference_list_opens_nothing() -> None:
    told = [chunk("note"), chunk("works", ChunkKind.REFERENCE), chunk("end")]
    assert document_context(told) == "note\nend"


def test_the_same_term_of_chunk_and_opening_stays_apart() -> None:
    both = with_opening(OWN, OPENING)
    assert list(both.indices) == sorted(set(both.indices))
    assert both.values == (1.0, 2.0, 4.0, 5.0)
    assert own_terms(both) == OWN


def test_a_query_counts_half_as_much_in_the_opening() -> None:
    stored = dict(zip(*_parts(with_opening(OWN, OPENING))))
    asked = dict(zip(*_parts(in_document_context_field(SparseVector(indices=(7,), values=(1.0,))))))
    assert sum(weight * stored.get(term, 0.0) for term, weight in asked.items()) == 2.0 + 0.5 * 4.0


def _parts(vector: SparseVector) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return vector.indices, vector.values
