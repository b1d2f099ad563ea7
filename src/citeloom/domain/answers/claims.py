"""What a language model claims: sentences, each with quotes of the passages it was given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClaimedQuote:
    """Words that a model says are in a passage, named by the id it was given with."""

    passage: str
    quote: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a model's answer, with what it says supports it. Nothing of it is verified."""

    text: str
    quotes: tuple[ClaimedQuote, ...] = ()
