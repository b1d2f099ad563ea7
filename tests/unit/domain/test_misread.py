"""Text that a program read badly in the image of a page is told from text that it read well."""

from __future__ import annotations

import pytest

from citeloom.domain.documents.quality import familiar_words, misread_share, prefers_second

PRINTED = {
    "en": "The farmers of the valley were told that their harvest had been counted before the "
    "rain, and they said that no one of them had seen the men who counted it. The mill was closed.",
    "de": "Die Bauern des Tales hörten, dass ihre Ernte vor dem Regen gezählt worden war, und sie "
    "sagten, dass keiner von ihnen die Leute gesehen hat, die das taten. Die Mühle war zu.",
    "ja": "農夫たちは雨の前に収穫が数えられたと聞いた。誰も数えた人を見ていなかった。",
    "ru": "Крестьяне в долине узнали, что их урожай был сосчитан до дождя, и никто их не видел.",
}
MISREAD = (
    "Thc farmers of tbe valley wcre told that thcir harvest had becn counted be^ore the rain, ' "
    "ancl they said tliat no onc of thern had seen tlie men whc counted it. ~ Thc mill wos closed."
)


def share(text: str) -> float:
    return misread_share(text, familiar_words(text))


@pytest.mark.parametrize("language", PRINTED)
def test_print_has_no_sign_of_it(language: str) -> None:
    assert share(PRINTED[language]) == 0.0


def test_words_like_usual_ones_are_signs() -> None:
    assert share(MISREAD) > 0.5


def test_a_word_far_more_frequent_than_one_like_it_was_meant() -> None:
    often = "Sediment of the river. " * 10
    assert share(f"Sedirnent of the plain. {often}") > 0.0
    assert share(f"Sedirnent of the plain. {often[:-24]}") == 0.0
    assert share(f"Sediment of the plain. {often}") == 0.0


@pytest.mark.parametrize("sign", ["ba;rley", "b4rley", "baRley", "barrrley", "q"])
def test_signs_within_words_count_less(sign: str) -> None:
    assert share(f"Some {sign} grows in the field") == pytest.approx(0.25 / 6)


@pytest.mark.parametrize("name", ["PostScript", "well-known", "don’t", "a/b", "Table", "- &"])  # noqa: RUF001
def test_what_print_has_is_none(name: str) -> None:
    assert share(f"Some {name} grows in the field") == 0.0


def test_a_word_parted_at_a_lines_end_is_one() -> None:
    assert share("They saw that the farm-\ners told the others") == 0.0


def test_nothing_is_not_misread() -> None:
    assert misread_share("1 2 3", {}) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "prefers"),
    [
        (MISREAD, PRINTED["en"], True),
        (PRINTED["en"], MISREAD, False),
        (PRINTED["en"], PRINTED["en"], False),
        (MISREAD, PRINTED["en"][:60], False),
        (PRINTED["en"][:60], MISREAD, True),
    ],
    ids=["better", "worse", "the same", "less", "more"],
)
def test_of_two_readings_the_better_is_preferred(first: str, second: str, prefers: bool) -> None:
    assert prefers_second(first, second) is prefers
