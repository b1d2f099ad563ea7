"""The report of an ingest: the outcomes of its documents, and totals derived from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass

from citeloom.application.outcomes import (
    ChunkingInForce,
    DocumentFailure,
    DocumentOutcome,
    ImagesRead,
    OutcomeState,
    added,
)
from citeloom.application.ports.embedders import EmbeddingUsage
from citeloom.application.ports.sources import SkippedFile
from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.references.matching import ReferenceCandidate
from citeloom.domain.zotero.selection import ZoteroSelection


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
class NamedInZotero:
    """An item or attachment as shown to users, and the path its file should have."""

    library: str
    """The library's path."""
    title: str
    """The title."""
    citekey: str | None = None
    """Null without one."""
    item_key: str | None = None
    """The item."""
    attachment_key: str | None = None
    """The attachment."""
    path: str | None = None
    """Where the file should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroReading:
    """What was read from Zotero: the number of `documents`, attachments whose file is `missing`,
    items `without_file`, items `sharing` the file of another item and cited as that one, the
    number of items cited under `generated_citekeys`, and `flaws`, one sentence each.
    """

    source: str
    """Where it was read."""
    selection: ZoteroSelection
    """What was selected."""
    documents: int
    """How many."""
    warnings: tuple[str, ...] = ()
    """What is to be known of it."""
    missing: tuple[NamedInZotero, ...] = ()
    """Attachments whose file is not there."""
    without_file: tuple[NamedInZotero, ...] = ()
    """Items without a file."""
    sharing: tuple[NamedInZotero, ...] = ()
    """Attachments sharing a file that is cited as another item."""
    generated_citekeys: int = 0
    """How many items are cited under a generated citekey."""
    flaws: tuple[str, ...] = ()
    """A sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkCounts:
    """The chunks of a run."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldRemoval:
    """The `documents` of a source that were not removed although their files are gone, and why.

    A confirmation removes those that `can_be_confirmed`; the others stay until their source is
    there, or no source any more.
    """

    source: str
    """The source."""
    reason: str
    """Why they stay."""
    documents: tuple[str, ...]
    """Their paths."""
    can_be_confirmed: bool
    """Whether a confirmation removes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Documents are called by their names in the manifest; lists of them are
    in the order in which they were planned.
    """

    project: str
    collection: str
    models: Mapping[str, str | None]
    run_id: str
    dry_run: bool = False
    found: int = 0
    """The number of files in the sources that can be read."""
    ignored: int = 0
    """The number of files of unsupported kinds."""
    other_kinds: Mapping[str, int] = field(default_factory=dict)
    """These, by suffix."""
    passed_over: tuple[SkippedFile, ...] = ()
    """Files of the sources that are never read."""
    unreadable: tuple[SkippedFile, ...] = ()
    """Files of the sources that lack permission."""
    outcomes: Mapping[str, DocumentOutcome] = field(default_factory=dict)
    withheld: tuple[WithheldRemoval, ...] = ()
    """Removals that need a confirmation, or their source."""
    without_references: bool = False
    """The project has no references that a document could be matched with."""
    reference_diagnostics: tuple[str, ...] = ()
    """What is wrong or missing in the references of this run's documents, a sentence each."""
    other_reference_diagnostics: int = 0
    """The number of such sentences on other references."""
    chunks_removed: int = 0
    run_seconds: Mapping[str, float] = field(default_factory=dict)
    """The seconds of storing, which documents share, and of the whole run."""
    zotero: ZoteroReading | None = None
    marks: Mapping[str, MarkCounts] = field(default_factory=dict)
    """Counts of annotations and of notes, by kind."""
    interrupted: bool = False
    not_optimized: str | None = None
    """Why the index, in which all is stored, could not be optimised."""
    promoted: bool = False
    """A rebuilt collection has taken the old one's place."""
    left_behind: tuple[str, ...] = ()
    """Documents of the old collection that would be lost with that, so the old one stays."""
    left_behind_of_other_machines: int = 0
    """The number of those that other machines ingested."""
    sends_text_to: str | None = None
    """The service whose model embeds."""
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    """The usage of that model; in a dry run an estimate."""

    def documents(self, *states: OutcomeState) -> dict[str, DocumentOutcome]:
        """The outcomes of documents in one of these states."""
        return {name: outcome for name, outcome in self.outcomes.items() if outcome.state in states}

    @property
    def pages(self) -> int:
        """The pages of indexed documents."""
        return sum(outcome.pages for outcome in self.documents(OutcomeState.INDEXED).values())

    @property
    def indexed(self) -> list[str]:
        """Documents that were processed and stored."""
        return [*self.documents(OutcomeState.INDEXED)]

    @property
    def unchanged(self) -> list[str]:
        """Documents that needed nothing but, if they `moved`, their new path."""
        return [*self.documents(OutcomeState.UNCHANGED)]

    @property
    def duplicates(self) -> dict[str, str]:
        """Files with the content of another document, which is indexed instead."""
        copies = self.documents(OutcomeState.DUPLICATE)
        return {
            name: outcome.same_as for name, outcome in copies.items() if outcome.same_as is not None
        }

    @property
    def pending(self) -> list[str]:
        """Documents left to a later run."""
        return [*self.documents(OutcomeState.PENDING)]

    @property
    def failed(self) -> list[DocumentFailure]:
        """Why documents failed in this run."""
        outcomes = self.outcomes.values()
        failing = [
            outcome for outcome in outcomes if outcome.state is not OutcomeState.FAILED_BEFORE
        ]
        return [outcome.failure for outcome in failing if outcome.failure is not None]

    @property
    def failed_before(self) -> list[DocumentFailure]:
        """Why documents failed that were not tried again, since nothing changed."""
        outcomes = self.documents(OutcomeState.FAILED_BEFORE).values()
        return [outcome.failure for outcome in outcomes if outcome.failure is not None]

    @property
    def pruned(self) -> list[str]:
        """Documents deleted since their file is gone or no longer selected."""
        return [*self.documents(OutcomeState.PRUNED)]

    @property
    def gone(self) -> list[str]:
        """Documents without a file."""
        return [*self.documents(OutcomeState.WITHOUT_FILE)]

    @property
    def left(self) -> list[str]:
        """Documents that are no longer in the Zotero selection."""
        return [*self.documents(OutcomeState.LEFT)]

    @property
    def deleted(self) -> list[str]:
        """Documents skipped because the user had deleted them."""
        return [*self.documents(OutcomeState.DELETED)]

    @property
    def missing(self) -> list[str]:
        """Documents with chunks missing from the index, which are processed again."""
        return [name for name, outcome in self.outcomes.items() if outcome.was_missing]

    @property
    def moved(self) -> list[str]:
        """Documents with a new path, which are also unchanged or updated."""
        return [name for name, outcome in self.outcomes.items() if outcome.moved]

    @property
    def updated(self) -> list[str]:
        """Documents that were given another reference, or lost theirs."""
        return [name for name, outcome in self.outcomes.items() if outcome.cites_anew]

    @property
    def references_lost(self) -> dict[str, str]:
        """What documents were cited as that have no reference any more."""
        lost = {name: outcome.lost_citekey for name, outcome in self.outcomes.items()}
        return {name: citekey for name, citekey in lost.items() if citekey is not None}

    @property
    def matched(self) -> dict[str, int]:
        """The number of documents whose reference was found, by the way it was found."""
        methods = (outcome.match.by for outcome in self.outcomes.values() if outcome.match)
        return dict(Counter(by.value for by in methods if by is not None))

    @property
    def unmatched(self) -> list[Unmatched]:
        """Documents whose reference was looked for in vain."""
        return [
            Unmatched(path=name, candidates=outcome.match.candidates)
            for name, outcome in self.outcomes.items()
            if outcome.match is not None and outcome.match.by is None
        ]

    @property
    def page_failures(self) -> dict[str, list[str]]:
        """The pages of documents that were not read."""
        named = self.outcomes.items()
        return {name: [*outcome.page_failures] for name, outcome in named if outcome.page_failures}

    @property
    def notes(self) -> dict[str, list[str]]:
        """Assumptions made during conversion, and advice."""
        return {name: [*outcome.notes] for name, outcome in self.outcomes.items() if outcome.notes}

    @property
    def images_read(self) -> dict[str, ImagesRead]:
        """OCR of documents."""
        return {
            name: outcome.images
            for name, outcome in self.outcomes.items()
            if outcome.images is not None
        }

    @property
    def chunks(self) -> ChunkCounts:
        """The chunks of the indexed documents, and those that were removed."""
        stored = self.documents(OutcomeState.INDEXED).values()
        texts = [outcome.text for outcome in stored if outcome.text is not None]
        new = sum(outcome.chunks_added for outcome in stored)
        rewritten = sum(outcome.chunks_rewritten for outcome in stored)
        return ChunkCounts(
            total=new + rewritten,
            added=new,
            rewritten=rewritten,
            removed=self.chunks_removed,
            with_heading=sum(text.with_heading for text in texts),
            filtered=added(text.filtered for text in texts),
            chunks_by_type=added(text.types for text in texts),
            enriched_count=sum(text.enriched for text in texts),
            split_count=sum(text.split for text in texts),
            body_characters=sum(text.body_characters for text in texts),
            kept_characters=sum(text.kept_characters for text in texts),
        )

    @property
    def dropped_sections(self) -> list[DroppedSection]:
        """Sections of indexed documents of which a part was filtered as noise."""
        return [
            DroppedSection(name, part)
            for name, outcome in self.documents(OutcomeState.INDEXED).items()
            for part in (outcome.text.noisy if outcome.text else ())
        ]

    @property
    def chunking(self) -> ChunkingInForce | None:
        """How documents are divided; None if none was."""
        return next(
            (outcome.chunking for outcome in self.outcomes.values() if outcome.chunking), None
        )

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of work by stage, and `total`, those of the run."""
        spent = added((*(outcome.seconds for outcome in self.outcomes.values()), self.run_seconds))
        return {stage: spent[stage] for stage in STAGES if stage in spent}

    @property
    def embed_api_calls(self) -> int:
        """Calls of the remote model."""
        return self.usage.calls

    @property
    def embed_tokens(self) -> int:
        """Tokens sent to the remote model."""
        return self.usage.tokens

    @property
    def embed_seconds(self) -> float:
        """Seconds spent in calls of the remote model."""
        return self.usage.seconds

    @property
    def embed_reused(self) -> int:
        """Vectors that had been received before."""
        return self.usage.reused

    def as_dict(self) -> dict[str, object]:
        """The report as it is written to the audit log and to JSON: every total, plainly."""
        return {name: _plain(getattr(self, name)) for name in RECORDED}


STAGES = ("convert", "match", "chunk", "embed", "store", "total")

RECORDED = (
    *("project", "collection", "models", "run_id", "dry_run", "found", "ignored", "other_kinds"),
    *("pages", "indexed", "unchanged", "duplicates", "pending", "failed", "failed_before"),
    *("pruned", "gone", "left", "withheld", "deleted", "missing", "moved", "updated"),
    *("references_lost", "matched", "unmatched", "without_references", "page_failures", "notes"),
    *("images_read", "reference_diagnostics", "other_reference_diagnostics", "chunks"),
    *("dropped_sections", "chunking", "seconds", "zotero", "marks", "interrupted"),
    *("not_optimized", "promoted", "left_behind", "left_behind_of_other_machines"),
    *("passed_over", "unreadable", "sends_text_to", "embed_api_calls", "embed_tokens"),
    *("embed_seconds", "embed_reused"),
)
"""What a report is recorded with, in order."""


def _plain(value: object) -> object:
    """The value with dataclasses as dictionaries."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
