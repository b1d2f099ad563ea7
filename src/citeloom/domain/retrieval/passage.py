"""What is stored of a chunk, how it is selected, and what a query gives back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import PurePath

from citeloom.domain.chunks.chunk import Chunk, ChunkKind, pages_between
from citeloom.domain.documents.conversion import Doubt, doubts_in_words
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.documents.misread import doubtful_words
from citeloom.domain.documents.printed_pages import are_of_page_list
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import Conditions, section_keys
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.words import QueryCoverage

DenseVector = Sequence[float]

_LEAST_OVERLAP, _LONGEST_OVERLAP = 12, 2000
_WHOLE_WORDS = re.compile(r".*\S(?=\s)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector:
    """Token ids, ascending and distinct, and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.indices) != len(self.values):
            raise ValueError("a sparse vector needs one value an index")

    @classmethod
    def of(cls, weights: Mapping[int, float]) -> SparseVector:
        """The vector of token ids with their weights."""
        indices = tuple(sorted(weights))
        return cls(indices=indices, values=tuple(weights[index] for index in indices))

    @property
    def weights(self) -> dict[int, float]:
        return dict(zip(self.indices, self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk as the index keeps it: with its project, its source and the work it comes from.

    `zotero_library` is the library of the attachment as Zotero's links have it: `library` or
    `groups/ID`. `metadata` is what the document's front matter says, the same in all its chunks;
    its `undeclared` fields are read, and not filtered by. `machines` are those that ingested the
    document into a store which several may share; there its first chunk has the settings that the
    last of them divided it by, as `chunking`.
    """

    project_id: str
    chunk: Chunk
    source_path: str
    citation: CitationMeta | None = None
    attachment_key: str | None = None
    zotero_library: str | None = None
    embed_model: str = ""
    sparse_model: str | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    undeclared: frozenset[str] = frozenset()
    machines: tuple[str, ...] = ()
    chunking: Mapping[str, str] = field(default_factory=dict)

    @property
    def remark(self) -> str:
        """What is said beside its citation: a retraction, a generated citekey, and what speaks
        against its words.
        """
        return ", ".join(filter(None, (self.retraction, self.citekey_remark, self.doubts)))

    @property
    def retraction(self) -> str:
        """That the work has been retracted, as Zotero knows, and when; else empty."""
        date = self.citation.retracted if self.citation else None
        return f"RETRACTED ({date})" if date else ""

    @property
    def doubts(self) -> str:
        """What speaks against its words: `order doubtful`, `table doubtful`."""
        return doubts_in_words(self.chunk.doubts, self.doubtful_words)

    @property
    def doubtful_words(self) -> tuple[str, ...]:
        """The words that its doubts name."""
        return doubtful_words(self.chunk.doubts, self.chunk.text)

    @property
    def is_foreign(self) -> bool:
        """Whether another program wrote it: its document has no id but its source or its row's."""
        return self.chunk.doc_id in (self.source_path, self.chunk.id)

    @property
    def locator(self) -> Locator:
        return self.locator_between(0, len(self.chunk.text))

    def locator_between(self, start: int, end: int) -> Locator:
        """Where in the work the characters `[start, end)` of the chunk stand."""
        place = _locator(self.chunk, self.source_path, start, end)
        return replace(place, section=self.chunk.section_titles)

    @property
    def cited(self) -> str | None:
        """A Pandoc citation to the page or paragraph, where the work has a citekey.

        Of what a note says itself it names the work alone: its paragraphs are not the work's.
        """
        return self.cited_between(0, len(self.chunk.text))

    def cited_between(self, start: int, end: int) -> str | None:
        """As `cited`, of the characters `[start, end)` of the chunk."""
        if self.citation is None:
            return None
        return self.cited_locator(start, end).cite(self.citation.citekey)

    def cited_locator(self, start: int, end: int) -> Locator:
        """Where a citation of the characters `[start, end)` points to; see `cited`."""
        return self.locator_between(start, end) if self.cites_place else Locator()

    @property
    def cites_place(self) -> bool:
        """Whether a citation of its words names their place; see `cited`."""
        mark = self.chunk.mark
        return self.chunk.kind is not ChunkKind.NOTE or (mark is not None and mark.quotes)

    @property
    def citekey_remark(self) -> str:
        """That the citekey was generated, since the reference's source has none; else empty."""
        if self.citation is None or not self.citation.citekey_generated:
            return ""
        source = "Zotero" if self.zotero_library else "the references"
        return f"no citekey in {source}: generated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkText:
    """A stored chunk's text with its work, its place there and its doubts, and nothing else of what
    is stored with it.
    """

    chunk_id: str
    doc_id: str
    chunk_idx: int
    text: str
    source_path: str
    citekey: str | None = None
    year: int | None = None
    page_span: tuple[int, int] | None = None
    page_starts: tuple[int, ...] = ()
    page_labels: tuple[str, ...] = ()
    paragraphs: tuple[Paragraph, Paragraph] | None = None
    cites_place: bool = True
    """Whether a citation names the place, as for a stored chunk."""
    doubts: tuple[Doubt, ...] = ()

    @classmethod
    def of(cls, stored: StoredChunk) -> ChunkText:
        """That of a chunk."""
        return cls(
            chunk_id=stored.chunk.id,
            doc_id=stored.chunk.doc_id,
            chunk_idx=stored.chunk.chunk_idx,
            text=stored.chunk.text,
            source_path=stored.source_path,
            citekey=stored.citation.citekey if stored.citation else None,
            year=stored.citation.year if stored.citation else None,
            page_span=stored.chunk.page_span,
            page_starts=stored.chunk.page_starts,
            page_labels=stored.chunk.page_labels,
            paragraphs=stored.chunk.paragraphs,
            cites_place=stored.cites_place,
            doubts=stored.chunk.doubts,
        )

    @property
    def doubtful_words(self) -> tuple[str, ...]:
        """The words that its doubts name."""
        return doubtful_words(self.doubts, self.text)

    @property
    def work(self) -> str:
        """The citekey of the work, else the name of the file."""
        return self.citekey or PurePath(self.source_path).name

    def locator_between(self, start: int, end: int) -> Locator:
        """Where in the work the characters `[start, end)` stand, without its section."""
        return _locator(self, self.source_path, start, end)

    def cited_between(self, start: int, end: int) -> str | None:
        """A Pandoc citation of the characters `[start, end)`, where the work has a citekey."""
        if self.citekey is None:
            return None
        place = self.locator_between(start, end) if self.cites_place else Locator()
        return place.cite(self.citekey)


def _locator(placed: Chunk | ChunkText, source_path: str, start: int, end: int) -> Locator:
    first, last = pages_between(placed.page_span, placed.page_starts, start, end) or (None, None)
    labels = placed.page_labels
    if placed.page_span is not None and first is not None and last is not None:
        labels = labels[first - placed.page_span[0] : last - placed.page_span[0] + 1]
    return Locator(
        page_start=first,
        page_end=last,
        paragraphs=placed.paragraphs,
        page_labels=labels,
        of_page_list=are_of_page_list(source_path),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedChunk:
    """A chunk ready to be stored: `dense` has the collection's dimension, `sparse` if hybrid."""

    stored: StoredChunk
    dense: DenseVector
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedChunk:
    """A chunk as it lies in the store, sound or not.

    `stored` is None where the payload cannot be read as a chunk; `faults` say where the payload is
    not as its schema has it. A vector that is not there is None.
    """

    id: str
    text: str
    stored: StoredChunk | None
    faults: tuple[str, ...] = ()
    dense: DenseVector | None = None
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Conditions):
    """Which chunks of a project; every given condition must hold.

    The project is always a condition: one project never sees another's chunks. Of each group in
    `scopes`, a key and values as chunks are stored with them, a chunk has one. The titles of
    `section` are compared one by one as `section_keys` has them. A chunk of one of `without_kinds`
    is not selected. `chunks` is an inclusive range of chunk indexes, of use together with `doc_id`.
    The conditions of `where` are resolved.
    """

    project_id: str
    scopes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without_kinds: tuple[ChunkKind, ...] = ()
    chunks: tuple[int, int] | None = None


def keywords(stored: StoredChunk, key: str) -> tuple[str, ...]:
    """The values that a chunk is counted and filtered by under a key of stores.

    Raises `KeyError` for a key of other values.
    """
    chunk, citation = stored.chunk, stored.citation
    if key in _OF_WORKS:
        value = getattr(citation, key) if citation else None
        return value if isinstance(value, tuple) else () if value is None else (value,)
    of_chunk = {
        "project_id": stored.project_id,
        "doc_id": chunk.doc_id,
        "kind": chunk.kind.value,
        "source_path": stored.source_path,
        "mark_color": chunk.mark.color if chunk.mark else "",
    }
    if key == "section_keys":
        return section_keys(chunk.section_path, *chunk.sections)
    return (of_chunk[key],) if of_chunk[key] else ()


_OF_WORKS = frozenset(
    "citekey tags in_collections authors libraries item_type container language aliases".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """A question put to the index, as vectors.

    `mode` says which vectors count; a hybrid query has both. `limit` hits come back, best first,
    from `candidates` a side, fused as 1 / (`rrf_k` + rank) with ranks from 1. With `with_vectors`
    each brings its vectors along; a store may leave out of sparse ones what is not among `terms`,
    and with `sparse_alone` the dense ones.
    """

    selection: Selection
    mode: Mode
    limit: int
    dense: DenseVector | None = None
    sparse: SparseVector | None = None
    candidates: int = 50
    rrf_k: int = 60
    with_vectors: bool = False
    terms: frozenset[int] | None = None
    sparse_alone: bool = False

    def __post_init__(self) -> None:
        if self.mode is not Mode.SPARSE and self.dense is None:
            raise ValueError(f"a {self.mode.value} query needs a dense vector")
        if self.mode is not Mode.DENSE and self.sparse is None:
            raise ValueError(f"a {self.mode.value} query needs a sparse vector")
        if self.limit < 1:
            raise ValueError("a query must ask for at least one hit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A stored chunk that answers a query. Ties in score stand in the order of their chunk ids.

    The vectors are there where the query asked for them.
    """

    stored: StoredChunk
    score: float
    dense: DenseVector | None = None
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A chunk that answers a query, without its text: its id, its score, and its vectors where the
    query asked for them; a sparse query brings the sparse one alone, and of it perhaps no more than
    the terms of the query.
    """

    chunk_id: str
    score: float
    dense: DenseVector | None = None
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchHits:
    """What several searches made at once found: the hits of each query, then the matches of each
    query that asked for matches alone.
    """

    hits: tuple[list[Hit], ...]
    matches: tuple[list[Match], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Where one side of a hybrid query placed a chunk (ranks from 1), and its score there."""

    rank: int
    """From 1."""
    score: float
    """The score on that side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWords:
    """The characters `[start, end)` of a stored chunk, with the place that these have."""

    stored: StoredChunk = field(hash=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.stored.chunk.text[self.start : self.end]

    @property
    def citation(self) -> str | None:
        """A Pandoc citation of these words, where the work has a citekey."""
        return self.stored.cited_between(self.start, self.end)

    @property
    def locator(self) -> Locator:
        """The page of the words themselves, where the chunk spans several."""
        return self.stored.locator_between(self.start, self.end)


class AddedContext(ChunkWords):
    """What a chunk beside a passage adds to it."""

    __slots__ = ()

    @property
    def text(self) -> str:
        return super().text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What a query returns: a chunk's text, the work, the place in it, and why it was found.

    `verbatim` says that the chunk holds the query word for word, or its larger part and runs on
    into the rest with the neighbouring chunk. `fit` is that of its work; None where the question is
    a quotation that others hold. `why` says why it stands where it does, if that was asked;
    `reranked` is its rank by a reranker, where that put it in order.
    `duplicates` are chunks of nearly the same text in other documents. `citation_label` is the
    project's own, if it has a template.
    """

    stored: StoredChunk
    score: float
    text: str
    trimmed: bool = False
    verbatim: bool = False
    fit: QueryCoverage | None = None
    why: tuple[str, ...] = ()
    dense: Ranked | None = None
    sparse: Ranked | None = None
    reranked: Ranked | None = None
    before: tuple[StoredChunk, ...] = ()
    after: tuple[StoredChunk, ...] = ()
    duplicates: tuple[StoredChunk, ...] = ()
    citation_label: str | None = None

    @property
    def citation(self) -> str | None:
        """A Pandoc citation to the page or paragraph, where the work has a citekey."""
        return self.stored.cited

    @property
    def context_before(self) -> tuple[AddedContext, ...]:
        """What the chunks before it add, in reading order."""
        neighbours: list[AddedContext] = []
        nearer = self.stored.chunk.text
        for stored in reversed(self.before):
            text = stored.chunk.text
            end = len(text) - overlap(text, nearer)
            neighbours.insert(0, AddedContext(stored=stored, start=0, end=end))
            nearer = text
        return tuple(neighbour for neighbour in neighbours if neighbour.text)

    @property
    def context_after(self) -> tuple[AddedContext, ...]:
        """What the chunks behind it add, in reading order."""
        neighbours: list[AddedContext] = []
        nearer = self.stored.chunk.text
        for stored in self.after:
            text = stored.chunk.text
            neighbours.append(
                AddedContext(stored=stored, start=overlap(nearer, text), end=len(text))
            )
            nearer = text
        return tuple(neighbour for neighbour in neighbours if neighbour.text)

    def _repr_html_(self) -> str:
        work, remark = self.stored.citation, self.stored.remark
        place = self.citation or str(self.stored.locator)
        named = self.stored.source_path
        if work:
            more = " et al." if work.more_authors else ""
            named = f"{'; '.join(work.authors)}{more}: {work.title}"
        parts = (place, f"({remark})" if remark else "", named)
        return quotation_html(self.text, " ".join(filter(None, parts)))


def quotation_html(text: str, source: str) -> str:
    """The text quoted above its source, both escaped, for notebooks."""
    paragraphs = "".join(
        f"<p dir='auto'>{escape(part.strip())}</p>" for part in text.split("\n\n") if part.strip()
    )
    return (
        f"<figure><blockquote>{paragraphs}</blockquote>"
        f"<figcaption>{escape(source)}</figcaption></figure>"
    )


def trim(text: str, max_chars: int) -> tuple[str, bool]:
    """`text` cut behind a word to at most `max_chars` characters, and whether it was cut.

    Only a last word longer than half of that is cut within.
    """
    if len(text) <= max_chars:
        return text, False
    words = _WHOLE_WORDS.match(text[:max_chars])
    end = words.end() if words and words.end() > max_chars // 2 else max_chars - 1
    return text[:end].rstrip() + "…", True


def overlap(first: str, second: str) -> int:
    """How many characters the end of one text and the beginning of the next have in common, where
    these are a line or a sentence and no mere coincidence.
    """
    begin = second[:_LEAST_OVERLAP]
    at = first.find(begin, max(len(first) - min(len(second), _LONGEST_OVERLAP), 0))
    while at >= 0 and not second.startswith(first[at:]):
        at = first.find(begin, at + 1)
    return len(first) - at if 0 <= at <= len(first) - _LEAST_OVERLAP else 0


def work_of(stored: StoredChunk) -> str:
    """What a chunk's work is known by: its citekey, or else its document's id."""
    return stored.citation.citekey if stored.citation else stored.chunk.doc_id
