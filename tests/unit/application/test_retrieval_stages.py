"""The stages of retrieval: what each does, says and can be switched off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.vector_index import Capability
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.reranking import Reranking
from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.search import TermStatisticsCache, search_in
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import Mode, RetrievalPolicy
from citeloom.domain.retrieval.candidates import ESSENTIAL, StageName
from citeloom.domain.retrieval.ordering import Fusion, FusionMethod
from citeloom.domain.retrieval.passage import ExaminedChunk, Selection
from citeloom.domain.retrieval.sparse import TermStatistics
from citeloom.testing.chunks import collection, embedded, library
from citeloom.testing.in_memory import InMemoryIndex
from tests.fakes.reranker import SharedWords
from tests.unit.application.library import PROJECT, TOPICS, Library, open_project, paper

EVERY = frozenset(Capability)
TEXTS = {f"papers/{crop}.txt": paper(crop, sections=5) for crop in ("barley", "oats", "wheat")}
WORDS = ("plot", "measured", "for", "wheat", "barley", *" ".join(TOPICS).split(), "gauge")
QUESTION = "winter rye of barley"


def library_of(capabilities: frozenset[Capability] = EVERY, **texts: str) -> Library:
    library = Library({f"papers/{name}.txt": text for name, text in texts.items()} or TEXTS)
    library.ingest()
    library.index.restrict(capabilities)
    return library


ABLE = open_project(library_of())
PLAIN = open_project(library_of(frozenset()))
RERANKING = Reranking(reranker=SharedWords(), candidates=12, seconds=30.0)
STAGES = [name for name in StageName if name is not StageName.LANGUAGE]
"""Those of a library in one language."""
RERANKED = replace(ABLE, open_reranking=lambda: RERANKING)


def ids(result: QueryResult) -> list[str]:
    return [passage.stored.chunk.id for passage in result.passages]


def names(result: QueryResult) -> list[StageName]:
    return [stage.name for stage in result.stages]


@settings(max_examples=60, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
    mode=st.sampled_from(Mode),
    top_k=st.integers(1, 20),
    policy=st.builds(
        RetrievalPolicy,
        rrf_k=st.integers(1, 80),
        candidates=st.integers(1, 20),
        feedback=st.integers(0, 4),
        diversify_by_page=st.booleans(),
    ),
)
def test_what_the_application_fuses_and_weighs_ranks_as_the_store_would(
    words: list[str], mode: Mode, top_k: int, policy: RetrievalPolicy
) -> None:
    request = QueryRequest(text=" ".join(words), mode=mode, top_k=top_k, explain=True)
    project = replace(PROJECT, retrieval=policy)
    able = query(replace(ABLE, settings=project), request)
    plain = query(replace(PLAIN, settings=project), request)
    assert ids(plain) == ids(able)
    assert plain.feedback == able.feedback
    scores = [passage.score for passage in able.passages]
    assert [passage.score for passage in plain.passages] == pytest.approx(scores)
    ranks = [(p.dense and p.dense.rank, p.sparse and p.sparse.rank) for p in able.passages]
    assert [(p.dense and p.dense.rank, p.sparse and p.sparse.rank) for p in plain.passages] == ranks


class CountingIndex(InMemoryIndex):
    """Counts how often all chunks are read."""

    examined = 0

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        self.examined += 1
        return super().examine(name, selection)


def test_the_statistics_of_terms_are_counted_once_and_again_when_chunks_change() -> None:
    index, made = CountingIndex(), collection("terms")
    index.create(made)
    index.upsert(made.name, library(40, seed=1))
    statistics = TermStatisticsCache()
    first = statistics(index, made)
    assert statistics(index, made) is first
    assert (index.examined, first.chunks) == (1, 40)
    index.upsert(made.name, [embedded("one more")])
    assert statistics(index, made).chunks == 41
    assert statistics(index, replace(made, generation="second")).chunks == 41
    assert index.examined == 3


def test_the_statistics_are_counted_again_once_a_document_is_replaced_by_as_many_chunks() -> None:
    library = Library({"papers/a.txt": "Rye was sown on the plot."})
    library.ingest()
    library.index.restrict(EVERY - {Capability.IDF})
    project, counted = open_project(library), list[TermStatistics]()
    for text in ("Rye was sown on the plot.", "Oats were sown on the plot."):
        library.files.write("papers/a.txt", text)
        library.ingest()
        search = search_in(project, project.bound_collection())
        counted += [search.statistics(project.index, search.collection) for _ in range(2)]
    assert counted[0] is counted[1]
    assert counted[2] is counted[3]
    assert counted[0].chunks == counted[2].chunks == 1
    assert counted[0].having.keys() != counted[2].having.keys()


def test_another_fusion_is_the_applications_even_where_the_store_fuses() -> None:
    other = replace(ABLE, fusion=Fusion(method=FusionMethod.MIN_MAX))
    result = query(other, QueryRequest(text=QUESTION))
    assert result.fusion == "minmax"
    (fuse,) = [stage for stage in result.stages if stage.name is StageName.FUSE]
    assert fuse.detail == "minmax, by the application"


def test_a_hybrid_question_goes_through_every_stage_in_order() -> None:
    request = QueryRequest(text=QUESTION, min_score=0.0, by_document=True, words=("plot",))
    result = query(RERANKED, request)
    assert names(result) == STAGES
    traces = {stage.name: stage for stage in result.stages}
    assert traces[StageName.RETRIEVE].hits_in == 0
    assert traces[StageName.RETRIEVE].hits_out == 15
    assert traces[StageName.RETRIEVE].detail == "15 by hybrid search"
    assert traces[StageName.FUSE].detail == "rrf k=60, by the store"
    assert traces[StageName.EXPAND].detail == "by the 3 best passages of the query as asked"
    assert (traces[StageName.GROUP].hits_in, traces[StageName.GROUP].hits_out) == (15, 3)
    for before, after in zip(result.stages, result.stages[1:]):
        assert after.hits_in == before.hits_out
    assert result.stages[-1].hits_out == len(result.passages) == 3


def test_without_a_store_that_fuses_the_sides_are_told_apart() -> None:
    traces = {stage.name: stage for stage in query(PLAIN, QueryRequest(text="winter rye")).stages}
    assert traces[StageName.RETRIEVE].detail == "15 and 15 by hybrid search"
    assert traces[StageName.FUSE].detail == "rrf k=60, by the application"


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.SPARSE])
def test_one_side_alone_is_only_asked(mode: Mode) -> None:
    result = query(ABLE, QueryRequest(text=QUESTION, mode=mode))
    stages = [StageName.RETRIEVE, StageName.FUSE, StageName.FOLD, StageName.LIMIT]
    assert names(result) == stages
    assert result.stages[1].detail == "one side alone"


def test_a_quotation_that_is_found_needs_no_further_search() -> None:
    result = query(ABLE, QueryRequest(text="Plot 2 of wheat was measured for rainfall."))
    finish = [StageName.FOLD, StageName.WORKS, StageName.RARE, StageName.LIMIT]
    assert names(result) == [StageName.QUOTATIONS, *finish]
    assert result.passages[0].verbatim
    assert "word for word" in result.stages[0].detail


@pytest.mark.parametrize("stage", sorted(set(STAGES) - ESSENTIAL))
def test_a_stage_can_be_switched_off(stage: StageName) -> None:
    request = QueryRequest(text=QUESTION, min_score=0.0, by_document=True, words=("plot",))
    result = query(RERANKED, replace(request, without=frozenset({stage})))
    assert names(result) == [name for name in STAGES if name is not stage]


def test_works_that_fit_alike_come_before_the_third_passage_of_one() -> None:
    result = query(ABLE, QueryRequest(text=QUESTION, min_score=0.0))
    assert names(result) == [
        one for one in STAGES if one not in {StageName.RERANK, StageName.GROUP, StageName.WORDS}
    ]
    assert (result.works_shown, result.works_found) == (3, 3)
    stages = query(RERANKED, QueryRequest(text=QUESTION)).stages
    trace = {stage.name: stage.detail for stage in stages}
    assert trace[StageName.WORKS] == "the reranker's order stays"
    one = query(ABLE, QueryRequest(text=QUESTION, top_k=1))
    assert (one.works_shown, one.works_found) == (1, 3)


@pytest.mark.parametrize("mode", Mode)
def test_the_first_passages_are_the_same_however_many_are_returned(mode: Mode) -> None:
    crops = ("barley", "oats", "wheat", "rye", "maize", "hops", "flax", "millet", "peas", "beans")
    opened = open_project(library_of(EVERY, **{crop: paper(crop, sections=9) for crop in crops}))
    for words in zip(WORDS, WORDS[5:], WORDS[2:]):
        question = " ".join(words)
        every = ids(query(opened, QueryRequest(text=question, mode=mode, top_k=50)))
        for top_k in (1, 3, 6, 10, 20, 31):
            assert (
                ids(query(opened, QueryRequest(text=question, mode=mode, top_k=top_k)))
                == every[:top_k]
            )


def test_what_finds_the_answer_cannot_be_switched_off() -> None:
    with pytest.raises(InvalidFilter, match="limit, retrieve"):
        QueryRequest(text="rye", without=frozenset({StageName.RETRIEVE, StageName.LIMIT}))


def test_a_text_in_two_documents_is_returned_once_and_listed_with_the_best() -> None:
    twin = "# Twin\n\nCopper collars keep barnacles away from every gauge of the tide."
    opened = open_project(
        library_of(one=twin, two=f"{twin}\n\n\f# More\n\nThe rest is about seals.")
    )
    request = QueryRequest(text="copper collars", top_k=9)
    result = query(opened, request)
    shown = [p for p in result.passages if "Copper" in p.text]
    assert len(shown) == 1
    assert [stored.chunk.text for stored in shown[0].duplicates] == [shown[0].text]
    assert shown[0].duplicates[0].source_path != shown[0].stored.source_path
    (fold,) = [stage for stage in result.stages if stage.name is StageName.FOLD]
    assert (fold.hits_in - fold.hits_out, fold.detail[:1]) == (1, "1")
    apart = query(opened, replace(request, without=frozenset({StageName.FOLD})))
    assert len([p for p in apart.passages if "Copper" in p.text]) == 2
    kept = replace(PROJECT, retrieval=RetrievalPolicy(fold_duplicates=False))
    assert ids(query(replace(opened, settings=kept), request)) == ids(apart)


def test_a_floor_that_nothing_passes_says_so() -> None:
    result = query(ABLE, QueryRequest(text=QUESTION, min_score=0.05))
    assert result.passages == ()
    best = query(ABLE, QueryRequest(text=QUESTION)).passages
    highest = max(passage.score for passage in best)
    assert result.notes == (
        f"the floor of 0.05 removed all 15 passages; the best had {highest:.4f}",
    )
    assert query(ABLE, QueryRequest(text=QUESTION, min_score=0.03)).notes == ()
    one = open_project(library_of(one="# Rye\n\nRye was sown in the fields around the town."))
    assert (
        query(one, QueryRequest(text="rye", min_score=9.0))
        .notes[0]
        .startswith("the floor of 9 removed the only passage; the best had 0.03")
    )


COVERED = {
    "a": "# One\n\nGranite walls stand near the river bridge on the old mill road of the town.",
    "b": "# Two\n\nWinter barley grows under snow, and the harvest of barley is late in summer.",
    "c": "# Three\n\nThe miller ground winter barley at the old mill on the river before snow.",
}


def covered() -> Library:
    library = Library({f"papers/{name}.txt": text for name, text in COVERED.items()})
    library.ingest()
    return library


def coverage(question: str) -> tuple[str, str]:
    """The passage that comes first, and what the stage says."""
    result = query(open_project(covered()), QueryRequest(text=question))
    (stage,) = (one for one in result.stages if one.name is StageName.COVERAGE)
    return result.passages[0].stored.source_path, stage.detail


def test_a_passage_with_the_words_of_the_question_comes_first() -> None:
    first, detail = coverage("Which miller ground winter barley at the old mill, river and snow?")
    assert first == "papers/c.txt"
    assert "the first has most of them" in detail or "comes a passage with" in detail


def test_few_words_found_lean_on_meaning() -> None:
    opened = open_project(covered())
    question = "Which zeppelins of Friedrichshafen overflew granite?"
    nearest = query(opened, QueryRequest(text=question, mode=Mode.DENSE)).passages[0]
    result = query(opened, QueryRequest(text=question))
    (stage,) = (one for one in result.stages if one.name is StageName.COVERAGE)
    assert "the nearest by meaning is among the first two" in stage.detail
    assert nearest.stored.chunk.id in {one.stored.chunk.id for one in result.passages[:2]}


def test_a_question_of_function_words_has_nothing_to_weigh() -> None:
    stopped = open_project(covered())
    (stage,) = (
        one
        for one in query(stopped, QueryRequest(text="?!")).stages
        if one.name is StageName.COVERAGE
    )
    assert stage.detail == "no words that carry content"
