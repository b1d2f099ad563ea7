"""Ten passages and questions each in Chinese (both forms), Japanese, Korean and Thai, with Latin
words and numbers in them, full-width forms and half-width katakana.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import AskRequest, FindRequest, QueryRequest
from citeloom.application.retrieval.find import find
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.terms import words_alone
from citeloom.domain.policies import DEFAULT_DENSE_MODEL, Mode
from citeloom.domain.project import Collection
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from tests.fakes.embedders import HashingDense
from tests.unit.application.answering.project import ask_of
from tests.unit.application.library import Library, open_project, with_models

FILE = Path(__file__).parents[3] / "benchmarks/data/languages/unspaced.jsonl"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()
]
SCRIPTS = ("zh-hans", "zh-hant", "ja", "ko", "th")


def path_of(number: int) -> str:
    return f"papers/{number:02}.txt"


@pytest.fixture(scope="module")
def library() -> Library:
    texts = {path_of(n): f"# {row['title']}\n\n{row['text']}" for n, row in enumerate(ROWS)}
    library = Library(texts)
    library.sparse = FastEmbedSparse()
    library.project = replace(library.project, sparse_model="Qdrant/bm25")
    library.ingest()
    return library


@pytest.fixture(scope="module")
def opened(library: Library) -> OpenProject:
    return open_project(library)


def test_each_question_finds_its_passage_by_words(opened: OpenProject) -> None:
    right = Counter[str]()
    for number, row in enumerate(ROWS):
        request = QueryRequest(text=row["question"], mode=Mode.SPARSE, top_k=1)
        [first] = query(opened, request).passages
        right[row["script"]] += first.stored.source_path == path_of(number)
    assert right == dict.fromkeys(SCRIPTS, 10)


def test_an_answer_quotes_the_passage_of_each_question(
    library: Library, opened: OpenProject
) -> None:
    english = HashingDense(model_id=DEFAULT_DENSE_MODEL)
    ask = replace(ask_of(library), project=with_models(opened, dense=english))
    right = Counter[str]()
    for number, row in enumerate(ROWS):
        answer = ask(AskRequest(text=row["question"]))
        quoted = [citation.stored.source_path for citation in answer.citations]
        right[row["script"]] += quoted[:1] == [path_of(number)]
    assert all(right[script] >= 9 for script in SCRIPTS), right


def test_a_question_without_passages_says_that_the_model_does_not_read_it() -> None:
    library = Library({"papers/whales.txt": "# Whales\n\nWhales sing to be heard far away."})
    library.sparse = FastEmbedSparse()
    library.dense = HashingDense(model_id=DEFAULT_DENSE_MODEL)
    library.project = replace(
        library.project, embedding_model=DEFAULT_DENSE_MODEL, sparse_model="Qdrant/bm25"
    )
    library.ingest()
    english = open_project(library)
    for question, script in (
        ("고래는 왜 노래하나요?", "Korean"),
        ("วาฬร้องเพลงทำไม", "another script"),
    ):
        result = query(english, QueryRequest(text=question))
        assert not result.passages
        assert [f"the question is in {script}, and" in note for note in result.notes] == [True]
    found = query(english, QueryRequest(text="고래 노래 Whales"))
    assert found.passages
    assert not found.notes


def test_the_beginning_of_a_passage_is_found_word_for_word(opened: OpenProject) -> None:
    for number, row in enumerate(ROWS):
        beginning = row["text"][:20]
        [first] = query(opened, QueryRequest(text=beginning, mode=Mode.SPARSE, top_k=1)).passages
        assert (first.stored.source_path, first.verbatim) == (path_of(number), True)


@pytest.mark.parametrize(
    ("word", "places"),
    [
        ("磁带", ["zh-hans"]),
        ("Transformer", ["zh-hans"]),
        ("91.4%", ["zh-hans", "ko", "th"]),
        ("單寧", ["zh-hant"]),
        ("NANO", ["zh-hant"]),
        ("Windows 11", ["zh-hant"]),
        ("カメラ", ["ja", "ja"]),
        ("サーバー", ["ja"]),
        ("Python", ["zh-hant", "ja", "ko", "th"]),
        ("12センチ", ["ja"]),
        ("TensorFlow", ["ko"]),
        ("벌집", ["ko"]),
        ("เลนส์", ["th"]),
        ("๒๔๗๕", ["th"]),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_word_is_found_at_its_place(
    opened: OpenProject, word: str, places: list[str], *, exact: bool
) -> None:
    found = find(opened, FindRequest(words=(word,), exact=exact)).occurrences
    scripts = [ROWS[int(one.text.source_path[7:9])]["script"] for one in found]
    if word != "カメラ":
        assert scripts == places
    else:
        assert set(scripts) == {"ja"}
    assert all(one.word in one.text.text for one in found)


def test_the_english_model_is_not_asked_what_it_cannot_read() -> None:
    english = Collection(
        name="c", project_id="lab/a", generation="1", dense_model=DEFAULT_DENSE_MODEL, dimension=384
    )
    other = replace(english, dense_model="openai/multilingual-e5-small")
    for row in ROWS:
        assert words_alone(row["question"], english.dense_model)
        assert not words_alone(row["question"], other.dense_model)
    for question in (
        "Как устроена память?",
        "Πώς είναι δομημένη μνήμη;",
        "ما هو الدستور؟",
        "מהו זיכרון?",
    ):
        assert words_alone(question, english.dense_model)
        assert not words_alone(question, other.dense_model)
    for question in ("What is 潮汐 in tidal studies?", "Is память a word?", "the χ² test", "Wie?"):
        assert not words_alone(question, english.dense_model)
