"""Hits of one page, and of one work, take turns with those of others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.ordering import diversify_by_page, diversify_by_work
from citeloom.domain.retrieval.passage import Hit
from citeloom.testing.chunks import embedded


def hit(name: str, doc: str, page: int | None, score: float = 1.0) -> Hit:
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
    return Hit(stored=replace(stored, chunk=chunk), score=score)


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


def test_the_third_of_a_work_gives_way_to_another_work_that_fits_alike() -> None:
    hits = [hit(f"a{n}", "a", n, 1.0) for n in (1, 2, 3, 4)]
    far, near = hit("b1", "b", 1, 0.94), hit("c1", "c", 1, 0.95)
    again = hit("c2", "c", 2, 1.0)
    assert names(diversify_by_work([*hits, far, near, again])) == [
        "a1",
        "a2",
        "c1",
        "a3",
        "a4",
        "b1",
        "c2",
    ]


def test_no_hit_leaves_the_first_ten() -> None:
    hits = [hit(f"a{n:02}", "a", n) for n in range(1, 11)]
    assert diversify_by_work([*hits, hit("b1", "b", 1)]) == [*hits, hit("b1", "b", 1)]


def test_documents_of_one_work_count_as_one() -> None:
    work = CitationMeta(citekey="k", title="T")
    hits = [hit("a1", "a", 1), hit("a2", "a", 2), hit("b1", "b", 1), hit("c1", "c", 1)]
    of_work = [replace(one, stored=replace(one.stored, citation=work)) for one in hits[:3]]
    assert names(diversify_by_work([*of_work, hits[3]])) == ["a1", "a2", "c1", "b1"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=14))
def test_the_order_within_a_work_stays(places: list[tuple[str, float]]) -> None:
    hits = [hit(f"h{n:02}", doc, n + 1, score) for n, (doc, score) in enumerate(places)]
    spread = names(diversify_by_work(hits))
    assert sorted(spread) == names(hits)
    assert sorted(spread[:10]) == names(hits)[:10]
    for doc in "abc":
        same = [f"h{n:02}" for n, (one, _) in enumerate(places) if one == doc]
        assert [name for name in spread if name in same] == same
