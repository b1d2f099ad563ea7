"""Variants held against the present way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from citeloom.application.evaluate.sweep import (
    SweepReport,
    Trial,
    TrialSet,
    Variant,
    VariantVerdict,
    chunking_variants,
    fusion_variants,
    run_sweep,
)
from citeloom.application.events import shown_by
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.evaluation.measures import Question, RelevanceJudgement
from citeloom.domain.policies import ChunkingPolicy, Mode
from citeloom.domain.retrieval.ordering import Fusion
from tests.fakes.progress import RecordedProgress
from tests.fakes.ranking_measures import FormulaMeasures
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import PROJECT, RYE, TOPICS, Library, open_project, paper

CHUNKING = PROJECT.chunking
PRESENT = Variant(name="present", chunking=CHUNKING, retrieval=PROJECT.retrieval)
QUESTIONS = tuple(
    Question(
        id=f"{topic} {word}",
        kind="k",
        text=f"{word} of wheat measured for {topic}",
        evidence=(RelevanceJudgement(work="rye2001", page=page),),
    )
    for page, topic in enumerate(TOPICS, start=1)
    for word in ("Plot", "measure", "winter", "grain")
)
UNANSWERABLE = Question(id="none", kind="none", text="Who?")


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library(
        {"papers/a.txt": paper("wheat", sections=5), "papers/b.txt": paper("barley", sections=5)}
    )
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library


def sets(library: Library, *, by_document: bool = False) -> list[TrialSet]:
    @contextmanager
    def opened(cut: ChunkingPolicy) -> Iterator[OpenProject]:
        asked = library
        if cut != CHUNKING:
            asked = Library({"papers/c.txt": "# Nothing\n\nNothing of all this stands in here."})
            asked.ingest()
        yield open_project(asked)

    def one(name: str, questions: tuple[Question, ...]) -> TrialSet:
        return TrialSet(name=name, questions=questions, by_document=by_document, opened=opened)

    return [one("few", (*QUESTIONS[:4], UNANSWERABLE)), one("all", QUESTIONS)]


def swept(library: Library, *variants: Variant, by_document: bool = False) -> SweepReport:
    asked, events = sets(library, by_document=by_document), shown_by(RecordedProgress())
    return run_sweep(asked, PRESENT, variants, measures=FormulaMeasures(), events=events, seed=1)


@pytest.mark.parametrize("by_document", [False, True])
def test_the_present_fusion_as_a_variant_is_what_the_query_does(
    library: Library, by_document: bool
) -> None:
    same = replace(PRESENT, name="same", fusion=Fusion(k=PROJECT.retrieval.rrf_k))
    report = swept(library, same, by_document=by_document)
    assert report.questions == {"few": 4, "all": 20}
    (result,) = report.results
    assert {trial.difference for trial in (result.overall, *result.by_set.values())} == {0.0}
    assert result.by_set["all"].mean == report.present["all"] > 0.0
    assert result.overall.verdict is VariantVerdict.UNCLEAR


def test_a_way_that_finds_nothing_is_worse_and_stands_last(library: Library) -> None:
    nothing = replace(PRESENT, name="nothing", chunking=replace(CHUNKING, max_tokens=50))
    dense = replace(PRESENT, name="dense alone", fusion=Fusion(sparse_weight=0.0))
    report = swept(library, nothing, dense)
    assert [result.variant.name for result in report.results] == ["dense alone", "nothing"]
    last = report.results[-1]
    assert last.overall.verdict is last.by_set["all"].verdict is VariantVerdict.WORSE
    assert last.overall.mean == pytest.approx(0.0)
    assert last.overall.difference == pytest.approx(-sum(report.present.values()) / 2)
    assert last.overall.p <= last.overall.corrected_p


def test_a_spoilt_order_is_worse(library: Library) -> None:
    backwards = Fusion(dense_weight=-1.0, sparse_weight=-1.0)
    spoilt = replace(PRESENT, name="spoilt", fusion=backwards)
    assert swept(library, spoilt).results[0].overall.verdict is VariantVerdict.WORSE


def test_better_is_what_is_more_than_chance() -> None:
    trial = Trial(mean=0.6, difference=0.1, p=0.001, corrected_p=0.01)
    assert trial.verdict is VariantVerdict.BETTER
    assert replace(trial, corrected_p=0.06).verdict is VariantVerdict.UNCLEAR


def test_another_fusion_changes_hybrid_queries_alone(library: Library) -> None:
    opened = open_project(library)
    turned = replace(opened, fusion=Fusion(k=1, sparse_weight=-1.0))
    request = QueryRequest(text=QUESTIONS[0].text, explain=True)
    for mode, same in ((Mode.DENSE, True), (Mode.SPARSE, True), (Mode.HYBRID, False)):
        asked = replace(request, mode=mode)
        assert (query(turned, asked).passages == query(opened, asked).passages) is same


def test_the_variants_change_one_thing_each_and_never_nothing() -> None:
    present = replace(PRESENT, chunking=ChunkingPolicy().fitted(256))
    fusions, cuts = list(fusion_variants(present)), list(chunking_variants(present))
    for variant in (*fusions, *cuts):
        changed = [
            variant.chunking != present.chunking,
            variant.retrieval != present.retrieval,
            variant.fusion is not None,
        ]
        assert changed.count(True) == 1
    names = [variant.name for variant in (*fusions, *cuts)]
    assert len(names) == len(set(names))
    assert {"rrf k=10", "minmax dense 2 : sparse 1", "200 candidates"} <= set(names)
    assert {"no headings", "chunks of 128 tokens"} <= set(names)


def test_a_cut_smaller_than_its_overlap_is_not_tried() -> None:
    small = ChunkingPolicy(max_tokens=70, overlap_tokens=60, min_chunk_tokens=50)
    cuts = chunking_variants(replace(PRESENT, chunking=small))
    assert [variant.name for variant in cuts if "tokens" in variant.name] == []
