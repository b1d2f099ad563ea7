"""Every word of the pages is in every language."""

from __future__ import annotations

import pytest
from scripts.make_translations import LANGUAGES, WEB, extracted, findings


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_translated_and_compiled(language: str) -> None:
    assert list(findings(language, extracted(WEB))) == []


def test_a_new_word_and_one_that_no_page_has_are_named() -> None:
    words = extracted(WEB)
    words.add("a word of tomorrow", locations=[("templates/new.html", 1)])
    words.delete("Search")
    assert list(findings("de", words)) == [
        "de: no translation of 'a word of tomorrow' (templates/new.html)",
        "de: no page has 'Search'",
    ]
