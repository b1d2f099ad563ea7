# ruff: noqa: RUF001 - other scripts are what is tested here
"""How many tokens of a text count for the length of a passage."""

from __future__ import annotations

import pytest

from citeloom.domain.text.tokens import passage_tokens

RUSSIAN = "Библиотека делит каждый документ на отрывки, которые можно процитировать со страницей."


def test_letters_that_a_model_spells_count_as_those_of_an_english_text() -> None:
    assert passage_tokens(RUSSIAN, [letter for letter in RUSSIAN if letter != " "]) == 20


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (RUSSIAN, RUSSIAN.split()),  # a model that has the words of the script
        ("A library divides each document.", ["a", "library", "divides", "each", "document", "."]),
        ("图书馆将每份文件分成", list("图书馆将每份文件分成")),
        ("도서관은 각 문서를 나눈다", ["도서관", "은", "각", "문서", "를", "나눈", "다"]),
        ("", []),
    ],
)
def test_what_a_model_reads_counts_as_it_has_it(text: str, pieces: list[str]) -> None:
    assert passage_tokens(text, pieces) == len(pieces)


def test_korean_syllables_count_as_half_a_piece() -> None:
    assert passage_tokens("문서를 나눈다", ["\u1106"] * 15) == 3


def test_latin_words_among_others_keep_their_tokens() -> None:
    assert passage_tokens("statute закон", ["statute", *"закон"]) == 3


def test_a_text_never_counts_more_than_its_parts() -> None:
    parts = ["закон", "Article 5", "о суде"]
    whole = passage_tokens(" ".join(parts), [p for p in "".join(parts) if p != " "])
    assert whole <= sum(passage_tokens(part, part.replace(" ", "")) for part in parts)
