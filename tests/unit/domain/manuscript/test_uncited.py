"""Sentences without a citation, and whether each claims something."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.draft import Draft, DraftParagraph, ParagraphKind
from citeloom.domain.manuscript.sentence_support import claims_something, uncited_sentences
from tests.fakes.drafts import draft_of


def test_sentences_with_a_citation_in_them_or_behind_their_stop_are_left_out() -> None:
    draft = draft_of(
        "Rye needs rain {@a}. Wheat needs more of it. Oats need less.{@b} Barley needs none."
    )
    assert [one.text for one in uncited_sentences(draft)] == [
        "Wheat needs more of it.",
        "Barley needs none.",
    ]


def test_each_has_the_place_of_its_words() -> None:
    draft = draft_of("A heading of sorts.", "Rye needs rain {@a}. Wheat needs more of it.")
    second = uncited_sentences(draft)[1]
    assert (second.place.line, second.place.column) == (2, 19)
    assert draft.text[second.place.start : second.place.end] == "Wheat needs more of it"


def test_headings_quotations_and_captions_are_no_sentences_of_the_text() -> None:
    kinds = (ParagraphKind.HEADING, ParagraphKind.QUOTATION, ParagraphKind.CAPTION)
    paragraphs = tuple(DraftParagraph(text="Rye needs rain in May.", kind=kind) for kind in kinds)
    assert uncited_sentences(Draft(name="d", text="", paragraphs=paragraphs)) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Copper keeps windows clean.",
        "Most farmers sow rye in September, 62 % of them in its last week.",
        "Die meisten Bauern säen Roggen im September.",
    ],
)
def test_statements_of_the_world_claim_something(sentence: str) -> None:
    assert claims_something(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "How long does it last?",
        "Not so.",
        "In this chapter the method is described in detail.",
        "We measured the rain with two gauges.",
        "Wir haben den Regen gemessen.",
        "As Figure 3 shows, the yield fell.",
        "The questions were these:",
    ],
)
def test_questions_fragments_and_words_about_the_draft_claim_nothing(sentence: str) -> None:
    assert not claims_something(sentence)
