from __future__ import annotations

import pytest

from citeloom.domain.documents.language import TERM_LANGUAGES
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.retrieval.sparse import (
    any_of,
    languages_of,
    marked,
    own_terms,
    primary_language,
    with_opening,
)

OWN = SparseVector(indices=(3, 7), values=(0.5, 1.0))
BOTH = with_opening(OWN, SparseVector(indices=(7,), values=(1.0,)))


def test_a_vector_says_which_languages_its_terms_are_in() -> None:
    told = marked(BOTH, ["pt", "de"])

    assert languages_of(told) == {"de", "pt"}
    assert own_terms(told) == OWN
    assert list(told.indices) == sorted(set(told.indices))
    assert marked(told, ["de"]) == told


def test_of_english_and_of_languages_without_terms_nothing_is_said() -> None:
    assert marked(BOTH, []) is BOTH
    assert marked(BOTH, ["en", "ja"]) == BOTH
    assert languages_of(BOTH) == frozenset()


def test_any_of_the_languages_is_asked_for_by_their_markers() -> None:
    asked = any_of(TERM_LANGUAGES)

    assert languages_of(asked) == TERM_LANGUAGES
    assert set(any_of(["de"]).indices) <= set(marked(BOTH, ["de"]).indices)
    assert max(asked.indices) < 2**32 - 1


@pytest.mark.parametrize(
    ("tag", "language"),
    [("pt-BR", "pt"), ("DE", "de"), ("nb-NO", "no"), ("nn", "no"), ("", None), (None, None)],
)
def test_regions_do_not_count(tag: str | None, language: str | None) -> None:
    assert primary_language(tag) == language
