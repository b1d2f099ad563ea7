"""The order in which documents are taken up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_GOLDEN_RATIO = (5**0.5 - 1) / 2

T = TypeVar("T")


def mixed(documents: Sequence[T]) -> list[T]:
    """The documents in an order in which those done at any time are a fair sample of them all.

    Neighbours in a listing are alike, such as the papers of a journal; were they taken up one
    after the other, how long the first took would not tell how long the rest will take.
    """
    places = sorted(range(len(documents)), key=lambda place: place * _GOLDEN_RATIO % 1)
    return [documents[place] for place in places]
