"""The questions over the made documents have their evidence in them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from benchmarks.bench_questions import reciprocal_rank
from benchmarks.made_documents.documents import made_documents
from benchmarks.made_documents.library import QUESTIONS, citekey
from benchmarks.made_documents.works import made_works, works

from citeloom.domain.evaluation.measures import Question, RelevanceJudgement

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()
]


def test_each_answer_is_a_sentence_of_the_document_that_is_cited() -> None:
    texts = {citekey(made): made.truth.texts for made in (*made_works(), *made_documents())}
    answerable = [row for row in ROWS if "citekey" in row]
    assert len(answerable) >= 50
    for row in answerable:
        assert row["evidence"] in texts[row["citekey"]], row["id"]
        assert row["pages"], row["id"]


def test_the_halves_are_by_a_hash_of_the_id() -> None:
    for row in ROWS:
        even = hashlib.sha256(row["id"].encode()).digest()[0] % 2 == 0
        assert row["half"] == ("choose" if even else "report"), row["id"]


def test_every_work_is_asked_about() -> None:
    assert {work.citekey for work in works()} <= {row.get("citekey") for row in ROWS}


def test_a_place_is_right_with_the_work_and_a_page_of_the_evidence() -> None:
    question = Question(
        id="1",
        kind="number",
        text="How long?",
        evidence=(RelevanceJudgement(work="okafor", page=2),),
    )
    other, before, spanning = ("ruiz", (2, 2)), ("okafor", (1, 1)), ("okafor", (1, 2))
    assert reciprocal_rank(question, [other, before, spanning]) == 1 / 3
    assert reciprocal_rank(question, [other, before, ("okafor", None)]) == 0.0
