"""The report of an ingest: the outcome of each document, and totals derived from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from citeloom.application.ports.embedders import EmbeddingUsage
from citeloom.application.ports.sources import SkippedFile
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.documents.manifest import WithheldRemoval
from citeloom.domain.documents.metadata import MetadataValue
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrSource
from citeloom.domain.references.reference_matcher import ReferenceCandidate, ReferenceMatch
from citeloom.domain.zotero.selection import ZoteroReading

# What a run did with one document.


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


_Number = TypeVar("_Number", int, float)


def added(counts: Iterable[Mapping[str, _Number]]) -> dict[str, _Number]:
    """Counts by name, added up."""
    total: dict[str, _Number] = {}
    for count in counts:
        for name, number in count.items():
            total[name] = total.get(name, 0) + number
    return total


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkCounts:
    """The chunks of a document, or of a run."""

    total: int = 0
    """Chunks stored, added or rewritten."""
    added: int = 0
    """Chunks that are new."""
    rewritten: int = 0
    """Chunks that replaced one with the same id."""
    removed: int = 0
    """Chunks of an earlier version of a document, or of a removed one."""
    with_heading: int = 0
    """Chunks below a heading."""
    filtered: Mapping[str, int] = field(default_factory=dict)
    """Text that became no chunk, counted by reason."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Words that are in no chunk on purpose by kind: `header`, `footer`, `margin`, `contents`,
    `label`, the numbers and lone letters of figures and at lines, `field` and `annotation`, what
    is filled in or remarked and not drawn among the text, and of web pages `navigation` and
    `unseen`, what they do not show at first.
    """
    chunks_by_type: Mapping[str, int] = field(default_factory=dict)
    """Chunks of lessons, counted by the type of their section."""
    enriched_count: int = 0
    """Chunks with injected context."""
    split_count: int = 0
    """Sections (with `characters`, chunks) that were too long and divided."""
    body_characters: int = 0
    """Characters of the body text."""
    kept_characters: int = 0
    """Characters of the body text that are in chunks."""

    @property
    def body_share(self) -> float:
        """The share of body text that the chunks hold (1.0 where there is none)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0

    def __add__(self, other: ChunkCounts) -> ChunkCounts:
        sums: dict[str, Any] = {}
        for name in (each.name for each in fields(self)):
            count, more = getattr(self, name), getattr(other, name)
            sums[name] = added((count, more)) if isinstance(count, Mapping) else count + more
        return ChunkCounts(**sums)


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
    was_indexed: bool = False
    """It was in the index before."""
    citekey: str | None = None
    """What it is cited as, or was when it was removed; of one that the run changed."""
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
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    """The front matter that could be read."""
    chunking: ChunkingInForce | None = None
    unread_language: str | None = None
    """The language of its text, where the dense model was trained on another."""
    chunks: ChunkCounts = field(default_factory=ChunkCounts)
    """Of a document that was stored."""
    noisy: tuple[NoisyPart, ...] = ()
    """Parts of sections filtered as noise, likewise."""
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
            metadata=work.metadata,
            chunking=work.chunking or self.chunking,
            unread_language=work.unread_language,
            seconds=added((self.seconds, work.seconds)),
        )


# What a run did.


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """A document without a reference, and the nearest candidates."""

    path: str
    """The document."""
    candidates: tuple[ReferenceCandidate, ...] = ()
    """The nearest references."""


@dataclass(frozen=True, slots=True)
class DroppedSection:
    """A section of a document of which a `part` was filtered as noise."""

    document: str
    """The document."""
    part: NoisyPart
    """What was filtered."""

    @property
    def place(self) -> str:
        """The document, the page if there is one, and the headings."""
        page = f"p. {self.part.page}" if self.part.page else ""
        heading = " > ".join(self.part.section_path) or "before the first heading"
        return "  ".join(filter(None, (self.document, page, heading)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkCounts:
    """Counts of annotations, or of notes."""

    found: int = 0
    """How many there are."""
    wordless: int = 0
    """Those without text, which are not found."""
    too_long: int = 0
    """Those too long to be a reader's, which are not found."""
    indexed: int = 0
    """Newly stored."""
    unchanged: int = 0
    """Stored already."""
    updated: int = 0
    """Those that got another reference but no new vectors."""
    removed: int = 0
    """No longer in Zotero."""
    deleted: int = 0
    """Those skipped because the user had deleted them."""
    pending: int = 0
    """Those left to a later run."""

    @property
    def changed(self) -> int:
        """How many of those in the index are not what they were before."""
        return self.indexed + self.updated + self.removed


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationOutcome:
    """What became of a calibration that was due at the end of a run."""

    chunks: int = 0
    """How many chunks the library had."""
    seconds: float = 0.0
    """How long it took."""
    thresholds: Thresholds | None = None
    """The evidence from which a question is related and answered; null without a calibration."""
    reason: str = ""
    """Why there is none: then the thresholds stay as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Documents are called by their names in the manifest; lists of them are
    in the order in which they were planned.
    """

    project: str
    """The project."""
    collection: str
    """Its collection."""
    models: Mapping[str, str | None]
    """The models the collection is bound to."""
    run_id: str
    """A name for this run, as in the log."""
    dry_run: bool = False
    """Whether nothing was changed."""
    sources: tuple[str, ...] = ()
    """The files and folders that were searched; none of Zotero."""
    found: int = 0
    """How many files in the sources can be read."""
    ignored: int = 0
    """How many files are of other kinds."""
    other_kinds: Mapping[str, int] = field(default_factory=dict)
    """How many, by suffix."""
    passed_over: tuple[SkippedFile, ...] = ()
    """Pipes, devices, and links out of a source, which are never read."""
    unreadable: tuple[SkippedFile, ...] = ()
    """What below a source lacks permission."""
    outcomes: Mapping[str, DocumentOutcome] = field(default_factory=dict)
    """By document, what the run did with it."""
    withheld: tuple[WithheldRemoval, ...] = ()
    """Removals that need a confirmation, or their source."""
    without_references: bool = False
    """Whether the project has no references that a document could be matched with."""
    reference_diagnostics: tuple[str, ...] = ()
    """Remarks on the references of this run's documents, and on the file as a whole."""
    other_reference_diagnostics: int = 0
    """The number of remarks on other references, which `validate` names."""
    chunks_removed: int = 0
    run_seconds: Mapping[str, float] = field(default_factory=dict)
    """The seconds of storing, which documents share, and of the whole run."""
    zotero: ZoteroReading | None = None
    """Null unless Zotero was read."""
    marks: Mapping[str, MarkCounts] = field(default_factory=dict)
    """By `annotation` and `note`."""
    interrupted: bool = False
    """Whether the run was stopped."""
    not_optimized: str | None = None
    """Why the index in which everything is stored could not be optimised."""
    calibration: CalibrationOutcome | None = None
    """Null where none was due: the library had changed by no more than a tenth since the last."""
    promoted: bool = False
    """Whether a rebuilt collection took the place of the old one."""
    left_behind: tuple[str, ...] = ()
    """Documents that a rebuilt collection lacks, so that the old one stays."""
    left_behind_of_other_machines: int = 0
    """How many of them are other machines'."""
    sends_text_to: str | None = None
    """The address of a remote model."""
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    """The usage of that model; in a dry run an estimate."""

    def documents(self, *states: OutcomeState) -> dict[str, DocumentOutcome]:
        """The outcomes of documents in one of these states."""
        return {name: outcome for name, outcome in self.outcomes.items() if outcome.state in states}

    @property
    def pages(self) -> int:
        """How many pages the indexed documents have."""
        return sum(outcome.pages for outcome in self.documents(OutcomeState.INDEXED).values())

    @property
    def indexed(self) -> list[str]:
        """Documents that were indexed."""
        return [*self.documents(OutcomeState.INDEXED)]

    @property
    def unchanged(self) -> list[str]:
        """Documents that needed nothing but, if they `moved`, their new path."""
        return [*self.documents(OutcomeState.UNCHANGED)]

    @property
    def duplicates(self) -> dict[str, str]:
        """By path the file with the same content, which is indexed instead."""
        copies = self.documents(OutcomeState.DUPLICATE)
        return {name: copy.same_as for name, copy in copies.items() if copy.same_as is not None}

    @property
    def pending(self) -> list[str]:
        """Documents left to a later run; in a dry run, what would be indexed."""
        return [*self.documents(OutcomeState.PENDING)]

    @property
    def failed(self) -> list[DocumentFailure]:
        """Documents that failed in this run."""
        return [
            outcome.failure
            for outcome in self.outcomes.values()
            if outcome.failure is not None and outcome.state is not OutcomeState.FAILED_BEFORE
        ]

    @property
    def failed_before(self) -> list[DocumentFailure]:
        """Documents that failed before, and were not tried again, since nothing changed."""
        outcomes = self.documents(OutcomeState.FAILED_BEFORE).values()
        return [outcome.failure for outcome in outcomes if outcome.failure is not None]

    @property
    def not_indexed(self) -> list[DocumentFailure]:
        """`failed` and `failed_before`."""
        return self.failed + self.failed_before

    @property
    def pruned(self) -> list[str]:
        """Documents deleted since their file is gone or no longer selected."""
        return [*self.documents(OutcomeState.PRUNED)]

    @property
    def gone(self) -> list[str]:
        """Documents whose file is gone, and that were kept."""
        return [*self.documents(OutcomeState.WITHOUT_FILE)]

    @property
    def left(self) -> list[str]:
        """Documents that are no longer in the Zotero selection."""
        return [*self.documents(OutcomeState.LEFT)]

    @property
    def deleted(self) -> list[str]:
        """Documents left out since they were deleted before."""
        return [*self.documents(OutcomeState.DELETED)]

    @property
    def missing(self) -> list[str]:
        """Documents with chunks missing from the index, which are processed again."""
        return [name for name, outcome in self.outcomes.items() if outcome.was_missing]

    @property
    def moved(self) -> list[str]:
        """Documents whose file was moved, which are also unchanged or updated."""
        return [name for name, outcome in self.outcomes.items() if outcome.moved]

    @property
    def updated(self) -> list[str]:
        """Documents that were given another reference, or lost theirs."""
        return [name for name, outcome in self.outcomes.items() if outcome.cites_anew]

    @property
    def changes(self) -> dict[str, list[str]]:
        """The documents that were `added`, `changed` (their text, reference or path) and `removed`,
        each with its citekey.
        """
        changes: dict[str, list[str]] = {"added": [], "changed": [], "removed": []}
        for name, outcome in self.outcomes.items():
            kind = "changed" if outcome.was_indexed or outcome.cites_anew or outcome.moved else ""
            if outcome.state is OutcomeState.INDEXED:
                kind = kind or "added"
            elif outcome.state is OutcomeState.PRUNED:
                kind = "removed"
            if kind:
                cited = f"@{outcome.citekey}  " if outcome.citekey else ""
                changes[kind].append(f"{cited}{name}")
        return changes

    @property
    def references_lost(self) -> dict[str, str]:
        """By document that has no reference any more, the citekey it had."""
        lost = {name: outcome.lost_citekey for name, outcome in self.outcomes.items()}
        return {name: citekey for name, citekey in lost.items() if citekey is not None}

    @property
    def matched(self) -> dict[str, int]:
        """How many references were matched, by way."""
        methods = (outcome.match.by for outcome in self.outcomes.values() if outcome.match)
        return dict(Counter(by.value for by in methods if by is not None))

    @property
    def unmatched(self) -> list[Unmatched]:
        """Documents whose reference was looked for in vain, with the nearest."""
        return [
            Unmatched(path=name, candidates=outcome.match.candidates)
            for name, outcome in self.outcomes.items()
            if outcome.match is not None and outcome.match.by is None
        ]

    @property
    def page_failures(self) -> dict[str, list[str]]:
        """By document, pages that could not be read as they should."""
        named = self.outcomes.items()
        return {name: [*outcome.page_failures] for name, outcome in named if outcome.page_failures}

    @property
    def notes(self) -> dict[str, list[str]]:
        """By document, assumptions made during conversion, and advice."""
        return {name: [*outcome.notes] for name, outcome in self.outcomes.items() if outcome.notes}

    @property
    def images_read(self) -> dict[str, ImagesRead]:
        """By document with pages that are images."""
        named = self.outcomes.items()
        return {name: outcome.images for name, outcome in named if outcome.images is not None}

    @property
    def chunks(self) -> ChunkCounts:
        """How many chunks the indexed documents have, and how many were removed."""
        stored = self.documents(OutcomeState.INDEXED).values()
        counts = (outcome.chunks for outcome in stored)
        return sum(counts, ChunkCounts(removed=self.chunks_removed))

    @property
    def dropped_sections(self) -> list[DroppedSection]:
        """Sections of indexed documents of which a part was filtered as noise."""
        return [
            DroppedSection(name, part)
            for name, outcome in self.documents(OutcomeState.INDEXED).items()
            for part in outcome.noisy
        ]

    @property
    def chunking(self) -> ChunkingInForce | None:
        """How documents are divided; null until one was."""
        chunkings = (outcome.chunking for outcome in self.outcomes.values())
        return next(filter(None, chunkings), None)

    @property
    def unread_languages(self) -> dict[str, int]:
        """How many indexed documents are in each language that the dense model was not trained on,
        by its code, most first; one in Cyrillic or Arabic script counts as Russian or Arabic.
        """
        indexed = self.documents(OutcomeState.INDEXED).values()
        languages = Counter(outcome.unread_language for outcome in indexed)
        return {code: number for code, number in languages.most_common() if code is not None}

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of work by stage, and `total`, those of the run."""
        spent = added((*(outcome.seconds for outcome in self.outcomes.values()), self.run_seconds))
        return {stage: spent[stage] for stage in STAGES if stage in spent}

    @property
    def embed_api_calls(self) -> int:
        """Calls of a remote model; in a dry run those that would be made, as below."""
        return self.usage.calls

    @property
    def embed_tokens(self) -> int:
        """As the service counts them, else by estimate."""
        return self.usage.tokens

    @property
    def embed_seconds(self) -> float:
        """In calls, those at once each counted."""
        return self.usage.seconds

    @property
    def embed_reused(self) -> int:
        """Vectors received by an earlier run."""
        return self.usage.reused

    def as_dict(self) -> dict[str, object]:
        """The report as it is written to the audit log: every total, plainly."""
        return {name: _plain(getattr(self, name)) for name in RECORDED}


STAGES = ("convert", "match", "chunk", "embed", "store", "total")

RECORDED = (
    *("project", "collection", "models", "run_id", "dry_run", "sources"),
    *("found", "ignored", "other_kinds", "pages", "indexed", "unchanged", "duplicates"),
    *("pending", "failed", "failed_before"),
    *("pruned", "gone", "left", "withheld", "deleted", "missing", "moved", "updated"),
    *("references_lost", "matched", "unmatched", "without_references", "page_failures", "notes"),
    *("images_read", "reference_diagnostics", "other_reference_diagnostics", "chunks"),
    *(
        "dropped_sections",
        "chunking",
        "unread_languages",
        "seconds",
        "zotero",
        "marks",
        "interrupted",
    ),
    *("not_optimized", "calibration", "promoted", "left_behind", "left_behind_of_other_machines"),
    *("passed_over", "unreadable", "sends_text_to", "embed_api_calls", "embed_tokens"),
    *("embed_seconds", "embed_reused", "not_indexed"),
)
"""What a report is given and recorded with, in order: its fields and totals."""


def _plain(value: object) -> object:
    """The value with dataclasses as dictionaries."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
