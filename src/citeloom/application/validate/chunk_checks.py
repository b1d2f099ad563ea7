"""Checks of a single stored chunk: each returns what is wrong with it, or an empty text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from citeloom.domain.chunks.chunk import ChunkKind, chunk_id, point_id_of
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.documents.quality import garbled_share, label_share
from citeloom.domain.errors import InvalidPointId
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.passage import ExaminedChunk, StoredChunk
from citeloom.domain.validation import Severity, ValidationPolicy

# What validation finds.


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault, the check that found it, and how to fix it.

    `subject` is the document's path, or its id where it has none. `count` is how many of its
    chunks are concerned, `chunks` the ids of the first of them.
    """

    check: str
    """The check."""
    message: str
    """What is wrong."""
    severity: Severity = Severity.ERROR
    """How bad it is."""
    subject: str = ""
    """A document's path, its id where it has none, or empty."""
    hint: str = ""
    """The next step."""
    count: int = 0
    """How many chunks are concerned."""
    chunks: tuple[str, ...] = ()
    """The ids of the first five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDocument:
    """A document's size and its number of findings."""

    path: str
    """The file."""
    doc_id: str
    """By its content."""
    citekey: str | None
    """That of its reference."""
    pages: int
    """How many."""
    chunks: int
    """How many."""
    errors: int
    """How many."""
    warnings: int
    """How many."""
    infos: int
    """How many."""
    citekey_generated: bool = False
    """Whether the citekey was generated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """The checks that ran, in order, and their findings."""

    project: str
    """The project."""
    checks: tuple[str, ...]
    """Those that ran ([what they mean](../ci.md))."""
    findings: tuple[Finding, ...]
    """What is wrong."""
    documents: int
    """How many, without the copies of others."""
    chunks: int
    """How many."""
    by_document: tuple[CheckedDocument, ...] = ()
    """Each document with its number of findings."""
    strict: bool = False
    """Whether warnings fail it, too."""
    sends_text_to: str | None = None
    """The address of a remote model."""
    of_other_machines: int = 0
    """How many documents other machines ingested."""

    def fails(self, finding: Finding) -> bool:
        """Whether this finding alone fails validation."""
        failing = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return finding.severity in failing

    @property
    def passed(self) -> bool:
        """Whether no finding fails validation."""
        return not any(map(self.fails, self.findings))


_MOST_OF_A_TITLE = 20
"""A chunk's id may be that of the second section of its title, or of one up to here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkLimits:
    """The limits a chunk is checked against."""

    bound: Collection
    chunking: ChunkingPolicy
    window: int
    policy: ValidationPolicy
    point_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedChunk:
    """A readable chunk with the token counts of its text and of the whole model input."""

    stored: StoredChunk
    text_tokens: int
    read_tokens: int
    entry: ManifestEntry | None
    limits: ChunkLimits

    @property
    def may_be_short(self) -> bool:
        """Whether it is a mark, hidden, or its document's only chunk, kept at any length; one of a
        document that another machine lists may be such.
        """
        alone = self.entry is None or self.entry.chunks == 1
        chunk = self.stored.chunk
        return alone or chunk.mark is not None or chunk.kind is ChunkKind.HIDDEN

    @property
    def size(self) -> int:
        """The larger of the counted and the stored number of model input tokens."""
        return max(self.read_tokens, self.stored.chunk.token_count)


ChunkCheck = Callable[[CountedChunk], str]


def _id(counted: CountedChunk) -> str:
    chunk, template = counted.stored.chunk, counted.limits.point_id
    if template is not None and chunk.mark is None:
        metadata = counted.stored.metadata
        try:
            sections = range(1, _MOST_OF_A_TITLE)
            ids = [point_id_of(template, chunk, metadata, section) for section in sections]
        except InvalidPointId as error:
            return error.message
        return "" if chunk.id in ids else f"point_id gives it the id {ids[0]}"
    right = chunk_id(
        doc_id=chunk.doc_id,
        page_span=chunk.page_span,
        section_path=chunk.section_path,
        embedding_model=counted.limits.bound.dense_model,
        index=chunk.chunk_idx,
    )
    return "" if chunk.id == right else f"its place gives it the id {right}"


def _citation(counted: CountedChunk) -> str:
    citation = counted.stored.citation
    carried, expected = citation and citation.citekey, counted.entry and counted.entry.citekey
    if counted.entry is None or carried == expected:
        return ""
    return f"carries {carried or 'no citekey'}, but the manifest names {expected or 'none'}"


def _pages(counted: CountedChunk) -> str:
    span, pages = counted.stored.chunk.page_span, counted.entry.pages if counted.entry else 0
    last = span[1] if span else 0
    return f"ends on page {last} of a document of {pages}" if 0 < pages < last else ""


def _length(counted: CountedChunk) -> str:
    chunk = counted.stored.chunk
    is_section = chunk.kind is ChunkKind.TEXT and bool(chunk.section_path)
    least = counted.limits.chunking.least_tokens(is_section=is_section)
    most = counted.limits.chunking.size
    if counted.text_tokens < least and not (
        counted.may_be_short or counted.limits.chunking.keeps_short
    ):
        return f"has {counted.text_tokens} tokens, fewer than {least}"
    return (
        f"has {counted.size} tokens, more than {most}"
        if most < counted.size <= counted.limits.window
        else ""
    )


def _window(counted: CountedChunk) -> str:
    if counted.size <= counted.limits.window:
        return ""
    window = counted.limits.window
    return f"has {counted.size} tokens, but the model reads {window}: its end is not searchable"


def _signal(counted: CountedChunk) -> str:
    signal, least = (
        counted.stored.chunk.signal_to_noise,
        counted.limits.chunking.min_signal_to_noise,
    )
    if counted.may_be_short:
        return ""
    return f"has a signal-to-noise of {signal:.2f}, less than {least}" if signal < least else ""


def _encoding(counted: CountedChunk) -> str:
    share, most = garbled_share(counted.stored.chunk.text), counted.limits.policy.max_garbled_share
    return f"{share:.1%} of it could not be decoded, more than {most:.1%}" if share > most else ""


def _labels(counted: CountedChunk) -> str:
    chunk, most = counted.stored.chunk, counted.limits.policy.max_label_share
    if chunk.kind is not ChunkKind.TEXT or counted.may_be_short:
        return ""
    share = label_share(chunk.text)
    return f"{share:.0%} of its words are numbers or single letters" if share > most else ""


def _hidden(counted: CountedChunk) -> str:
    chunk = counted.stored.chunk
    if chunk.kind is not ChunkKind.HIDDEN:
        return ""
    return (
        f"{len(chunk.text.split())} words ({chunk.text[:40]!r}…) are in the file and not to be seen"
    )


CHUNK_CHECKS: Mapping[str, ChunkCheck] = {
    "models": lambda counted: (
        ""
        if counted.stored.embed_model == counted.limits.bound.dense_model
        else f"was embedded with {counted.stored.embed_model}"
    ),
    "citation": _citation,
    "id": _id,
    "pages": _pages,
    "length": _length,
    "window": _window,
    "signal": _signal,
    "labels": _labels,
    "encoding": _encoding,
    "hidden": _hidden,
}
"""Checks of chunks that can be read."""


def faults_of(examined: ExaminedChunk, limits: ChunkLimits) -> Iterator[tuple[str, str]]:
    """Check and message for each fault of a chunk, readable or not."""
    if not examined.text.strip():
        yield "empty", "has no text"
    elif examined.faults:
        yield "payload", "; ".join(examined.faults)
    if wrong := _dense(examined, limits):
        yield "vectors", wrong
    if wrong := _sparse(examined, limits):
        yield "sparse", wrong


def _dense(examined: ExaminedChunk, limits: ChunkLimits) -> str:
    if not examined.dense:
        return "has no dense vector"
    if len(examined.dense) != limits.bound.dimension:
        return f"has a vector of {len(examined.dense)} dimensions, not {limits.bound.dimension}"
    norm = math.sqrt(sum(x * x for x in examined.dense))
    if norm == 0 or not abs(norm - 1) <= limits.policy.max_norm_deviation:
        return f"has a vector of length {norm:.3g}, not 1"
    return ""


def _sparse(examined: ExaminedChunk, limits: ChunkLimits) -> str:
    if not limits.bound.hybrid:
        return ""
    if examined.sparse is None:
        return "has no sparse vector"
    if not any(examined.sparse.values):
        return "has a sparse vector without a word"
    finite = all(map(math.isfinite, examined.sparse.values))
    return "" if finite else "has a sparse vector with a weight that is not a number"
