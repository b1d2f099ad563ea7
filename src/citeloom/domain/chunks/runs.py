"""Headings and their context, and runs of pieces: sections, merged where too short, and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import takewhile

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.long_tables import continued_tables
from citeloom.domain.chunks.pieces import CountAll, Piece, TokenBudget
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy

# Headings kept with the text they stand over.

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
        headed = piece
        takes = piece.kind is not BlockKind.HEADING and piece.kind not in _APART
        while (
            takes
            and joined
            and joined[-1].kind is BlockKind.HEADING
            and joined[-1].reference == piece.reference
            and joined[-1].tokens + headed.tokens <= limit
            and joined[-1].page == piece.page
        ):
            heading = joined.pop()
            tokens = heading.tokens + headed.tokens
            headed = replace(headed, start=heading.start, tokens=tokens, opens=True)
        joined.append(headed)
    return joined


# The title and headings that are put before a text for embedding.

_SHARE = 4
"""Heading context takes at most one part in so many of a chunk; outer headings go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingContext:
    """What is put before a text, and the tokens it costs."""

    titles: tuple[str, ...]
    tokens: int


def contexts_of(
    result: ConversionResult, budget: TokenBudget
) -> Mapping[int | None, HeadingContext]:
    """The context of each section that has text."""
    depth = budget.policy.heading_context
    most = budget.size // _SHARE
    title = title_of(result)
    titles = {heading.title for heading in result.headings if heading.is_title}
    contexts = {}
    for section in {block.section for block in result.blocks}:
        path = result.section_path(section)
        below_title = path[1:] if titles.issuperset(path[:1]) else path
        context = (*title, *below_title[-depth:]) if depth else ()
        contexts[section] = fitted_context(context, most, budget.count_all)
    return contexts


def longest_context(contexts: Mapping[int | None, HeadingContext]) -> int:
    return max((context.tokens for context in contexts.values()), default=0)


def context_cost(titles: tuple[str, ...], count_all: CountAll) -> int:
    return count_all([" > ".join(titles)])[0] if titles else 0


def fitted_context(titles: tuple[str, ...], most: int, count_all: CountAll) -> HeadingContext:
    """The titles as far as they fit into `most` tokens; outer ones go first."""
    while titles and context_cost(titles, count_all) > most:
        titles = titles[1:]
    return HeadingContext(titles=titles, tokens=context_cost(titles, count_all))


def title_of(result: ConversionResult) -> tuple[str, ...]:
    """The document's title on one line, if it has one.

    Without pages, the title in the metadata will do: front matter is shown as the title. That
    of a PDF is too often another's.
    """
    titles = [result.text_of(b) for b in result.blocks if b.kind is BlockKind.TITLE]
    if not result.page_count:
        titles.append(result.embedded.title)
    return tuple(" ".join(title.split()) for title in titles if title.strip())[:1]


# Grouping pieces into runs: sections, merged where too short, and tables.


@dataclass(slots=True, kw_only=True)
class PieceRun:
    """Pieces that are packed into chunks together, in reading order.

    `path` are the headings that all of them stand under, from the top level down. `merged` says
    that several sections were merged because one was too short; separate headings then become part
    of the text.
    """

    path: tuple[int, ...] = ()
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

    def shares(self, other: PieceRun) -> int:
        """How many headings both stand under."""
        pairs = zip(self.path, other.path)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def absorb(self, other: PieceRun) -> None:
        self.path = self.path[: self.shares(other)]
        self.pieces = sorted([*self.pieces, *other.pieces], key=lambda p: p.start)
        self.merged = True


def runs_of(
    result: ConversionResult, pieces: list[Piece], policy: ChunkingPolicy
) -> list[PieceRun]:
    """One run for each section and each table; one that is too short joins a neighbour.

    Reference lists have runs of their own, which join no others. Only a top-level section that is
    too short as a whole joins another. A document of headings alone is one run.
    """
    minimum = policy.min_chunk_tokens
    tables, text = _tables_apart(pieces, minimum, continued_tables(result))
    runs = sections_of(result, text)
    if not runs and not tables:
        return headings_alone(pieces)
    runs = merge_short(runs, minimum, alone=policy.least_tokens(is_section=True))
    return sorted([*runs, *tables], key=lambda run: run.pieces[0].start)


def sections_of(result: ConversionResult, pieces: list[Piece]) -> list[PieceRun]:
    """One run for each section that has text, the works cited in it apart."""
    runs: list[PieceRun] = []
    for piece in pieces:
        kind = ChunkKind.REFERENCE if piece.reference else ChunkKind.TEXT
        if not runs or runs[-1].pieces[-1].section != piece.section or runs[-1].kind is not kind:
            runs.append(PieceRun(path=_path(result, piece.section), kind=kind))
        runs[-1].pieces.append(piece)
    return [run for run in runs if run.tokens]


def headings_alone(pieces: list[Piece]) -> list[PieceRun]:
    """One run for a document that has no text but headings."""
    return [PieceRun(pieces=pieces, merged=True)] if pieces else []


def _path(result: ConversionResult, section: int | None) -> tuple[int, ...]:
    """The headings above, from the top level down; the title is not above any."""
    path = result.headings_above(section)
    return path[1:] if path and result.headings[path[0]].is_title else path


def _tables_apart(
    pieces: list[Piece], minimum: int, continued: Set[int]
) -> tuple[list[PieceRun], list[Piece]]:
    """Each table of at least `minimum` tokens as a run, its caption before it, and the rest; what
    begins at one of `continued` is part of the table before.
    """
    tables: list[PieceRun] = []
    text: list[Piece] = []
    caption: list[Piece] = []
    for piece in pieces:
        if piece.kind is BlockKind.TABLE:
            if piece.start in continued:
                tables[-1].pieces += [*caption, replace(piece, opens=False)]
                caption = []
                continue
            if piece.opens:
                tables.append(PieceRun(pieces=caption, kind=ChunkKind.TABLE))
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


def merge_short(
    runs: list[PieceRun],
    minimum: int,
    *,
    fit: Callable[[PieceRun, PieceRun], bool] = lambda _before, _run: True,
    sharing: int = 0,
    alone: int | None = None,
) -> list[PieceRun]:
    """Runs below the minimum, or sections below `alone`, joined to the neighbour that shares most
    headings with them, `sharing` at least: to the next while still short, else to the last.
    """

    def is_short(run: PieceRun) -> bool:
        is_section = run.path and not run.merged
        return run.tokens < (minimum if alone is None or not is_section else alone)

    for shared in range(max((len(run.path) for run in runs), default=0), sharing - 1, -1):

        def joined(before: PieceRun, run: PieceRun, shared: int = shared) -> bool:
            return before.kind is run.kind and before.shares(run) >= shared and fit(before, run)

        merged: list[PieceRun] = []
        for run in runs:
            before = merged[-1] if merged else None
            if before is not None and joined(before, run) and is_short(before):
                before.absorb(run)
            else:
                merged.append(run)
        for index in range(len(merged) - 1, 0, -1):
            if is_short(merged[index]) and joined(merged[index - 1], merged[index]):
                merged[index - 1].absorb(merged.pop(index))
        runs = merged
    return runs
