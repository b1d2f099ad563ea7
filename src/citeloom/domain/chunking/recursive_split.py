"""Division of a text at the coarsest separators that give short enough parts, with overlap.

As LangChain's RecursiveCharacterTextSplitter divides, but with places instead of copies of text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""Characters `[start, end)` of a text."""

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The longest part and the longest overlap, in characters."""

    size: int
    overlap: int


def recursive_split(text: str, span: Span, sizes: Sizes) -> list[Span]:
    """The parts of `text[span]` in order, none longer than `size`, without white space around.

    Each begins with whole pieces of up to `overlap` characters from the end of the one before, and
    none lies within another; no character but white space is left out.
    """
    parts: list[Span] = []
    for raw in _split(text, span, SEPARATORS, sizes):
        part = _stripped(text, raw)
        if part is None or (parts and part[1] <= parts[-1][1]):
            continue
        if parts and part[0] <= parts[-1][0]:
            parts.pop()
        parts.append(part)
    return parts


def _split(text: str, span: Span, separators: Sequence[str], sizes: Sizes) -> Iterator[Span]:
    at = next(i for i, one in enumerate(separators) if not one or text.find(one, *span) >= 0)
    short: list[Span] = []
    for piece in _pieces(text, span, separators[at]):
        if piece[1] - piece[0] < sizes.size or not separators[at]:
            short.append(piece)
            continue
        yield from _joined(short, sizes)
        short = []
        yield from _split(text, piece, separators[at + 1 :], sizes)
    yield from _joined(short, sizes)


def _pieces(text: str, span: Span, separator: str) -> Iterator[Span]:
    """The stretches between separators, each with the separator before it; else characters."""
    start, end = span
    if not separator:
        yield from ((place, place + 1) for place in range(start, end))
        return
    found = text.find(separator, start, end)
    while found >= 0:
        if found > start:
            yield start, found
        start = found
        found = text.find(separator, start + len(separator), end)
    yield start, end


def _joined(pieces: Sequence[Span], sizes: Sizes) -> Iterator[Span]:
    """Neighbouring pieces joined as long as they fit, the last ones repeated as overlap."""
    window: deque[Span] = deque()
    for piece in pieces:
        if window and piece[1] - window[0][0] > sizes.size:
            yield window[0][0], window[-1][1]
            while window and (
                window[-1][1] - window[0][0] > sizes.overlap or piece[1] - window[0][0] > sizes.size
            ):
                window.popleft()
        window.append(piece)
    if window:
        yield window[0][0], window[-1][1]


def _stripped(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where there is nothing else."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
