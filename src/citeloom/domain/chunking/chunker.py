"""From a converted document to its chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citeloom.domain.chunk import Chunk, ChunkKind, chunk_id
from citeloom.domain.chunking.headed import with_headings
from citeloom.domain.chunking.packing import pack
from citeloom.domain.chunking.pieces import CountAll, Piece, pieces_of
from citeloom.domain.chunking.places import Places
from citeloom.domain.chunking.runs import Run, runs_of
from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.quality import signal_to_noise

_CONTEXT_SHARE = 4
"""Heading context takes at most one part in so many of a chunk; outer headings go first."""


class FilterReason(StrEnum):
    """Why a stretch of text did not become a chunk; entries of a reference list count apart."""

    TOO_SHORT = "too_short"
    LOW_SIGNAL = "low_signal_to_noise"
    REFERENCES = "reference_entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedDocument:
    """A document's chunks, and how much of its body they hold (both in characters)."""

    chunks: tuple[Chunk, ...]
    filtered: Mapping[FilterReason, int] = field(default_factory=dict)
    body_characters: int = 0
    kept_characters: int = 0

    @property
    def body_share(self) -> float:
        """The share of the body that is in chunks (1.0 where there is no body)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


def chunk_document(
    result: ConversionResult,
    *,
    policy: ChunkingPolicy,
    embedding_model: str,
    special_tokens: int,
    count_all: CountAll,
) -> ChunkedDocument:
    """Cut a document along its headings into chunks of at most `policy.size` tokens.

    No chunk crosses a top-level section, save that a section too short to stand alone joins its
    neighbour, and none holds both body and entries of a reference list. Paragraphs and sentences
    stay whole where they fit; a table is a chunk of its own with its caption. Chunks are numbered
    in reading order. Pages are those of the very characters a chunk holds.
    """
    chunker = _Chunker(result, policy, embedding_model, special_tokens, count_all)
    return chunker.chunks()


@dataclass(frozen=True, slots=True)
class _Draft:
    """The pieces of a chunk to be, what is put before it for embedding, and the tokens of that.

    `extra_tokens` are those of a table's head that stands on another page: it goes there too.
    """

    pieces: list[Piece]
    kind: ChunkKind
    context: tuple[str, ...] = ()
    context_tokens: int = 0
    extra_tokens: int = 0

    @property
    def body(self) -> list[Piece]:
        return [p for p in self.pieces if p.kind is not BlockKind.HEADING] or self.pieces

    @property
    def section(self) -> int | None:
        """The section most of the text belongs to."""
        weights: Counter[int | None] = Counter()
        for piece in self.body:
            weights[piece.section] += max(piece.tokens, 1)
        return weights.most_common(1)[0][0]


class _Chunker:
    def __init__(
        self,
        result: ConversionResult,
        policy: ChunkingPolicy,
        embedding_model: str,
        special_tokens: int,
        count_all: CountAll,
    ) -> None:
        self._result = result
        self._policy = policy
        self._model = embedding_model
        self._special = special_tokens
        self._count_all = count_all
        self._places = Places(result)
        self._title = _title(result)
        self._contexts: dict[int | None, tuple[tuple[str, ...], int]] = {}

    def chunks(self) -> ChunkedDocument:
        longest = self._longest_piece()
        pieces = pieces_of(self._result, limit=longest, count_all=self._count_all)
        headed = with_headings(pieces, self._places, longest)
        runs = runs_of(self._result, headed, self._policy.min_chunk_tokens)
        drafts = [draft for run in runs for draft in self._drafts(run)]
        drafts.sort(key=lambda draft: draft.pieces[0].start)
        return self._accept(drafts, pieces)

    def _longest_piece(self) -> int:
        """How long a piece may be so that one below the minimum still fits beside it."""
        sections = {block.section for block in self._result.blocks}
        context = max((self._context(section)[1] for section in sections), default=0)
        room = self._policy.size - self._special - context
        return max(room - self._policy.min_chunk_tokens, room // 2, 1)

    def _drafts(self, run: Run) -> Iterator[_Draft]:
        """The run packed into drafts; packed tighter should the joined text count longer."""
        body = run.body()
        room = self._policy.size - self._special
        room -= max(self._context(section)[1] for section in {p.section for p in body})
        limit = room
        while True:
            drafts = list(self._pack(run, body, limit))
            counts = self._count_all([self._text(d.pieces) for d in drafts])
            longest = max(n + draft.extra_tokens for n, draft in zip(counts, drafts))
            if longest <= room or limit <= 1:
                yield from drafts
                return
            limit = max(limit - (longest - room), 1)

    def _pack(self, run: Run, body: list[Piece], limit: int) -> Iterator[_Draft]:
        head = _table_head(body) if run.kind is ChunkKind.TABLE else []
        head_tokens = sum(piece.tokens for piece in head)
        if head_tokens > limit // 2:
            head, head_tokens = [], 0
        overlaps = run.kind is ChunkKind.TEXT
        overlap = min(self._policy.overlap_tokens, limit // 4) if overlaps else 0
        packed = pack(
            body[len(head) :],
            limit=limit - head_tokens,
            overlap=overlap,
            minimum=self._policy.min_chunk_tokens,
            joins=lambda a, b: self._places.page(a) == self._places.page(b),
        )
        for index, pieces in enumerate(packed or [[]]):
            pages = {self._places.page(piece) for piece in (pieces if index else head)}
            here = [piece for piece in head if self._places.page(piece) in pages]
            apart = [piece for piece in head if piece not in here]
            yield self._in_context(_Draft([*here, *pieces], run.kind), apart)

    def _in_context(self, draft: _Draft, apart: list[Piece]) -> _Draft:
        """The draft with its headings before it, and behind them what stands on another page."""
        titles, tokens = self._context(draft.section)
        if not apart:
            return replace(draft, context=titles, context_tokens=tokens)
        context = (*titles, " ".join(self._text(apart).split()))
        cost = self._cost(context)
        return replace(
            draft, context=context, context_tokens=cost, extra_tokens=max(cost - tokens, 0)
        )

    def _context(self, section: int | None) -> tuple[tuple[str, ...], int]:
        """The title and headings put before a text of the section, and the tokens they cost."""
        if section not in self._contexts:
            depth = self._policy.heading_context
            titles = (*self._title, *self._result.section_path(section)[-depth:]) if depth else ()
            most = self._policy.size // _CONTEXT_SHARE
            while titles and self._cost(titles) > most:
                titles = titles[1:]
            self._contexts[section] = (titles, self._cost(titles) if titles else 0)
        return self._contexts[section]

    def _cost(self, titles: tuple[str, ...]) -> int:
        return self._count_all([" > ".join(titles)])[0]

    def _text(self, pieces: list[Piece]) -> str:
        """The pieces with the white space that stands between them in the document."""
        plain = self._result.plain_text
        parts = [plain[pieces[0].start : pieces[0].end]]
        for before, piece in zip(pieces, pieces[1:]):
            between = plain[before.end : piece.start]
            parts.append("\n\n" if between.strip() else between)
            parts.append(plain[piece.start : piece.end])
        return "".join(parts)

    def _accept(self, drafts: list[_Draft], pieces: list[Piece]) -> ChunkedDocument:
        chunks: list[Chunk] = []
        filtered: Counter[FilterReason] = Counter()
        kept: set[int] = set()
        texts = [self._text(draft.pieces) for draft in drafts]
        counts = self._count_all(texts)
        for draft, text, tokens in zip(drafts, texts, counts):
            ratio = signal_to_noise(text)
            reason = self._rejection(tokens, ratio)
            if reason is not None:
                listed = draft.kind is ChunkKind.REFERENCE
                filtered[FilterReason.REFERENCES if listed else reason] += 1
                continue
            chunks.append(self._chunk(draft, text, tokens, ratio, len(chunks)))
            kept.update(piece.end for piece in draft.pieces)
        body = [p for p in pieces if p.kind is not BlockKind.HEADING]
        return ChunkedDocument(
            chunks=tuple(chunks),
            filtered=dict(filtered),
            body_characters=sum(p.end - p.start for p in body),
            kept_characters=sum(p.end - p.start for p in body if p.end in kept),
        )

    def _rejection(self, tokens: int, ratio: float) -> FilterReason | None:
        if tokens < self._policy.min_chunk_tokens:
            return FilterReason.TOO_SHORT
        if ratio < self._policy.min_signal_to_noise:
            return FilterReason.LOW_SIGNAL
        return None

    def _chunk(self, draft: _Draft, text: str, tokens: int, ratio: float, index: int) -> Chunk:
        path = self._result.section_path(draft.section)
        span = self._places.span(draft.pieces)
        return Chunk(
            id=chunk_id(
                doc_id=self._result.doc_id,
                page_span=span,
                section_path=path,
                embedding_model=self._model,
                index=index,
            ),
            doc_id=self._result.doc_id,
            text=text,
            page_span=span,
            paragraphs=None if span else self._places.paragraphs(draft.pieces),
            section_path=path,
            chunk_idx=index,
            token_count=tokens + draft.context_tokens + self._special,
            signal_to_noise=round(ratio, 4),
            kind=draft.kind,
            page_labels=self._places.labels(span),
            boxes=self._places.boxes(draft.pieces),
            heading_context=draft.context,
        )


def _table_head(body: list[Piece]) -> list[Piece]:
    """A table's caption and its first row: each part of a long table has them before it, in its
    text where they stand on its page, else in its context, lest they stretch its page span.
    """
    captions = [piece for piece in body if piece.kind is BlockKind.CAPTION]
    rows = body[len(captions) :]
    return [*captions, *rows[:1]] if len(rows) > 1 else captions


def _title(result: ConversionResult) -> tuple[str, ...]:
    """The document's title on one line, if it has one.

    Without pages, the title in the metadata will do: front matter is shown as the title. That
    of a PDF is too often another's.
    """
    titles = [result.text_of(b) for b in result.blocks if b.kind is BlockKind.TITLE]
    if not result.page_count:
        titles.append(result.embedded.title)
    return tuple(" ".join(title.split()) for title in titles if title.strip())[:1]
