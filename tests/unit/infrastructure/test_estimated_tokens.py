# ruff: noqa: RUF001 - other scripts are what is tested here
"""How many tokens a service's model is thought to count, whose tokenizer is not at hand."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.embedding.dense_service import EstimatedTokens

ENGLISH = "The library divides every document into passages"


@pytest.mark.parametrize(
    "text",
    [
        "Библиотека делит каждый документ на отрывки",
        "Η βιβλιοθήκη διαιρεί κάθε έγγραφο σε αποσπάσματα",
        "הספרייה מחלקת כל מסמך לקטעים קצרים",
        "تقسم المكتبة كل وثيقة إلى مقاطع قصيرة",
    ],
)
def test_words_of_other_alphabets_count_as_english_ones_where_there_is_room(text: str) -> None:
    letters = sum(map(str.isalpha, text))
    assert EstimatedTokens(window=512).count(text) == letters
    roomy = EstimatedTokens.for_chunks(450, window=8191).count(text)
    english = EstimatedTokens(window=8191).count(ENGLISH) / sum(map(str.isalpha, ENGLISH))
    assert roomy / letters == pytest.approx(english, rel=0.25)


def test_two_letters_of_hangul_or_kana_are_a_token_where_there_is_room() -> None:
    assert EstimatedTokens.for_chunks(450, window=8191).count("문서를 나눈다 データ") == 6
    assert EstimatedTokens(window=8191).count("문서를 나눈다 データ") == 18


def test_an_ideograph_is_a_token_where_there_is_room_and_else_two() -> None:
    assert EstimatedTokens.for_chunks(450, window=8191).count("图书馆 2") == 4
    assert EstimatedTokens(window=8191).count("图书馆 2") == 7


def test_each_letter_is_a_token_where_a_chunk_of_such_would_not_fit() -> None:
    text = "Библиотека"
    assert EstimatedTokens.for_chunks(450, window=512).count(text) == 10
    assert EstimatedTokens.for_chunks(1_000, window=2_048).count(text) == 10


@pytest.mark.parametrize("text", [ENGLISH, "où l’été mène à Füße", "χ = 3 µm", ""])
def test_other_texts_count_alike(text: str) -> None:
    assert EstimatedTokens.for_chunks(450, window=8191).count(text) == EstimatedTokens(512).count(
        text
    )
