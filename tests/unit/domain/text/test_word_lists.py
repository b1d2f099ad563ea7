"""The word lists that the package carries."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.text import word_lists
from citeloom.domain.text.word_lists import list_lines, word_list

LANGUAGES = sorted(file.stem for file in Path(word_lists.__file__).with_name("words").glob("*.txt"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words_that_ask_or_join_or_says_what_a_page_is_called(
    language: str,
) -> None:
    assert word_list("question", language) or word_list("place in a work", language)
    assert word_list("page", language) or word_list("page behind its number", language)


def test_sections_of_several_languages_are_one_list() -> None:
    assert {"the", "aber", "como"} <= word_list("function", "en", "de", "pt")
    assert word_list("function", "en") < word_list("function", "en", "de")
    assert word_list("no such section") == frozenset()


def test_lines_keep_their_order_and_are_parted_by_any_separator() -> None:
    assert list_lines("unit")[0] == "% percent"
    assert "show demonstrate" in list_lines("same", separator=";")[0]
