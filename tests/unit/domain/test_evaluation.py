"""What counts as found, and what a run amounts to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.evaluation.measures import (
    Measure,
    Metric,
    Question,
    QuestionResult,
    RankedPassage,
    RelevanceJudgement,
    View,
    mode_result,
    qrels_of,
    run_of,
)
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk

QUESTION = Question(
    id="q",
    kind="multi",
    text="?",
    evidence=(
        RelevanceJudgement(work="rye", page=3),
        RelevanceJudgement(work="rye", page=4),
        RelevanceJudgement(work="oats", page=1, grade=2),
    ),
    quotations=("Sown late.", "Sown early."),
)


def chunk(
    work: str | None, first: int, last: int | None = None, text: str = "Text."
) -> StoredChunk:
    return StoredChunk(
        project_id="p",
        source_path="a.pdf",
        citation=CitationMeta(citekey=work, title="T") if work else None,
        chunk=Chunk(
            id=f"{work}{first}",
            doc_id="d",
            text=text,
            page_span=(first, last or first),
            chunk_idx=0,
            token_count=1,
            signal_to_noise=1.0,
        ),
    )


def pageless(work: str) -> StoredChunk:
    paragraph = Paragraph(section="", number=1)
    return StoredChunk(
        project_id="p",
        source_path="a.md",
        citation=CitationMeta(citekey=work, title="T"),
        chunk=Chunk(
            id=work,
            doc_id="d",
            text="Text.",
            paragraphs=(paragraph, paragraph),
            chunk_idx=0,
            token_count=1,
            signal_to_noise=1.0,
        ),
    )


def test_what_is_sought_depends_on_the_view() -> None:
    assert qrels_of(QUESTION, View.EVIDENCE) == {"rye p. 3": 1, "rye p. 4": 1, "oats p. 1": 2}
    assert qrels_of(QUESTION, View.WORK) == {"rye": 1, "oats": 2}
    assert qrels_of(QUESTION, View.TEXT) == {"text 1": 1, "text 2": 1}


def test_a_page_counts_once_and_where_it_is_first_found() -> None:
    found = [chunk("rye", 1), chunk("rye", 3), chunk("rye", 2, 3), chunk(None, 3), chunk("oats", 1)]
    assert run_of(QUESTION, found, View.EVIDENCE) == [
        "rank 1",
        "rye p. 3",
        "rank 3",
        "rank 4",
        "oats p. 1",
    ]
    assert run_of(QUESTION, found, View.WORK) == ["rye", "rank 2", "rank 3", "rank 4", "oats"]


def test_a_passage_over_two_pages_of_evidence_stands_for_one_that_is_still_sought() -> None:
    found = [chunk("rye", 3, 4), chunk("rye", 3, 4), chunk("rye", 3, 4)]
    assert run_of(QUESTION, found, View.EVIDENCE) == ["rye p. 3", "rye p. 4", "rank 3"]


def test_words_are_found_where_they_stand() -> None:
    found = [
        chunk("x", 9, text="All was sown early."),
        chunk("rye", 3, text="It was so-\nwn late."),
    ]
    assert run_of(QUESTION, found, View.TEXT) == ["text 2", "text 1"]


def test_evidence_without_a_page_is_its_work_and_a_passage_without_pages_is_on_none() -> None:
    whole = Question(id="q", kind="k", text="?", evidence=(RelevanceJudgement(work="rye"),))
    assert run_of(whole, [pageless("rye")], View.EVIDENCE) == ["rye"]
    assert run_of(QUESTION, [pageless("rye")], View.EVIDENCE) == ["rank 1"]


def test_a_question_without_evidence_is_not_answerable() -> None:
    assert QUESTION.answerable
    assert not Question(id="q", kind="k", text="?").answerable


def test_a_measure_is_called_as_the_field_calls_it() -> None:
    assert str(Measure(Metric.NDCG, 10)) == "nDCG@10"


def answer(name: str, kind: str, score: float, **figures: float) -> QuestionResult:
    place = RankedPassage(chunk_id="c", work="w", locator="p. 1", score=score, evidence=False)
    return QuestionResult(id=name, kind=kind, question="?", figures=figures, places=(place,))


def test_a_mode_is_summed_up_by_kind_and_over_the_questions_that_have_a_figure() -> None:
    answers = [
        answer("1", "a", 0.9, hit=1.0),
        answer("2", "a", 0.5, hit=0.0, page=1.0),
        answer("3", "b", 0.7, hit=1.0),
        answer("4", "none", 0.6),
    ]
    result = mode_result(Mode.DENSE, None, answers, seed=1)
    assert result.overall.questions == 3
    assert result.overall.means == pytest.approx({"hit": 2 / 3, "page": 1.0})
    assert {kind: one.means["hit"] for kind, one in result.by_kind.items()} == {"a": 0.5, "b": 1.0}
    assert result.overall.intervals["hit"].low < 2 / 3 < result.overall.intervals["hit"].high
    found = result.answerability
    assert found is not None
    assert (found.answerable, found.unanswerable) == (3, 1)
    assert found.mean_score_unanswerable == 0.6
    assert found.auroc == pytest.approx(2 / 3)
    assert (found.auroc_fit, found.auroc_fit_by_kind) == (None, {"a": None, "b": None})


def test_the_fit_separates_by_kind_as_far_as_it_is_known() -> None:
    answers = [
        replace(answer("1", "a", 0.9, hit=1.0), fit=0.9),
        replace(answer("2", "b", 0.9, hit=1.0), fit=0.1),
        answer("3", "c", 0.9, hit=1.0),
        replace(answer("4", "none", 0.9), fit=0.5),
    ]
    found = mode_result(Mode.DENSE, None, answers, seed=1).answerability
    assert found is not None
    assert found.auroc_fit == 0.5
    assert found.auroc_fit_by_kind == {"a": 1.0, "b": 0.0, "c": None}


def test_one_kind_alone_needs_no_table_of_kinds() -> None:
    result = mode_result(Mode.DENSE, None, [answer("1", "a", 0.9, hit=1.0)], seed=1)
    assert result.by_kind == {}
    assert result.answerability is None


def test_nothing_found_scores_nothing() -> None:
    assert QuestionResult(id="1", kind="k", question="?", figures={}).top_score == 0.0
