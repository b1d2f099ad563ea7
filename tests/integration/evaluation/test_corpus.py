"""Questions and test collections as they come from elsewhere."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from citeloom.infrastructure.evaluation.files import read_collection, read_questions

CORPUS = Path(os.environ.get("CITELOOM_CORPUS", ""))

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not os.environ.get("CITELOOM_CORPUS"),
        reason="CITELOOM_CORPUS does not name the shared corpus",
    ),
]


def test_the_questions_of_the_library_are_read() -> None:
    questions = read_questions(CORPUS / "corpus" / "library" / "questions.jsonl")
    assert Counter(question.answerable for question in questions) == {True: 78, False: 12}
    assert {len(q.evidence) for q in questions if q.kind == "multi"} == {2}
    assert {evidence.page is None for q in questions for evidence in q.evidence} == {False}


def test_the_sentences_of_the_library_are_read() -> None:
    sentences = read_questions(CORPUS / "corpus" / "library" / "locators.jsonl")
    assert len(sentences) == 400
    assert all(q.quotations == (q.text,) and q.answerable for q in sentences)


@pytest.mark.parametrize(
    ("name", "texts", "questions", "relevant"),
    [("cranfield", 1400, 225, 1837), ("med", 1033, 30, 696)],
)
def test_the_collections_are_read(name: str, texts: int, questions: int, relevant: int) -> None:
    collection = read_collection(CORPUS / "ir" / name)
    assert (len(collection.texts), len(collection.questions)) == (texts, questions)
    assert sum(len(question.evidence) for question in collection.questions) == relevant
