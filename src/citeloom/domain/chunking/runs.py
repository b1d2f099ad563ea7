"""Grouping pieces into runs: sections, merged where too short, and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from citeloom.domain.chunk import ChunkKind
from citeloom.domain.chunking.pieces import Piece
from citeloom.domain.conversion import BlockKind, ConversionResult


@dataclass(slots=True, kw_only=True)
class Run:
    """Pieces that are packed into chunks together, in reading order.

    `root` is their top-level section. `merged` says that several sections were merged because one
    was too short; separate headings then become part of the text.
    """

    root: int | None
    pieces: list[Piece] = field(default_factory=list)
    kind: ChunkKind = ChunkKind.TEXT
    merged: bool = False

    @property
    def tokens(self) -> int:
        """Tokens of the body, headings not counted."""
        return sum(p.tokens for p in self.pieces if p.kind is not BlockKind.HEADING)

    def body(self) -> list[Piece]:
        """The pieces of the text; separate headings only if sections were merged."""
        if self.merged:
            return self.pieces
        return [p for p in self.pieces if p.kind is not BlockKind.HEADING]

    def absorb(self, other: Run) -> None:
        """Merge the pieces of a neighbour."""
        self.pieces = sorted([*self.pieces, *other.pieces], key=lambda p: p.start)
        self.merged = True


def runs_of(result: ConversionResult, pieces: list[Piece], minimum: int) -> list[Run]:
    """One run for each section and each table; a run below `minimum` tokens joins a neighbour.

    Reference lists have runs of their own, which join no others. Neighbours in the same top-level
    section come first. Only a top-level section that is too short as a whole joins another: the
    next one, or, if last, the previous one. A document of headings alone is one run.
    """
    tables, text = _tables_apart(pieces, minimum)
    runs = sections_of(result, text)
    if not runs and not tables:
        return headings_alone(pieces)
    runs = merge_short(runs, minimum, lambda a, b: a.root == b.root)
    runs = merge_short(runs, minimum, lambda _a, _b: True)
    for table in tables:
        table.root = _root(result, table.pieces[0].section)
    return sorted([*runs, *tables], key=lambda run: run.pieces[0].start)


def sections_of(result: ConversionResult, pieces: list[Piece]) -> list[Run]:
    """One run for each section that has text, the works cited in it apart."""
    return [run for run in _by_section(result, pieces) if run.tokens]


def headings_alone(pieces: list[Piece]) -> list[Run]:
    """One run for a document that has no text but headings."""
    return [Run(root=None, pieces=pieces, merged=True)] if pieces else []


def _by_section(result: ConversionResult, pieces: list[Piece]) -> list[Run]:
    """A run for each section, the works cited in it apart from its text."""
    runs: list[Run] = []
    for piece in pieces:
        kind = ChunkKind.REFERENCE if piece.reference else ChunkKind.TEXT
        if not runs or runs[-1].pieces[-1].section != piece.section or runs[-1].kind is not kind:
            runs.append(Run(root=_root(result, piece.section), kind=kind))
        runs[-1].pieces.append(piece)
    return runs


def _root(result: ConversionResult, section: int | None) -> int | None:
    """The top-level section around a section; the title is not around any."""
    while section is not None:
        above = result.headings[section].parent
        if above is None or result.headings[above].is_title:
            break
        section = above
    return section


def _tables_apart(pieces: list[Piece], minimum: int) -> tuple[list[Run], list[Piece]]:
    """Each table of at least `minimum` tokens as a run, its caption before it, and the rest."""
    tables: list[Run] = []
    text: list[Piece] = []
    caption: list[Piece] = []
    for piece in pieces:
        if piece.kind is BlockKind.TABLE:
            if piece.opens:
                tables.append(Run(root=None, pieces=caption, kind=ChunkKind.TABLE))
                caption = []
            tables[-1].pieces.append(piece)
        elif piece.kind is BlockKind.CAPTION:
            if piece.opens:
                text.extend(caption)
                caption = []
            caption.append(piece)
        else:
            text.extend(caption)
            caption = []
            text.append(piece)
    text.extend(caption)
    for short in [run for run in tables if run.tokens < minimum]:
        tables.remove(short)
        text.extend(replace(piece, kind=BlockKind.PARAGRAPH) for piece in short.pieces)
    return tables, sorted(text, key=lambda piece: piece.start)


def merge_short(runs: list[Run], minimum: int, neighbours: Callable[[Run, Run], bool]) -> list[Run]:
    """Runs below the minimum joined to a neighbour: the next while still short, else the last."""

    def joined(before: Run, run: Run) -> bool:
        return before.kind is run.kind and neighbours(before, run)

    merged: list[Run] = []
    for run in runs:
        before = merged[-1] if merged else None
        if before is not None and joined(before, run) and before.tokens < minimum:
            before.absorb(run)
        else:
            merged.append(run)
    for index in range(len(merged) - 1, 0, -1):
        if merged[index].tokens < minimum and joined(merged[index - 1], merged[index]):
            merged[index - 1].absorb(merged.pop(index))
    return merged
