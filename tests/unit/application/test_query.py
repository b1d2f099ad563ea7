"""Questions, and the passages that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from citeloom.application.ports.vector_index import Capability
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.errors import EmbeddingMismatch, HybridNotSupported, InvalidProject
from citeloom.domain.policies import Mode, RetrievalPolicy
from citeloom.domain.project import Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Ranked, StoredChunk
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import PROJECT, RYE, Library, open_project, paper

QUESTION = "winter rye of barley"


@pytest.fixture(params=["a store that fuses and weighs", "a store that only searches"])
def capabilities(request: pytest.FixtureRequest) -> frozenset[Capability]:
    """What the store does itself; the answers are the same."""
    return frozenset(Capability) if "fuses" in request.param else frozenset()


@pytest.fixture
def library(capabilities: frozenset[Capability]) -> Library:
    """Two papers of five chunks each; the first has a reference."""
    library = Library(
        {"papers/a.txt": paper("wheat", sections=5), "papers/b.txt": paper("barley", sections=5)},
    )
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    library.index.restrict(capabilities)
    return library


def ask(library: Library, request: QueryRequest | None = None) -> QueryResult:
    return query(open_project(library), request or QueryRequest(text=QUESTION))


QUERY = QueryRequest(text=QUESTION)


def test_a_question_finds_the_passage_that_speaks_of_it(library: Library) -> None:
    result = ask(library)
    best = result.passages[0]
    assert (best.stored.source_path, best.stored.chunk.section_path) == (
        "papers/b.txt",
        ("Winter Rye",),
    )
    assert len(result.passages) == PROJECT.retrieval.top_k
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)


def test_a_quotation_finds_the_very_passage_before_others_that_score_more(
    capabilities: frozenset[Capability],
) -> None:
    words = "barnacles settled on the rim early"
    padding = " ".join(f"Remark {n} concerns something else." for n in range(6))
    decoy = "Early rim. The rim settled early on barnacles, early on the rim barnacles settled."
    library = Library(
        {
            "papers/a.txt": f"# Fouling\n\n{padding} Then {words}, we saw.",
            "papers/b.txt": f"# Others\n\n{decoy} {decoy}",
        },
    )
    library.ingest()
    library.index.restrict(capabilities)
    request = QueryRequest(text=words)
    alone = ask(library, replace(request, mode=Mode.SPARSE)).passages
    assert alone[0].stored.source_path == "papers/b.txt"
    both = ask(library, request)
    assert [(p.stored.source_path, p.verbatim) for p in both.passages[:2]] == [
        ("papers/a.txt", True),
        ("papers/b.txt", False),
    ]
    assert both.feedback == ()


def test_a_quotation_that_runs_on_into_the_next_chunk_finds_its_larger_part(
    capabilities: frozenset[Capability],
) -> None:
    opening = " ".join(f"Remark {n} concerns collars." for n in range(12))
    library = Library(
        {
            "papers/a.txt": f"# Fouling\n\n{opening} Barnacles settled on every rim early.\n\n\f"
            f"# Copper\n\nNone settled there. {opening}",
            "papers/b.txt": paper("barnacles", sections=5),
        },
    )
    library.ingest()
    library.index.restrict(capabilities)
    words = "Barnacles settled on every rim early. Copper None"
    best = ask(library, QueryRequest(text=words)).passages[0]
    assert best.verbatim
    assert best.stored.source_path == "papers/a.txt"
    assert "every rim early" in best.text
    assert "None settled" not in best.text


def test_a_query_is_widened_by_the_best_it_finds_at_first(library: Library) -> None:
    library.project = replace(
        PROJECT, retrieval=RetrievalPolicy(feedback=0, diversify_by_page=False)
    )
    once = ask(library)
    assert once.feedback == ()
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(feedback=2))
    twice = ask(library)
    assert twice.feedback == tuple(p.stored.chunk.id for p in once.passages[:2])


def test_the_pages_take_turns(
    capabilities: frozenset[Capability],
) -> None:
    sentence = "Copper collars keep barnacles away from every gauge and rim of the tide."
    library = Library(
        {
            "papers/a.txt": "# Copper\n\n" + " ".join([sentence] * 12),
            "papers/b.txt": "# Collars\n\nCopper collars were not used on gauges elsewhere at all.",
        },
    )
    library.ingest()
    library.index.restrict(capabilities)
    request = QueryRequest(text="copper collars barnacles")
    sources = [p.stored.source_path for p in ask(library, request).passages]
    assert sources[:3] == ["papers/a.txt", "papers/b.txt", "papers/a.txt"]
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(diversify_by_page=False))
    assert [p.stored.source_path for p in ask(library, request).passages][:2] == [
        "papers/a.txt"
    ] * 2


def test_a_chunk_is_found_by_what_its_document_opens_with(
    capabilities: frozenset[Capability],
) -> None:
    detail = "# Results\n\nThe error of the gauge was seven percent in total after a year."
    library = Library(
        {
            f"papers/{name}.txt": f"# {name.title()}\n\nWritten by {name} in {place}.\n\n\f{detail}"
            for name, place in (("ada", "london"), ("bo", "oslo"), ("cy", "rome"))
        },
    )
    library.ingest()
    library.index.restrict(capabilities)
    request = QueryRequest(text="error of the gauge of oslo", mode=Mode.SPARSE)
    found = [p for p in ask(library, request).passages if "seven percent" in p.text]
    assert found[0].stored.source_path == "papers/bo.txt"
    assert "oslo" not in found[0].text


def test_a_result_tells_how_it_came_about(library: Library) -> None:
    result = ask(library)
    assert (result.project, result.query, result.mode) == (PROJECT.id, QUESTION, Mode.HYBRID)
    assert result.models == {"dense": PROJECT.embedding_model, "sparse": PROJECT.sparse_model}
    assert result.fusion == "rrf k=60"
    assert result.duration_ms == 500.0
    assert result.correlation_id != ask(library).correlation_id


def test_a_passage_is_cited_where_its_work_is_known(library: Library) -> None:
    request = QueryRequest(text="nitrogen of wheat", top_k=10)
    cited = {p.stored.source_path: p.citation for p in ask(library, request).passages}
    assert cited["papers/b.txt"] is None
    assert cited["papers/a.txt"] is not None
    assert cited["papers/a.txt"].startswith("[@rye2001, p. ")


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.SPARSE])
def test_one_side_may_be_asked_alone(library: Library, mode: Mode) -> None:
    result = ask(library, replace(QUERY, mode=mode))
    assert (result.mode, result.fusion) == (mode, None)
    assert result.passages[0].stored.chunk.section_path == ("Winter Rye",)


def test_a_dense_project_is_asked_densely_unless_told_otherwise(library: Library) -> None:
    library.index.drop(PROJECT.collection)
    library.project = replace(PROJECT, hybrid_enabled=False)
    library.index.restrict(frozenset(Capability))
    library.ingest()
    assert ask(library).mode is Mode.DENSE
    for mode in (Mode.HYBRID, Mode.SPARSE):
        with pytest.raises(HybridNotSupported) as caught:
            ask(library, replace(QUERY, mode=mode))
        assert mode.value in caught.value.message
        assert "--rebuild" in caught.value.hint


def test_without_a_sparse_embedder_nothing_is_asked_sparsely(library: Library) -> None:
    with pytest.raises(HybridNotSupported):
        query(open_project(library, open_embedders=lambda: (library.dense, None)), QUERY)


def test_a_project_that_holds_nothing_yet_says_so() -> None:
    with pytest.raises(InvalidProject) as caught:
        ask(Library())
    assert f"citeloom ingest --project {PROJECT.id}" in caught.value.hint


def test_other_models_are_refused(library: Library) -> None:
    library.project = replace(PROJECT, embedding_model="other")
    with pytest.raises(EmbeddingMismatch, match="other"):
        ask(library)


def test_as_many_passages_come_back_as_were_asked_for(library: Library) -> None:
    assert len(ask(library, replace(QUERY, top_k=2)).passages) == 2
    assert len(ask(library, replace(QUERY, top_k=99)).passages) == 10


def test_passages_below_the_least_score_are_left_out(library: Library) -> None:
    dense = replace(QUERY, mode=Mode.DENSE, top_k=10)
    scores = [passage.score for passage in ask(library, dense).passages]
    found = ask(library, replace(dense, min_score=scores[2])).passages
    assert [passage.score for passage in found] == [s for s in scores if s >= scores[2]]
    assert 0 < len(found) < len(scores)
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(min_score=2.0))
    assert ask(library, dense).passages == ()
    assert len(ask(library, replace(dense, min_score=-1.0)).passages) == 10


def test_by_document_only_the_best_of_each_comes_back(library: Library) -> None:
    passages = ask(library, replace(QUERY, by_document=True)).passages
    assert [passage.stored.source_path for passage in passages] == ["papers/b.txt", "papers/a.txt"]
    assert passages[0] == ask(library).passages[0]
    assert len(ask(library, replace(QUERY, by_document=True, top_k=1)).passages) == 1


def test_long_texts_are_trimmed_unless_wanted_whole(library: Library) -> None:
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(max_chars_per_chunk=40))
    short, whole = (
        ask(library).passages[0],
        ask(library, replace(QUERY, full_text=True)).passages[0],
    )
    assert short.trimmed
    assert len(short.text) <= 40
    assert not whole.trimmed
    assert whole.text == whole.stored.chunk.text == short.stored.chunk.text
    assert len(whole.text) > 40


def test_explained_passages_tell_their_rank_on_each_side(library: Library) -> None:
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(feedback=0))
    passages = ask(library, replace(QUERY, explain=True, top_k=10)).passages
    for side, mode in (("dense", Mode.DENSE), ("sparse", Mode.SPARSE)):
        alone = ask(library, replace(QUERY, mode=mode, top_k=10)).passages
        ranks = {
            p.stored.chunk.id: Ranked(rank=rank, score=p.score) for rank, p in enumerate(alone, 1)
        }
        assert {p.stored.chunk.id: getattr(p, side) for p in passages} == {
            p.stored.chunk.id: ranks.get(p.stored.chunk.id) for p in passages
        }
    k = PROJECT.retrieval.rrf_k
    best = passages[0]
    assert best.dense is not None
    assert best.sparse is not None
    assert best.score == pytest.approx(1 / (k + best.dense.rank) + 1 / (k + best.sparse.rank))


def test_explained_ranks_are_those_of_the_widened_query(library: Library) -> None:
    result = ask(library, replace(QUERY, explain=True, top_k=10))
    assert len(result.feedback) == PROJECT.retrieval.feedback
    k = PROJECT.retrieval.rrf_k
    for passage in result.passages:
        assert passage.dense
        ranks = [side.rank for side in (passage.dense, passage.sparse) if side]
        assert passage.score == pytest.approx(sum(1 / (k + rank) for rank in ranks))


def test_an_explained_dense_query_has_no_sparse_side(library: Library) -> None:
    passages = ask(library, replace(QUERY, mode=Mode.DENSE, explain=True)).passages
    assert [p.dense.rank for p in passages if p.dense] == [1, 2, 3, 4, 5, 6]
    assert {p.sparse for p in passages} == {None}


def test_what_is_not_explained_has_no_ranks(library: Library) -> None:
    assert {(p.dense, p.sparse) for p in ask(library).passages} == {(None, None)}


def test_neighbours_are_those_next_to_it_in_its_document(library: Library) -> None:
    best = ask(library, replace(QUERY, context=1)).passages[0]
    assert [s.chunk.chunk_idx for s in best.before] == [1]
    assert [s.chunk.chunk_idx for s in best.after] == [3]
    assert {s.source_path for s in (*best.before, *best.after)} == {"papers/b.txt"}
    wide = ask(library, replace(QUERY, context=9)).passages[0]
    assert [s.chunk.chunk_idx for s in (*wide.before, *wide.after)] == [0, 1, 3, 4]
    plain = ask(library).passages[0]
    assert (plain.before, plain.after) == ((), ())


def test_a_selection_narrows_the_answer(library: Library) -> None:
    passages = ask(library, replace(QUERY, citekey="rye2001")).passages
    assert {p.stored.source_path for p in passages} == {"papers/a.txt"}


def test_reference_lists_are_left_out_unless_asked_for(library: Library) -> None:
    best = ask(library).passages[0].stored.chunk
    shelf = library.index._shelf(PROJECT.collection)
    found = shelf.chunks[best.id]
    listed = replace(found.stored, chunk=replace(best, kind=ChunkKind.REFERENCE))
    library.index.upsert(PROJECT.collection, [replace(found, stored=listed)])
    for mode in Mode:
        body = ask(library, replace(QUERY, mode=mode, top_k=99)).passages
        assert len(body) == 9
        assert best.id not in {p.stored.chunk.id for p in body}
    for kinds, count in (((ChunkKind.REFERENCE,), 1), (tuple(ChunkKind), 10)):
        found_now = ask(library, replace(QUERY, kinds=kinds, top_k=99)).passages
        assert len(found_now) == count
        assert found_now[0].stored.chunk.id == best.id
    around = ask(library, replace(QUERY, context=9, by_document=True)).passages
    assert best.id in {s.chunk.id for p in around for s in (*p.before, *p.after)}


def test_an_entry_of_a_reference_list_is_asked_for_by_quoting_it(library: Library) -> None:
    best = ask(library).passages[0].stored.chunk
    found = library.index._shelf(PROJECT.collection).chunks[best.id]
    words = "Collars against barnacles on northern moorings"
    entry = replace(best, kind=ChunkKind.REFERENCE, text=f"Quint, B. (2001). {words}. Tides 7.")
    listed = replace(found.stored, chunk=entry)
    library.index.upsert(PROJECT.collection, [replace(found, stored=listed)])
    quoted = ask(library, replace(QUERY, text=words)).passages
    assert [(p.stored.chunk.id, p.verbatim) for p in quoted][:1] == [(best.id, True)]
    assert len(quoted) == PROJECT.retrieval.top_k
    other = ask(library, replace(QUERY, text=f"{words} elsewhere")).passages
    assert best.id not in {p.stored.chunk.id for p in other}


def test_a_project_never_answers_from_another(
    library: Library, capabilities: frozenset[Capability]
) -> None:
    library.index.restrict(frozenset(Capability))
    other = Library({"papers/x.txt": paper("barley", sections=5)})
    other.project = Project(
        id="lab/other",
        sources=("papers",),
        embedding_model=PROJECT.embedding_model,
        sparse_model=PROJECT.sparse_model,
        chunking=PROJECT.chunking,
    )
    other.index, other.manifest = library.index, library.manifest
    other.references = MemoryReferenceLibrary(
        CitationMeta(citekey="rye2001", title="The same key"), mapping={"x.txt": "rye2001"}
    )
    other.ingest()
    library.index.restrict(capabilities)
    for mode in Mode:
        for citekey in (None, "rye2001"):
            request = QueryRequest(text=QUESTION, citekey=citekey, mode=mode, top_k=99, context=3)
            assert {s.project_id for s in everything_in(ask(other, request))} == {"lab/other"}
        mine = replace(QUERY, mode=mode, top_k=99, context=3)
        assert {s.project_id for s in everything_in(ask(library, mine))} == {PROJECT.id}


def everything_in(result: QueryResult) -> Iterator[StoredChunk]:
    for passage in result.passages:
        yield from (passage.stored, *passage.before, *passage.after)
