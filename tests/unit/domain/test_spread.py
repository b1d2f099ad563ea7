"""Hits of one page take turns with those of others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.diversification import diversify_by_page
from citeloom.domain.passage import Hit
from citeloom.domain.sections import Paragraph
from tests.fakes.embedded_chunks import embedded


def hit(name: str, doc: str, page: int | None) -> Hit:
    stored = embedded(name).stored
    first = Paragraph(section="", number=1)
    chunk = replace(
        stored.chunk,
        id=name,
        doc_id=doc,
        page_span=(page, page + 1) if page else None,
        page_labels=(),
        paragraphs=None if page else (first, first),
        boxes=(),
    )
    return Hit(stored=replace(stored, chunk=chunk), score=1.0)


def names(hits: list[Hit]) -> list[str]:
    return [one.stored.chunk.id for one in hits]


def test_the_best_of_each_page_comes_before_the_second_of_any() -> None:
    hits = [hit("a1", "a", 1), hit("a2", "a", 1), hit("b1", "b", 1), hit("a3", "a", 1)]
    assert names(diversify_by_page([*hits, hit("b2", "b", 1)])) == ["a1", "b1", "a2", "b2", "a3"]


def test_hits_without_pages_stand_alone() -> None:
    hits = [hit("a1", "a", None), hit("a2", "a", None), hit("b1", "b", 4)]
    assert names(diversify_by_page(hits)) == ["a1", "a2", "b1"]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 3)), max_size=12))
def test_nothing_is_lost_and_hits_of_a_page_keep_their_order(places: list[tuple[str, int]]) -> None:
    hits = [hit(f"h{n:02}", doc, page) for n, (doc, page) in enumerate(places)]
    spread = names(diversify_by_page(hits))
    assert sorted(spread) == names(hits)
    for place in set(places):
        same = [f"h{n:02}" for n, one in enumerate(places) if one == place]
        assert [name for name in spread if name in same] == same
