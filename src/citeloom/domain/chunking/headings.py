"""Headings kept with the text they stand over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import BlockKind

_APART = (BlockKind.TABLE, BlockKind.CAPTION)
"""What has chunks of its own and so takes no heading along."""


def with_headings(pieces: Sequence[Piece], limit: int) -> list[Piece]:
    """The pieces, each heading made one with the sentence that follows it.

    So a quotation may begin with its heading, as the page does, and none is left behind at the
    end of a chunk. A heading on the page before stays apart, lest it stretch the page span; so
    does one that would make the piece longer than `limit`.
    """
    joined: list[Piece] = []
    for piece in pieces:
        takes = piece.kind is not BlockKind.HEADING and piece.kind not in _APART
        joined.append(_under(joined, piece, limit) if takes else piece)
    return joined


def _under(before: list[Piece], piece: Piece, limit: int) -> Piece:
    """The piece with the headings right before it, which are taken out of `before`."""
    while (
        before
        and before[-1].kind is BlockKind.HEADING
        and before[-1].reference == piece.reference
        and before[-1].tokens + piece.tokens <= limit
        and before[-1].page == piece.page
    ):
        heading = before.pop()
        tokens = heading.tokens + piece.tokens
        piece = replace(piece, start=heading.start, tokens=tokens, opens=True)
    return piece
