# ruff: noqa: RUF001 - other scripts are what is tested here
"""How many tokens words count for that a model of English cannot read."""

from __future__ import annotations

import pytest

from citeloom.domain.text.tokens import without_spelled_words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Библиотека делит документ на отрывки", 8),  # 32 letters
        ("Η βιβλιοθήκη διαιρεί κάθε έγγραφο", 7),
        ("الدستور العربي", 4),
        ("ห้องสมุดแบ่งเอกสารออกเป็นตอน", 7),
        ("문서를 나눈다", 3),
        ("データベース", 2),
        ("图书馆将文件分成段落", 8),
        ("文書を段落に分ける", 5),  # five ideographs and four of kana
    ],
)
def test_they_count_as_an_english_text_that_says_as_much(text: str, tokens: int) -> None:
    rest, counted = without_spelled_words(text)
    assert counted == tokens
    assert len(rest.split()) <= 1  # a single letter, as of a formula, is left


@pytest.mark.parametrize(
    "text",
    ["A library divides each document.", "où l’été mène à Füße", "χ = 3 µm", ""],
)
def test_what_the_model_has_tokens_for_is_left_to_it(text: str) -> None:
    assert without_spelled_words(text) == (text, 0)


def test_latin_words_among_others_are_left() -> None:
    assert without_spelled_words("Statut ст. 5 о законе") == ("Statut  . 5 о  ", 2)


def test_a_text_never_counts_more_than_its_parts() -> None:
    parts = ["закон", "Article 5", "о суде", "문서"]
    whole = without_spelled_words(" ".join(parts))[1]
    assert whole <= sum(without_spelled_words(part)[1] for part in parts)
