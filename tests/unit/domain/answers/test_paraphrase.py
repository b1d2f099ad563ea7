"""Words that the quotes of a sentence lack, judged by the vectors of the sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from citeloom.domain.answers.answer import Fault
from citeloom.domain.answers.claim_check import Embed, check_claim
from citeloom.domain.retrieval.passage import DenseVector

QUOTE = "The ferryman steered by the lights of the farms along the shore on moonless nights."
FREE = "On moonless nights the ferryman steered by lights on the shore, whose glimmer led him."
ALLOWED = "Glittering lights along the shore are what the ferryman steered by on moonless nights."
COPIED = "The ferryman steered by the glittering lights of the farms along the shore."
REFUSED = (Fault.OTHER_WORDS,)


def _embed(word: str, likeness: float, without: float) -> Embed:
    """Vectors by which a sentence is so like the quote, and so without a word."""

    def embed(texts: Sequence[str]) -> list[DenseVector]:
        cosines = [
            1.0 if text == QUOTE else likeness if word in text else without for text in texts
        ]
        return [(cosine, math.sqrt(1 - cosine**2)) for cosine in cosines]

    return embed


@pytest.mark.parametrize(
    ("likeness", "without", "faults"),
    [
        (0.85, 0.80, ()),
        (0.85, 0.86, ()),
        (0.85, 0.90, REFUSED),
        (0.60, 0.50, REFUSED),
    ],
)
def test_a_paraphrase_is_no_less_like_its_quotes_by_a_word_that_they_lack(
    likeness: float, without: float, faults: tuple[Fault, ...]
) -> None:
    assert check_claim(FREE, [QUOTE]) == REFUSED
    assert check_claim(FREE, [QUOTE], (), _embed("glimmer", likeness, without)) == faults


def test_a_word_that_the_rules_allow_is_refused_where_it_is_foreign() -> None:
    assert check_claim(ALLOWED, [QUOTE]) == ()
    assert check_claim(ALLOWED, [QUOTE], (), _embed("Glittering", 0.90, 0.91)) == ()
    assert check_claim(ALLOWED, [QUOTE], (), _embed("Glittering", 0.85, 0.90)) == REFUSED


def test_a_word_that_a_copied_sentence_alone_has_is_no_paraphrase() -> None:
    assert check_claim(COPIED, [QUOTE], (), _embed("glittering", 0.95, 0.90)) == REFUSED


def test_vectors_do_not_decide_of_names_numbers_and_negations() -> None:
    alike = _embed("ferryman", 0.95, 0.5)
    for sentence in (
        "On moonless nights lamps in Orla told the ferryman where to steer.",
        "On nine nights lamps on the shore told the ferryman where to steer.",
        "The ferryman did not steer by lamps on the shore.",
    ):
        assert check_claim(sentence, [QUOTE], (), alike)


def test_a_word_in_the_place_of_another_is_no_paraphrase_of_it() -> None:
    sentence = (
        "The ferryman steered by the lanterns of the farms along the shore on moonless nights."
    )
    assert check_claim(sentence, [QUOTE], (), _embed("lanterns", 0.95, 0.90)) == REFUSED


def test_a_quotation_is_not_compared() -> None:
    def embed(texts: Sequence[str]) -> list[DenseVector]:
        raise AssertionError(texts)

    assert check_claim(QUOTE, [QUOTE], (), embed) == ()
