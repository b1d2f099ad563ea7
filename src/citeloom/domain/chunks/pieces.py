"""The smallest parts a chunk is made of, counted in tokens: sentences, items, table rows, formulas,
headings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from citeloom.domain.documents.conversion import BlockKind, ConversionResult, LeftOutKind
from citeloom.domain.documents.sections import reference_blocks
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.text.tokens import SENTENCE_ENDS, line_spans, sentence_spans

# How many tokens a chunk may have, and how they are counted.

CountAll = Callable[[Sequence[str]], list[int]]
"""Counts the tokens of each text as the embedding model does, special tokens not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """A chunking policy with the counting of the model that reads the chunks.

    `limit` is a smaller size than the policy's. Counts may be an estimate.
    """

    policy: ChunkingPolicy
    special_tokens: int
    count_all: CountAll
    limit: int | None = None
    is_estimate: bool = False

    @property
    def size(self) -> int:
        return self.policy.size if self.limit is None else self.limit

    def up_to(self, size: int) -> TokenBudget:
        """This budget for chunks of at most `size` tokens."""
        return replace(self, limit=min(size, self.size))

    def room(self, context: int) -> int:
        """The tokens left for a text after a heading context of `context` tokens, at least one."""
        return max(self.size - self.special_tokens - context, 1)

    def longest_piece(self, context: int) -> int:
        """The longest piece that leaves room for one below the minimum."""
        room = self.room(context)
        return max(room - self.policy.min_chunk_tokens, room // 2, 1)


# The smallest parts a chunk is made of: sentences, list items, table rows, headings.

_LONGEST_TOKEN = 64  # characters to a token, counted for a whole piece: English has five
_BY_LINE = (BlockKind.TABLE, BlockKind.CODE)
_CLOSING = "\"'\u201d\u2019\u00bb)] "  # behind the stop of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Characters `[start, end)` of the plain text that are not torn apart, and their tokens.

    `page` is the one it begins on, if there are pages. `opens` marks the first piece of a block,
    `continues` a part of a sentence, behind its first: also a formula that it leads to, and what
    goes on below that. `section` indexes the document's headings. `reference` says that it is part
    of a list of works cited.
    """

    start: int
    end: int
    tokens: int
    kind: BlockKind
    page: int | None
    section: int | None
    opens: bool
    reference: bool = False
    continues: bool = False


def pieces_of(result: ConversionResult, *, limit: int, count_all: CountAll) -> list[Piece]:
    """The document's pieces in reading order, none longer than `limit` tokens."""
    count_all = _sparing(count_all, limit)
    spans, carried = [], _carried_on(result)
    for index, block in enumerate(result.blocks):
        text, inner = result.text_of(block), [(0, block.end - block.start)]
        if block.kind is not BlockKind.HEADING:
            inner = list((line_spans if block.kind in _BY_LINE else sentence_spans)(text))
        for number, (start, end) in enumerate(inner):
            spans.append((index, block, block.start + start, block.start + end, number == 0))
    counts = count_all([result.plain_text[start:end] for _, _, start, end, _ in spans])
    listed = reference_blocks(result)
    fragments = [fragment for block in result.blocks for fragment in block.fragments]
    starts = [fragment.start for fragment in fragments]

    def page_at(start: int) -> int | None:
        return fragments[bisect_right(starts, start) - 1].page

    pieces: list[Piece] = []
    for (index, block, start, end, opens), tokens in zip(spans, counts):
        piece = Piece(
            start=start,
            end=end,
            tokens=tokens,
            kind=block.kind,
            page=page_at(start),
            section=block.section,
            opens=opens,
            reference=index in listed,
            continues=index in carried and (opens or block.kind is BlockKind.FORMULA),
        )
        if tokens <= limit:
            pieces.append(piece)
        else:
            parts = _split(result.plain_text, piece, limit, count_all)
            pieces.extend(replace(part, page=page_at(part.start)) for part in parts)
    return _with_empty_sections(result, pieces)


def _with_empty_sections(result: ConversionResult, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each heading of a section without any text as text of the section behind it, or
    else of the one before: it is above no chunk. Of two sections, one that is no list of works
    cited is preferred. The title of contents that are left out is none.
    """
    filled = {block.section for block in result.blocks if block.kind is not BlockKind.HEADING}
    shown = {above for section in filled for above in result.headings_above(section)}
    texts = [piece for piece in pieces if piece.kind is not BlockKind.HEADING]
    starts = [piece.start for piece in texts]
    empty = [p for p in pieces if p.kind is BlockKind.HEADING and p.section not in shown]
    on_page = Counter(piece.page for piece in empty)
    with_contents = {
        page
        for page, parts in result.left_out.items()
        if on_page[page] == 1 and any(part.kind is LeftOutKind.CONTENTS for part in parts)
    }
    places = {piece.start for piece in empty if texts and piece.page not in with_contents}

    def placed(piece: Piece) -> Piece:
        if piece.start not in places:
            return piece
        at = bisect_right(starts, piece.start)
        beside = (*texts[at : at + 1], *texts[max(at - 1, 0) : at])
        home = min(beside, key=lambda text: text.reference)
        kind, reference = BlockKind.PARAGRAPH, home.reference
        return replace(piece, kind=kind, reference=reference, section=home.section)

    return [placed(piece) for piece in pieces]


def _carried_on(result: ConversionResult) -> Set[int]:
    """The blocks within a sentence: formulas it leads to, and paragraphs that go on with it."""
    carried: set[int] = set()
    is_open = False
    for index, block in enumerate(result.blocks):
        text = result.text_of(block)
        is_formula = block.kind is BlockKind.FORMULA
        if is_open and (is_formula or (block.kind is BlockKind.PARAGRAPH and text[:1].islower())):
            carried.add(index)
        in_text = is_formula or block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        is_open = in_text and not text.rstrip(_CLOSING).endswith((*SENTENCE_ENDS,))
    return carried


def _sparing(count_all: CountAll, limit: int) -> CountAll:
    """Counts as `count_all` does, but at least one token for every `_LONGEST_TOKEN` characters,
    and without it what is over the limit by that.

    A model has one token for a word of any length, and counting takes the time of all of it.
    """

    def count(texts: Sequence[str]) -> list[int]:
        least = [len(text) // _LONGEST_TOKEN for text in texts]
        counts = iter(count_all([text for text, n in zip(texts, least) if n <= limit]))
        return [max(n, next(counts)) if n <= limit else n for n in least]

    return count


def _split(text: str, piece: Piece, limit: int, count_all: CountAll) -> Iterator[Piece]:
    """A piece longer than the limit, cut at word ends, or within a word that is too long."""
    pending = [(piece.start, piece.end, piece.tokens)]
    while pending:
        start, end, tokens = pending.pop()
        if tokens <= limit or end - start < 2:
            is_first = start == piece.start
            opens, continues = piece.opens and is_first, piece.continues or not is_first
            yield replace(
                piece, start=start, end=end, tokens=tokens, opens=opens, continues=continues
            )
            continue
        middle = (start + end) // 2
        before, after = text.rfind(" ", start + 1, middle), text.find(" ", middle, end - 1)
        spaces = [space for space in (before, after) if space > start]
        left_end = min(spaces, key=lambda space: abs(space - middle), default=middle)
        right_start = left_end + 1 if spaces else middle
        left, right = count_all([text[start:left_end], text[right_start:end]])
        pending.append((right_start, end, right))
        pending.append((start, left_end, left))


# Display mathematics at page ends: a formula stays with the text of its own page.


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
