"""Filling chunks with pieces: evenly, at paragraph ends where possible, with overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from citeloom.domain.chunking.formulas import on_their_pages
from citeloom.domain.chunking.pieces import Piece

Adjoins = Callable[[Piece, Piece], bool]
"""Whether a piece follows another with nothing between them that is read apart."""

_PARAGRAPH_END_FROM = 0.7
"""A chunk this full of what it aims at ends with the paragraph rather than a sentence later."""


def pack(
    pieces: Sequence[Piece],
    *,
    limit: int,
    overlap: int,
    minimum: int,
    adjoins: Adjoins,
) -> list[list[Piece]]:
    """Divide `pieces` into chunks of at most `limit` tokens, as even as their ends allow.

    Each chunk but the first repeats whole pieces of up to `overlap` tokens from the end of the
    one before, as long as they are on the page it begins on and adjoin; a chunk below `minimum`
    repeats more, also from the one behind, of its own pages first.
    """
    total = sum(piece.tokens for piece in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    room = limit - overlap
    aim = total / ceil(total / room)
    bounds = _with_formulas(pieces, _bounds(pieces, aim=aim, room=room), room)
    chunks = []
    for start, end in bounds:
        wanted = overlap if start else 0
        own = sum(piece.tokens for piece in pieces[start:end])
        if own < minimum:
            chunks.append(_lengthened(pieces, start, end, (minimum, limit)))
        else:
            first = _overlap_start(pieces, start, min(wanted, limit - own), adjoins)
            chunks.append(list(pieces[first:end]))
    return chunks


def _bounds(pieces: Sequence[Piece], *, aim: float, room: int) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    start = size = 0
    for index, piece in enumerate(pieces):
        full = size + piece.tokens > room or size >= aim
        at_paragraph_end = piece.opens and size >= _PARAGRAPH_END_FROM * aim
        if size and (full or at_paragraph_end):
            bounds.append((start, index))
            start, size = index, 0
        size += piece.tokens
    bounds.append((start, len(pieces)))
    return bounds


def _with_formulas(
    pieces: Sequence[Piece], bounds: Sequence[tuple[int, int]], room: int
) -> list[tuple[int, int]]:
    """The bounds with formulas on the side where their page has text, if they fit there."""
    moved = list(bounds)
    for index in range(1, len(moved)):
        (start, bound), (_, end) = moved[index - 1], moved[index]
        better = on_their_pages(pieces, bound, start, end)
        sides = (pieces[start:better], pieces[better:end])
        if max(sum(piece.tokens for piece in side) for side in sides) <= room:
            moved[index - 1], moved[index] = (start, better), (better, end)
    return moved


def _overlap_start(pieces: Sequence[Piece], start: int, overlap: int, adjoins: Adjoins) -> int:
    first, page = start, pieces[start].page
    while first and pieces[first - 1].tokens <= overlap:
        before = pieces[first - 1]
        if before.page != page or not adjoins(before, pieces[first]):
            break
        first -= 1
        overlap -= before.tokens
    return first


def _lengthened(
    pieces: Sequence[Piece], start: int, end: int, bounds: tuple[int, int]
) -> list[Piece]:
    """The chunk with pieces before it, or else behind it, until it is long enough, if they fit.

    Those on the page it begins or ends on come first.
    """
    minimum, limit = bounds
    size = sum(piece.tokens for piece in pieces[start:end])
    while size < minimum:
        sides = ((start - 1, pieces[start].page), (end, pieces[end - 1].page))
        fitting = [
            (pieces[index].page != page, index)
            for index, page in sides
            if 0 <= index < len(pieces) and size + pieces[index].tokens <= limit
        ]
        if not fitting:
            break
        _, taken = min(fitting)
        size += pieces[taken].tokens
        start, end = min(start, taken), max(end, taken + 1)
    return list(pieces[start:end])
