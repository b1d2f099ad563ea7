"""What a run did with one document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrSource
from citeloom.domain.references.matching import ReferenceMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFailure:
    """A document that was not indexed, and why."""

    path: str
    """The document."""
    code: str
    """What it means stands in [errors.md](errors.md)."""
    message: str
    """What went wrong."""
    hint: str = ""
    """The next step."""

    @classmethod
    def of(cls, path: str, error: CiteloomError) -> DocumentFailure:
        """The failure that an error caused."""
        return cls(path=path, code=error.code, message=error.message, hint=error.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesRead:
    """OCR of a document: the engine, the languages and their source, and the number of pages;
    `poor` maps pages with low confidence to that confidence.
    """

    engine: str
    """The OCR engine."""
    languages: tuple[str, ...]
    """Those it read."""
    source: OcrSource
    """Where they are from."""
    pages: int
    """How many."""
    poor: Mapping[int, float]
    """The confidence of pages that are hard to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingInForce:
    """How a run divides documents: by which strategy, into chunks of at most `max_tokens`, aimed at
    `target_tokens`, and whether tokens are estimated since the model's tokenizer is not available.
    """

    strategy: str
    """How documents are divided."""
    max_tokens: int
    """The limit of a chunk."""
    target_tokens: tuple[int, int] | None
    """What chunks are aimed at; null without such."""
    token_count_estimated: bool
    """Whether tokens are estimates."""


class OutcomeState(StrEnum):
    """How a run left a document."""

    PENDING = "pending"
    """Left to a later run."""
    INDEXED = "indexed"
    """Processed and stored by this run."""
    UNCHANGED = "unchanged"
    """In the index as it would be put there now."""
    UPDATED = "updated"
    """Given another reference, or none any more; its text and vectors stay."""
    FAILED = "failed"
    """Tried by this run."""
    FAILED_BEFORE = "failed before"
    """Not tried again, since nothing changed."""
    DUPLICATE = "duplicate"
    """Of the same content as another, which is indexed instead."""
    DELETED = "deleted"
    """Skipped because the user had deleted it."""
    WITHOUT_FILE = "without file"
    """Its file is gone."""
    LEFT = "left"
    """No longer in the Zotero selection."""
    PRUNED = "pruned"
    """Deleted by this run, since its file is gone or no longer selected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedText:
    """How much of a document became chunks."""

    chunks: int
    with_heading: int
    filtered: Mapping[str, int]
    """What became none, counted by reason."""
    body_characters: int
    kept_characters: int
    """Characters of the body that are in chunks."""
    types: Mapping[str, int] = field(default_factory=dict)
    """Chunks of a lesson, counted by type."""
    enriched: int = 0
    """Chunks with injected context."""
    split: int = 0
    """Sections that were too long and divided."""
    noisy: tuple[NoisyPart, ...] = ()
    """Parts of sections filtered as noise."""

    @property
    def body_share(self) -> float:
        """The share of the body that is in chunks (1.0 where there is no body)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """What a run did with one document."""

    state: OutcomeState = OutcomeState.PENDING
    failure: DocumentFailure | None = None
    same_as: str | None = None
    """The document of the same content that is indexed instead."""
    was_missing: bool = False
    """Chunks of it were missing from the index, so it is processed again."""
    moved: bool = False
    """It has a new path."""
    cites_anew: bool = False
    """It was given another reference, or lost its own, without being processed."""
    lost_citekey: str | None = None
    """What it was cited as, where it has no reference any more."""
    pages: int = 0
    match: ReferenceMatch | None = None
    """The reference looked for in this run; None if none was looked for."""
    notes: tuple[str, ...] = ()
    """Assumptions made during conversion, and advice."""
    page_failures: tuple[str, ...] = ()
    """Pages that were not read."""
    images: ImagesRead | None = None
    chunking: ChunkingInForce | None = None
    text: ChunkedText | None = None
    """Of a document that was stored."""
    chunks_added: int = 0
    chunks_rewritten: int = 0
    """Chunks that replaced one with the same id."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds of work by stage."""

    def spent(self, stage: str, seconds: float) -> DocumentOutcome:
        """The outcome with more time of a stage."""
        return replace(self, seconds=added((self.seconds, {stage: seconds})))

    def prepared_as(self, work: DocumentOutcome) -> DocumentOutcome:
        """The outcome with what preparing the document brought, as the outcome `work` has it."""
        return replace(
            self,
            pages=work.pages,
            match=work.match,
            notes=work.notes,
            page_failures=work.page_failures,
            images=work.images,
            chunking=work.chunking or self.chunking,
            seconds=added((self.seconds, work.seconds)),
        )


_Number = TypeVar("_Number", int, float)


def added(counts: Iterable[Mapping[str, _Number]]) -> dict[str, _Number]:
    """Counts by name, added up."""
    total: dict[str, _Number] = {}
    for count in counts:
        for name, number in count.items():
            total[name] = total.get(name, 0) + number
    return total
