"""Display mathematics at page ends: a formula stays with the text of its own page.

The letters of a formula are drawn in any order, so that a page cited for nothing but a formula
cannot be checked by what is quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import BlockKind


def with_formulas_on_their_pages(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, with formulas that turn the page at the end of a section in the next one.

    That is so where the next section begins on their page.
    """
    placed = list(pieces)
    for index in range(len(placed) - 2, 0, -1):
        piece, behind = placed[index : index + 2]
        if not _is_formula(piece) or behind.page != piece.page or behind.section == piece.section:
            continue
        if _turns_page(placed, index):
            placed[index] = replace(piece, section=behind.section)
    return placed


def on_their_pages(pieces: Sequence[Piece], bound: int, least: int, most: int) -> int:
    """A bound between two chunks, moved so that neither has only formulas on its page there.

    It stays above `least` and below `most`.
    """
    moved = bound
    while moved - 1 > least and _is_formula(pieces[moved - 1]):
        moved -= 1
    if pieces[moved - 1].page != pieces[moved].page == pieces[bound].page:
        return moved
    moved = bound
    while moved + 1 < most and _is_formula(pieces[moved]):
        moved += 1
    turns = pieces[bound - 1].page == pieces[moved - 1].page != pieces[moved].page
    return moved if turns else bound


def _turns_page(pieces: Sequence[Piece], index: int) -> bool:
    """Whether a formula and those before it are the first of their page in the section."""
    page, section = pieces[index].page, pieces[index].section
    before = index
    while before > 0 and _is_formula(pieces[before - 1]) and pieces[before - 1].page == page:
        before -= 1
    last = pieces[before - 1] if before else None
    return last is not None and last.section == section and last.page != page


def _is_formula(piece: Piece) -> bool:
    return piece.kind is BlockKind.FORMULA
