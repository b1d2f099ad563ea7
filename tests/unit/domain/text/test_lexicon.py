"""Which languages have a list of nearly all their words."""

from __future__ import annotations

import pytest

from citeloom.domain.text.lexicon import LEAST_FREQUENCY, word_frequencies


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("ar", "كتاب"),
        ("de", "brücke"),
        ("en", "bridge"),
        ("fr", "rivière"),
        ("it", "ponte"),
        ("nl", "rivier"),
        ("pt", "rio"),
    ],
)
def test_words_of_a_language_have_a_frequency(language: str, word: str) -> None:
    words = word_frequencies(language)
    assert words[word] > LEAST_FREQUENCY <= min(words.values())


@pytest.mark.parametrize("language", ["es", "ru", "pl", ""])
def test_a_language_of_which_few_words_are_listed_has_none(language: str) -> None:
    assert not word_frequencies(language)
