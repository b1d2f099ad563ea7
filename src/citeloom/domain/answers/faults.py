"""What speaks against a sentence or a quote of a model."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """Why a sentence is left out, or a quote is not verified."""

    NO_QUOTE = "no_quote"
    UNKNOWN_PASSAGE = "unknown_passage"
    NOT_IN_PASSAGE = "not_in_passage"
    INSTRUCTION = "instruction"
    OTHER_WORDS = "other_words"
    OTHER_NAMES = "other_names"
    OTHER_NUMBERS = "other_numbers"
    NEGATION = "negation"
    ORDER = "order"
    SCOPE = "scope"
    TWO_QUOTES = "two_quotes"
    NOT_ENTAILED = "not_entailed"
    ENTAILMENT_UNCLEAR = "entailment_unclear"
