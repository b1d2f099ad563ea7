"""Rare terms count more than common ones."""

from __future__ import annotations

import math

import pytest

from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.retrieval.sparse import TermStatistics, inverse_document_frequency


def vector(*indices: int) -> SparseVector:
    return SparseVector(indices=indices, values=(2.0,) * len(indices))


def test_terms_are_weighed_by_how_few_chunks_have_them() -> None:
    statistics = TermStatistics.of([vector(1, 2), vector(1), vector(1, 3)])
    assert (statistics.chunks, statistics.having) == (3, {1: 3, 2: 1, 3: 1})
    weighed = statistics.weigh(vector(1, 2, 9))
    assert weighed.indices == (1, 2, 9)
    assert weighed.values == pytest.approx(
        (2 * math.log(1 + 0.5 / 3.5), 2 * math.log(1 + 2.5 / 1.5), 2 * math.log(1 + 3.5 / 0.5))
    )


def test_a_term_that_all_have_still_counts() -> None:
    assert inverse_document_frequency(10, 10) > 0.0
    assert inverse_document_frequency(10, 1) > inverse_document_frequency(10, 2)
