"""Words with signs and symbols have terms of their own: C++ is not C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.requests.passages import FindRequest, QueryRequest
from citeloom.application.retrieval.find import find
from citeloom.application.retrieval.query import query
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.retrieval.words import VERBATIM
from citeloom.domain.text.tokens import words_with_signs
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from tests.unit.application.library import Library, open_project, with_models

SIGNED, PLAIN = "papers/a.txt", "papers/b.txt"
TEXTS = {
    SIGNED: "# Code\n\nBoats are steered in C++ and Basic .NET, not at dotted.net; the drag is "
    "\u2248 3 where n=37, and the log is 2>&1.",
    PLAIN: "# Letters\n\nA boat is steered by C, with a drag of 3 and 37 boats, where n is 1 or 2; "
    "a net is taken along.",
}
WORDS = ["C++", ".NET", "\u2248", "n=37", "2>&1"]


def made(sparse: FastEmbedSparse) -> Library:
    library = Library(dict(TEXTS))
    library.sparse = sparse
    library.project = replace(library.project, sparse_model="Qdrant/bm25")
    library.ingest()
    return library


@pytest.fixture(scope="module")
def library() -> Library:
    return made(FastEmbedSparse())


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("question", ["{}", "What does the library say about {}?"])
def test_its_passage_comes_first_and_is_explained(
    library: Library, word: str, question: str
) -> None:
    request = QueryRequest(text=question.format(word), explain=True)
    first = query(open_project(library), request).passages[0]
    assert first.stored.source_path == SIGNED
    assert any(f"has '{word}'" in reason for reason in first.why)


@pytest.mark.parametrize("word", ["C", "by C", "in C", "Basic NET"])
def test_its_letters_alone_are_another_word(library: Library, word: str) -> None:
    opened = open_project(library)
    kept = query(opened, QueryRequest(text="boats", words=(word,), mode=Mode.SPARSE))
    for exact in (True, False):
        places = find(opened, FindRequest(words=(word,), exact=exact)).occurrences
        assert {one.text.source_path for one in places} <= {PLAIN}
        assert [one.text.source_path for one in places] == [
            one.stored.source_path for one in kept.passages
        ]


@pytest.mark.parametrize("word", WORDS)
def test_it_is_required_and_found_as_it_stands(library: Library, word: str) -> None:
    opened = open_project(library)
    kept = query(opened, QueryRequest(text="boats", words=(word,), mode=Mode.SPARSE))
    assert [one.stored.source_path for one in kept.passages] == [SIGNED]
    for exact in (True, False):
        found = find(opened, FindRequest(words=(word,), exact=exact))
        assert [one.word for one in found.occurrences] == [word]


def test_c_is_neither_c_plus_plus_nor_word_for_word_c_sharp(library: Library) -> None:
    opened = open_project(library)
    found = find(opened, FindRequest(words=("C",), exact=True))
    assert [one.text.source_path for one in found.occurrences] == [PLAIN]
    sharp = query(opened, QueryRequest(text="C#", explain=True)).passages
    assert all("C#" not in reason for one in sharp for reason in one.why)
    assert any("has 'C'" in reason for one in sharp for reason in one.why)
    assert not any(one.verbatim for one in sharp)
    assert query(opened, QueryRequest(text="C++")).passages[0].verbatim


class WithoutSigns(FastEmbedSparse):
    """As chunks were embedded before signs had terms."""

    def embed_passages(
        self, texts: Sequence[str], language: str | None = None
    ) -> list[SparseVector]:
        return super().embed_passages([re.sub(r"\W+", " ", one) for one in texts], language)


@pytest.mark.parametrize(
    ("word", "known"), [("C++", "'C'"), ("n=37", "'37'"), (".NET", "'NET'"), ("\u2248", "")]
)
def test_a_collection_made_before_is_searched_by_letters(word: str, known: str) -> None:
    opened = with_models(open_project(made(WithoutSigns())), sparse=FastEmbedSparse())
    passages = query(opened, QueryRequest(text=word, explain=True)).passages
    reasons = [reason for one in passages for reason in (*one.why, *(one.fit or VERBATIM).reasons)]
    assert len(passages) == 2
    assert any(known in reason for reason in reasons)
    assert not any("nowhere" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C, C++, (C#) and C/C++ or C++-based", ["C++", "C#", "C++", "C++"]),
        ("Use .NET; see openreview.net/forum and ...and", [".NET"]),
        ("run 2>&1 | tee, R&D, x -> y, %>% := -- --- = ==", "2>&1 R&D -> %>% := ==".split()),
        (
            "\u221d \u22485 and \u00a7 3, \u22127 \u2203k",
            ["\u221d", "\u22485", "\u00a7", "-7", "\u2203k"],
        ),
        ("p<0.05, n=37. a@b.org --explain 10%", ["p<0.05", "n=37", "a@b.org", "--explain", "10%"]),
        ("state-of-the-art 10.1145/3397 foo_bar() 3-5 pre- and \u25a0 \u2022", []),
        ("=" * 9 + " " + "a=" + "b" * 40, []),
    ],
)
def test_words_with_signs(text: str, words: list[str]) -> None:
    assert list(words_with_signs(text)) == words
