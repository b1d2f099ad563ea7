"""The events of a run, from which its report is made and its progress is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citeloom.application.ports.embedders import EmbeddingUsage
from citeloom.application.ports.sources import SkippedFile
from citeloom.application.reports import (
    ChunkingInForce,
    DocumentFailure,
    ImagesRead,
    WithheldRemoval,
)
from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.references.matching import MatchedBy, ReferenceCandidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The run was planned; every name is that of a document."""

    found: int
    ignored: int
    unchanged: tuple[str, ...]
    without_file: tuple[str, ...]
    left: tuple[str, ...]
    pending: tuple[str, ...]
    deleted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    other_kinds: Mapping[str, int] = field(default_factory=dict)
    failed_before: tuple[DocumentFailure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Files below the sources that are `skipped`, and those that are `unreadable`."""

    skipped: tuple[SkippedFile, ...]
    unreadable: tuple[SkippedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A document was converted, or its cached conversion was used."""

    document: str
    seconds: float
    pages: int
    notes: tuple[str, ...] = ()
    page_failures: tuple[str, ...] = ()
    images: ImagesRead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """A document has its reference, or none; `advice` says how its images are better read."""

    document: str
    seconds: float
    by: MatchedBy | None
    candidates: tuple[ReferenceCandidate, ...] = ()
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunked:
    """A document has its chunks, made in this way."""

    document: str
    seconds: float
    chunks: int
    chunking: ChunkingInForce


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """So many more chunks of a document have their vectors."""

    document: str
    seconds: float
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceUsed:
    """Further usage of a remote model, or in a dry run its estimate."""

    usage: EmbeddingUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkedText:
    """How much of a document became chunks; `filtered` counts by reason what did not.

    `types` counts the chunks of a lesson by type, `enriched` those with injected context, `split`
    the sections that were divided; `noisy` are the parts of sections filtered as noise.
    """

    chunks: int
    with_heading: int
    filtered: Mapping[str, int]
    body_characters: int
    kept_characters: int
    types: Mapping[str, int] = field(default_factory=dict)
    enriched: int = 0
    split: int = 0
    noisy: tuple[NoisyPart, ...] = ()

    @property
    def body_share(self) -> float:
        """The share of the body that is in chunks (1.0 where there is no body)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Chunks were written to the index, and flushed, in so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentStored:
    """A document is safe in the index and recorded; `rewritten` chunks were there before, and it
    was `cited_as` the citekey.
    """

    document: str
    citekey: str | None
    cited_as: str | None
    pages: int
    text: ChunkedText
    added: int
    rewritten: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Chunks were deleted from the index."""

    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A document was not indexed; `seconds` are those of work that no other event has reported."""

    failure: DocumentFailure
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAlike:
    """Documents were not tried, for others of the same content failed."""

    failures: tuple[DocumentFailure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicated:
    """Files have the same content as others, which are indexed instead."""

    duplicates: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Documents have a new path."""

    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """A document that was `cited_as` a citekey has another reference, or none any more; its text
    and vectors stay.
    """

    document: str
    citekey: str | None
    cited_as: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """A document was matched again and keeps its reference."""

    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """Documents were taken out of the index because their file is gone or no longer selected."""

    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """Removals were withheld, since they need a confirmation or their source."""

    removals: tuple[WithheldRemoval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOptimized:
    """Everything is stored, but the index could not be optimised."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """What is wrong or missing in the references of this run's documents, a sentence each, and the
    number of such sentences on `others`.
    """

    diagnostics: tuple[str, ...]
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The run was stopped with work left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A new collection was filled; it takes the old one's place unless documents were left, of
    which so many are `of_others`, that is of other machines.
    """

    not_rebuilt: tuple[str, ...]
    of_others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over."""

    seconds: float
