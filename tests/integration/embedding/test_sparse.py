from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from fastembed import SparseTextEmbedding

from citeloom.domain.errors import ConfigError
from citeloom.domain.retrieval.passage import SparseVector
from citeloom.domain.text.tokens import words_with_signs
from citeloom.domain.text.word_lists import word_list
from citeloom.infrastructure.embedding.fastembed.bm25 import Bm25Settings
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse

TEXTS = [
    "What is it that they don't have of the other's? Citations, cited and citing.",
    "Die Häuser des Hauses _ und snake_case; 10.1145/3397271.3401075, İstanbul, 漢字 emoji 🧪",
    "x" * 40 + " " + "y" * 41 + " fusion fusion plasma, naïve Σωκράτης",
    "",
]


@pytest.fixture(scope="module")
def sparse() -> FastEmbedSparse:
    return FastEmbedSparse()


@pytest.mark.parametrize(
    ("quoted", "terms"),
    [
        ("numpy.linalg.svd", 3),
        ("COVID-19", 2),
        ("snake_case", 1),
        ("10.1145/3397271.3401075", 4),
        ("state-of-the-art", 2),
        ("3.14159", 2),
        ("GPT-4o", 2),
        ("naïve", 1),
        ("Σωκράτης", 1),
    ],
)
def test_what_is_quoted_is_found(sparse: FastEmbedSparse, quoted: str, terms: int) -> None:
    (passage,) = sparse.embed_passages([f"As shown before ({quoted}), it holds."])
    asked = sparse.embed_query(quoted)

    assert len(asked.indices) == terms
    assert set(asked.indices) <= set(passage.indices)


@pytest.mark.parametrize(
    ("typed", "printed", "other"),
    [
        ("C++", "written in C++, as C++17 is", "written in C, as C# is"),
        ("c#", "(C#)", "C++"),
        (".NET", "Basic .NET.", "openreview.net/forum"),
        ("2>&1", "run 2>&1 | tee", "run 2 and 1"),
        ("\u221d", "p(h) \u221d 1/h", "p(h) = 1/h"),
        ("\u2248", "\u22485 %", "about 5 %"),
        ("\u00a7", "see \u00a7 5", "see section 5"),
        ("n=37", "(n=37)", "n is 37"),
        ("-k", "the option \u2212k", "the letter k"),
        ("R&D", "their R&D.", "R and D"),
    ],
)
def test_signs_have_terms_of_their_own(
    sparse: FastEmbedSparse, typed: str, printed: str, other: str
) -> None:
    signs = set(sparse.embed_signs(typed).indices)
    (passage,), (without,) = (sparse.embed_passages([text]) for text in (printed, other))
    assert len(signs) == 1
    assert signs <= set(sparse.embed_query(typed).indices) & set(passage.indices)
    assert not signs & set(without.indices)


def test_words_weigh_the_same_beside_signs(sparse: FastEmbedSparse) -> None:
    plain, signed = sparse.embed_passages(["fusion is C", "fusion is \u2248 C++"])
    (fusion,) = sparse.embed_query("fusion").indices
    assert _weight(plain, fusion) == _weight(signed, fusion)


@pytest.mark.parametrize(
    ("printed", "typed"),
    [
        (unicodedata.normalize("NFD", "naïve Größe"), "naïve Größe"),
        ("eﬃcient ﬁtting", "efficient fitting"),
        ("infor\u00admation", "information"),
        ("zero\u200bwidth", "zerowidth"),
        ("\uff21\uff22\uff23", "abc"),
        ("Citations", "citation"),
    ],
)
def test_however_it_is_printed_it_is_the_same_term(
    sparse: FastEmbedSparse, printed: str, typed: str
) -> None:
    assert sparse.embed_query(printed) == sparse.embed_query(typed)


def test_stop_words_are_no_terms(sparse: FastEmbedSparse) -> None:
    assert sparse.embed_query("What is it that they don't have of the other's?").indices == ()
    stop_words = word_list("stop word of stored terms")
    assert stop_words
    assert all(word == word.lower() and word.isalpha() for word in stop_words)


def test_weights_follow_the_formula() -> None:
    settings = Bm25Settings(k=1.5, b=0.5, average_length=8.0)
    sparse = FastEmbedSparse(settings=settings)
    (vector,) = sparse.embed_passages(["fusion fusion plasma reactor"])
    (fusion,) = sparse.embed_query("fusion").indices

    norm = 1.5 * (1 - 0.5 + 0.5 * 4 / 8.0)
    assert _weight(vector, fusion) == pytest.approx(2 * 2.5 / (2 + norm))


def _weight(vector: SparseVector, term: int) -> float:
    return dict(zip(vector.indices, vector.values, strict=True))[term]


def test_the_language_chooses_the_stemmer() -> None:
    german = FastEmbedSparse(settings=Bm25Settings(language="german"))
    english = FastEmbedSparse()

    assert german.embed_query("Häuser") == german.embed_query("Hauses")
    assert english.embed_query("Häuser") != english.embed_query("Hauses")


def test_a_language_without_stemmer_is_a_configuration_error() -> None:
    sparse = FastEmbedSparse(settings=Bm25Settings(language="klingon"))

    with pytest.raises(ConfigError, match="klingon") as refusal:
        sparse.embed_query("page")
    assert "german" in refusal.value.hint


@pytest.mark.parametrize("language", ["english", "german"])
def test_weights_are_those_of_fastembed(language: str, tmp_path: Path) -> None:
    settings = Bm25Settings(language=language)
    given = SparseTextEmbedding(
        "Qdrant/bm25",
        specific_model_path=str(tmp_path),
        k=settings.k,
        b=settings.b,
        avg_len=settings.average_length,
        language=language,
        stopwords=set(word_list("stop word of stored terms")) if language == "english" else set(),
    )
    ours = FastEmbedSparse(settings=settings)
    for text in TEXTS:
        (theirs,) = given.passage_embed([text])
        expected = dict(zip(theirs.indices.tolist(), theirs.values.tolist(), strict=True))
        (vector,) = ours.embed_passages([text])
        signs = {n for word in words_with_signs(text) for n in ours.embed_signs(word).indices}
        weights = dict(zip(vector.indices, vector.values, strict=True))
        assert signs <= set(weights)
        assert {n: weights[n] for n in set(weights) - signs} == pytest.approx(expected)
        (asked,) = given.query_embed(text)
        own = set(ours.embed_query(text).indices) - signs
        assert own == set(asked.indices) if language == "english" else own <= set(asked.indices)


def test_a_question_in_the_language_named_has_no_stop_words() -> None:
    portuguese = FastEmbedSparse("Qdrant/bm25:portuguese")

    for question in ("Onde é a barragem?", "Qual a barragem", "Quem são as barragem?"):
        assert portuguese.embed_query(question) == portuguese.embed_query("barragem")
    (passage,) = portuguese.embed_passages(["Onde é a barragem?"])
    assert len(passage.indices) == 4


def test_the_language_after_the_name_chooses_the_stemmer() -> None:
    portuguese, english = FastEmbedSparse("Qdrant/bm25:portuguese"), FastEmbedSparse()
    asked, said = "armazenada", "armazenamento"
    assert portuguese.embed_query(asked) == portuguese.embed_query(said)
    assert english.embed_query(asked) != english.embed_query(said)
    with pytest.raises(ConfigError, match="no stemmer for 'klingon'"):
        FastEmbedSparse("Qdrant/bm25:klingon").embed_query(asked)
