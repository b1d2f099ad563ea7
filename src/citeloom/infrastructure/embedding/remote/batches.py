"""Texts parted into requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The most texts and tokens of a request, and the most requests under way at once."""

    texts: int
    tokens: int
    at_once: int


def batches(
    texts: Sequence[str], count: Callable[[str], int], limits: RequestLimits
) -> Iterator[list[str]]:
    """The texts in order, in as few requests as the limits allow; a text longer than a request may
    be goes alone.
    """
    batch: list[str] = []
    tokens = 0
    for text in texts:
        more = count(text)
        if batch and (len(batch) == limits.texts or tokens + more > limits.tokens):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += more
    if batch:
        yield batch
