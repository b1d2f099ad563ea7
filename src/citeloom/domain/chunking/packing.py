"""Filling chunks with pieces: evenly, at paragraph ends where possible, with overlap."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from citeloom.domain.chunking.pieces import Piece

_PARAGRAPH_END_FROM = 0.7
"""A chunk this full of what it aims at ends with the paragraph rather than a sentence later."""


def pack(
    pieces: Sequence[Piece],
    *,
    limit: int,
    overlap: int,
    minimum: int,
) -> list[list[Piece]]:
    """Divide `pieces` into chunks of at most `limit` tokens, as even as their ends allow.

    Each chunk but the first repeats whole pieces of up to `overlap` tokens from the end of the
    one before, as long as they are on the page it begins on; a chunk below `minimum` repeats
    more, also from the one behind.
    """
    total = sum(piece.tokens for piece in pieces)
    if total <= limit:
        return [list(pieces)] if pieces else []
    room = limit - overlap
    aim = total / ceil(total / room)
    bounds = _bounds(pieces, aim=aim, room=room)
    chunks = []
    for start, end in bounds:
        wanted = overlap if start else 0
        own = sum(piece.tokens for piece in pieces[start:end])
        if own < minimum:
            chunks.append(_lengthened(pieces, start, end, (minimum, limit)))
        else:
            chunks.append(_overlapped(pieces, start, end, min(wanted, limit - own)))
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


def _overlapped(pieces: Sequence[Piece], start: int, end: int, overlap: int) -> list[Piece]:
    first, page = start, pieces[start].page
    while first and pieces[first - 1].tokens <= overlap and pieces[first - 1].page == page:
        first -= 1
        overlap -= pieces[first].tokens
    return list(pieces[first:end])


def _lengthened(
    pieces: Sequence[Piece], start: int, end: int, bounds: tuple[int, int]
) -> list[Piece]:
    """The chunk with pieces before it, or else behind it, until it is long enough, if they fit."""
    minimum, limit = bounds
    size = sum(piece.tokens for piece in pieces[start:end])
    while size < minimum:
        if start and size + pieces[start - 1].tokens <= limit:
            start -= 1
            size += pieces[start].tokens
        elif end < len(pieces) and size + pieces[end].tokens <= limit:
            size += pieces[end].tokens
            end += 1
        else:
            break
    return list(pieces[start:end])
