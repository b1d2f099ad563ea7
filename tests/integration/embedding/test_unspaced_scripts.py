"""Scripts that part no words by spaces are searched by each two letters side by side."""

from __future__ import annotations

import pytest

from citeloom.domain.retrieval.words import content_words_of
from citeloom.domain.text.tokens import pairs_of_letters
from citeloom.domain.text.verbatim import holds_word, may_be_quotation
from citeloom.infrastructure.embedding.fastembed.bm25 import Bm25, Bm25Settings

BM25 = Bm25(Bm25Settings())
SENTENCES = {
    "zh": "长江下游的潮汐观测站每小时记录一次水位。",
    "ja": "図書館の研究では、貸出記録を一年間調べました。",
    "ko": "한국어는 조사가 낱말에 붙는 언어입니다.",
    "th": "ระดับน้ำทะเลที่ท่าเรือถูกบันทึกทุกชั่วโมง",
}


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("zh", "潮汐"),
        ("zh", "观测站"),
        ("ja", "研究"),
        ("ja", "貸出"),
        ("ko", "언어"),
        ("th", "น้ำทะเล"),
    ],
)
def test_a_word_inside_a_sentence_is_found_by_its_terms(language: str, word: str) -> None:
    found = {
        code: set(BM25.query(word).indices) & set(BM25.passage(text).indices)
        for code, text in SENTENCES.items()
    }
    assert found.pop(language)
    assert not any(found.values())
    assert holds_word(SENTENCES[language], word)


def test_a_question_has_the_whole_words_of_collections_made_before_too() -> None:
    whole = set(BM25.query("図書館").indices)
    assert whole > set(BM25.passage("図書館").indices)
    assert len(whole) == 3


def test_words_with_spaces_have_the_terms_that_they_had() -> None:
    text = "The pre-war mill of 1911, foo_bar and naïve cafés"
    assert BM25.query(text).indices == tuple(sorted(BM25.passage(text).indices))
    assert len(BM25.query(text).indices) == 7


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("BM25検索法", ["BM25", "検索", "索法"]),
        ("木", ["木"]),
        ("harbour", ["harbour"]),
        ("น้ำทะ", ["น้ำ", "ำท", "ทะ"]),
    ],
)
def test_pairs_of_letters(word: str, parts: list[str]) -> None:
    assert pairs_of_letters(word) == parts


def test_content_words_leave_out_japanese_endings() -> None:
    assert content_words_of("図書館の研究とは何ですか") == ["図書", "書館", "研究"]
    assert content_words_of("潮汐观测") == ["潮汐", "汐观", "观测"]


def test_a_sentence_without_spaces_may_be_a_quotation() -> None:
    assert may_be_quotation(SENTENCES["ja"])
    assert not may_be_quotation("図書館の研究")
    assert not may_be_quotation("図書館の研究は何年間行われましたか？")  # noqa: RUF001
