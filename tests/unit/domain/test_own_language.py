"""Passages in the question's language come before others with the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import Candidates
from citeloom.domain.retrieval.coverage import WeighedWords
from citeloom.domain.retrieval.own_language import OwnLanguage
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, SparseVector, StoredChunk
from citeloom.testing.chunks import library

QUESTION = "What do we know about the pests of rye?"
WORDS = WeighedWords(
    forms={
        word: (SparseVector(indices=(n,), values=(1.0,)),)
        for n, word in enumerate(("pests", "rye"))
    },
    weights={"pests": 3.0, "rye": 2.0},
    unknown=frozenset(),
    names=frozenset(),
)
STORED = [chunk.stored for chunk in library(12, seed=3)]


def hit(place: int, language: str | None, *words: int) -> Hit:
    """A hit in a language, with words of the question by their numbers."""
    stored = replace(STORED[place], metadata={"language": language} if language else {})
    sparse = SparseVector(indices=words, values=(1.0,) * len(words))
    return Hit(stored=stored, score=1 / (1 + place), sparse=sparse)


def language(stored: StoredChunk) -> str | None:
    named = stored.metadata.get("language")
    return named if isinstance(named, str) else None


def staged(hits: Sequence[Hit], text: str = QUESTION, further: Sequence[Hit] = ()) -> Candidates:
    query = IndexQuery(
        selection=Selection(project_id="lab/wheat"), mode=Mode.DENSE, limit=9, dense=(1.0,)
    )
    stage = OwnLanguage(words=lambda: WORDS, language=language)
    return stage(Candidates(text=text, query=query, hits=tuple(hits), further=tuple(further)))


def test_one_in_another_language_gives_way_to_two_that_have_its_words_too() -> None:
    french = [hit(n, "fr", 0) for n in range(2)]
    english = [hit(n, "en", 0) for n in range(2, 5)]
    done = staged([*french, *english])
    assert done.hits == (*english[:2], *french, english[2])
    assert done.pool == done.hits
    assert done.detail == "2 in the question's language (en) before one in another"


def test_those_that_follow_may_come_first_too() -> None:
    french, english = hit(0, "fr", 0), hit(1, "en", 0)
    assert staged([french], further=[english]).hits == (english, french)


def test_one_in_another_language_stays_before_those_with_fewer_of_the_words() -> None:
    hits = [hit(0, "fr", 0, 1), hit(1, "en", 0), hit(2, "en", 1)]
    assert staged(hits).hits == tuple(hits)


def test_one_that_is_near_by_meaning_alone_stays() -> None:
    hits = [hit(0, "fr"), hit(1, "en", 0)]
    assert staged(hits).hits == tuple(hits)


def test_where_a_language_is_not_clear_the_order_stays() -> None:
    unclear = [hit(0, None, 0), hit(1, "en", 0)]
    assert staged(unclear).hits == tuple(unclear)
    other = [hit(0, "fr", 0), hit(1, None, 0)]
    assert staged(other).detail == "the order stays"
    alone = [hit(0, "fr", 0), hit(1, "en", 0)]
    done = staged(alone, text="pests")
    assert (done.hits, done.detail) == (tuple(alone), "the question's language is not clear")


def test_beyond_the_first_six_the_order_stays() -> None:
    hits = [*(hit(n, "en", 1) for n in range(6)), hit(6, "fr", 0), hit(7, "en", 0)]
    assert staged(hits).hits == tuple(hits)
