"""Questions, test collections and runs as they lie on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.measures import (
    EvaluationRun,
    Provenance,
    Question,
    QuestionResult,
    RankedPassage,
    RelevanceJudgement,
    RerankedRun,
    RerankingCost,
    Text,
    mode_result,
)
from citeloom.domain.policies import ChunkingPolicy, InstalledStrategy, Mode, RetrievalPolicy
from citeloom.infrastructure.answers.evaluations import RerankedRunAnswer, read_run, run_json
from citeloom.infrastructure.evaluation.files import read_collection, read_questions
from tests.described import assert_described


def written(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def one(tmp_path: Path, row: object) -> Question:
    (question,) = read_questions(written(tmp_path / "questions.jsonl", row))
    return question


def test_a_question_of_one_work(tmp_path: Path) -> None:
    row = {
        "id": "q1",
        "kind": "number",
        "question": "How many?",
        "citekey": "rye2001",
        "pages": [3, 4],
        "evidence": "Seventeen days.",
        "answer": "17",
    }
    assert one(tmp_path, row) == Question(
        id="q1",
        kind="number",
        text="How many?",
        evidence=(
            RelevanceJudgement(work="rye2001", page=3),
            RelevanceJudgement(work="rye2001", page=4),
        ),
        quotations=("Seventeen days.",),
    )


def test_a_question_of_several_works(tmp_path: Path) -> None:
    row = {
        "question": "Which?",
        "citekeys": ["a", "b"],
        "pages": {"a": [2], "b": [1]},
        "evidence": ["One.", "Two."],
    }
    question = one(tmp_path, row)
    assert question.evidence == (
        RelevanceJudgement(work="a", page=2),
        RelevanceJudgement(work="b", page=1),
    )
    assert question.quotations == ("One.", "Two.")
    assert (question.id, question.kind) == ("line 1", "question")


def test_works_may_be_named_without_pages(tmp_path: Path) -> None:
    question = one(tmp_path, {"question": "Which?", "citekeys": ["a", "b"]})
    assert question.evidence == (RelevanceJudgement(work="a"), RelevanceJudgement(work="b"))


def test_a_question_without_evidence_is_unanswerable(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "question": "Who?",
        "kind": "unanswerable",
        "citekey": None,
        "pages": [],
    }
    question = one(tmp_path, row)
    assert not question.answerable
    assert question.quotations == ()


def test_a_sentence_is_a_question_for_the_passage_that_holds_it(tmp_path: Path) -> None:
    row = {"citekey": "rye2001", "page": 7, "sentence": "Rye was sown late."}
    assert one(tmp_path, row) == Question(
        id="line 1",
        kind="sentence",
        text="Rye was sown late.",
        evidence=(RelevanceJudgement(work="rye2001", page=7),),
        quotations=("Rye was sown late.",),
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{not json", "line 2"),
        ({"id": "q2"}, "question: Field required"),
        ({"question": "?", "pages": [0]}, "pages"),
        ({"question": "?", "pages": [1], "citekeys": ["a", "b"]}, "several works"),
        ({"question": "?", "pages": [1]}, "several works"),
        ({"question": "?", "id": "q1"}, "two questions with the id 'q1'"),
    ],
)
def test_what_is_no_question_is_named_by_its_line(tmp_path: Path, row: object, said: str) -> None:
    path = written(tmp_path / "questions.jsonl", {"id": "q1", "question": "Fine?"}, row)
    with pytest.raises(InvalidQrels, match=r"questions\.jsonl") as caught:
        read_questions(path)
    assert said in caught.value.message


def test_a_file_without_questions_is_no_file_of_questions(tmp_path: Path) -> None:
    for content in (b"\n\n", b"\xff\xfe\x00binary"):
        (tmp_path / "q.jsonl").write_bytes(content)
        with pytest.raises(InvalidQrels):
            read_questions(tmp_path / "q.jsonl")


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "grain"
    written(
        folder / "corpus.jsonl",
        {"_id": "1", "title": "Rye", "text": "Rye is sown late."},
        {"_id": "2", "title": "", "text": "Oats are sown early.", "metadata": {}},
    )
    written(
        folder / "queries.jsonl", {"_id": 7, "text": "when is rye sown"}, {"_id": "8", "text": "x"}
    )
    written(folder / "qrels" / "test.tsv", "query-id\tcorpus-id\tscore", "7\t1\t2", "7\t2\t0")
    return folder


def test_a_collection_has_its_texts_and_the_queries_that_were_judged(collection: Path) -> None:
    read = read_collection(collection)
    assert read.name == "grain"
    assert read.texts == (
        Text(id="1", title="Rye", text="Rye is sown late."),
        Text(id="2", title="", text="Oats are sown early."),
    )
    evidence = (RelevanceJudgement(work="1", grade=2),)
    assert read.questions == (
        Question(id="7", kind="query", text="when is rye sown", evidence=evidence),
    )


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "corpus.jsonl").unlink(),
        lambda folder: written(folder / "queries.jsonl", {"text": "without an id"}),
        lambda folder: written(folder / "qrels" / "test.tsv", "7 1 2"),
        lambda folder: written(folder / "qrels" / "test.tsv", "7\t1\tgood"),
    ],
)
def test_a_spoilt_collection_is_refused(collection: Path, spoil: Callable[[Path], object]) -> None:
    spoil(collection)
    with pytest.raises(InvalidQrels):
        read_collection(collection)


def test_a_missing_file_of_a_collection_is_named_with_the_form_of_one(collection: Path) -> None:
    (collection / "queries.jsonl").unlink()
    with pytest.raises(InvalidQrels) as refused:
        read_collection(collection)
    assert refused.value.message == f"there is no file {collection / 'queries.jsonl'}"
    assert "corpus.jsonl, queries.jsonl and qrels/test.tsv" in (refused.value.hint or "")


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    place = RankedPassage(chunk_id="c", work=None, locator="p. 3", score=0.25, evidence=True)
    answers = (
        QuestionResult(id="1", kind="a", question="?", figures={"nDCG@10": 0.5}, places=(place,)),
        QuestionResult(id="2", kind="b", question="?", figures={}),
    )
    run = EvaluationRun(
        name="questions.jsonl",
        k=10,
        modes=(mode_result(Mode.HYBRID, "rrf k=60", answers, seed=1),),
        provenance=Provenance(
            created_at=datetime(2026, 1, 2, tzinfo=UTC),
            questions_sha256="q",
            collection="c",
            chunks=2,
            chunks_sha256="d",
            models={"dense": "m", "sparse": None},
            chunking=ChunkingPolicy(),
            retrieval=RetrievalPolicy(),
            versions={"python": "3.10"},
            seed=1,
        ),
    )
    path = tmp_path / "run.json"
    path.write_text(run_json(run), encoding="utf-8")
    assert read_run(path) == run
    assert_described(json.loads(run_json(run)), EvaluationRun)
    installed = ChunkingPolicy(strategy=InstalledStrategy(value="x", version="x 1", divide=len))
    elsewhere = replace(run, provenance=replace(run.provenance, chunking=installed))
    path.write_text(run_json(elsewhere), encoding="utf-8")
    assert read_run(path) == elsewhere
    cost = RerankingCost(
        mode=Mode.HYBRID, questions=2, passages=20, unchanged=0, median_ms=1.0, p95_ms=2.0
    )
    reranked = RerankedRun(model="m", candidates=20, sent_to=None, costs=(cost,), without=run.modes)
    assert_described(json.loads(run_json(replace(run, reranked=reranked))), RerankedRunAnswer)


@pytest.mark.parametrize("content", ["", "[]", '{"name": "x"}'])
def test_what_is_no_run_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidQrels, match=r"run\.json"):
        read_run(path)
