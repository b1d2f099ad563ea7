"""The reports of the use cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citeloom.application.ports.embedders import EmbeddingUsage
from citeloom.application.ports.sources import SkippedFile
from citeloom.domain.chunks.place_chunks import NoisyPart
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrSource, StrategyName
from citeloom.domain.references.matching import ReferenceCandidate
from citeloom.domain.zotero.selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFailure:
    """A document that was not indexed, and why."""

    path: str
    code: str
    message: str
    hint: str = ""

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
    languages: tuple[str, ...]
    source: OcrSource
    pages: int
    poor: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """A document without a reference, and the nearest candidates."""

    path: str
    candidates: tuple[ReferenceCandidate, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedSection:
    """A section of a document of which a `part` was filtered as noise."""

    document: str
    part: NoisyPart

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
    title: str
    citekey: str | None = None
    item_key: str | None = None
    attachment_key: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroReading:
    """What was read from Zotero: the number of `documents`, attachments whose file is `missing`,
    items `without_file`, items `sharing` the file of another item and cited as that one, the
    number of items cited under `made_up_citekeys`, and `flaws`, one sentence each.
    """

    source: str
    selection: ZoteroSelection
    documents: int
    warnings: tuple[str, ...] = ()
    missing: tuple[NamedInZotero, ...] = ()
    without_file: tuple[NamedInZotero, ...] = ()
    sharing: tuple[NamedInZotero, ...] = ()
    made_up_citekeys: int = 0
    flaws: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class ChunkCounts:
    """The chunks of a run.

    `total` are all that were stored, `added` or `rewritten`.
    `rewritten` chunks replaced one with the same id; `removed` ones belonged to an earlier version
    of a document or to a removed one. Of lessons, `chunks_by_type` counts by the section's type and
    `enriched_count` those with injected context. `split_count` is the number of sections (with
    `characters`, of chunks) that were too long and divided. Characters are counted in the body
    text.
    """

    total: int = 0
    added: int = 0
    rewritten: int = 0
    removed: int = 0
    with_heading: int = 0
    filtered: dict[str, int] = field(default_factory=dict)
    chunks_by_type: dict[str, int] = field(default_factory=dict)
    enriched_count: int = 0
    split_count: int = 0
    body_characters: int = 0
    kept_characters: int = 0

    @property
    def body_share(self) -> float:
        """The share of body text that the chunks hold (1.0 where there is none)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingInForce:
    """How a run divides documents: by which strategy, into chunks of at most `max_tokens`, aimed at
    `target_tokens`, and whether tokens are estimated since the model's tokenizer is not available.
    """

    strategy: StrategyName
    max_tokens: int
    target_tokens: tuple[int, int] | None
    token_count_estimated: bool


@dataclass(slots=True, kw_only=True)
class MarkCounts:
    """Counts of annotations, or of notes; `wordless` ones, and those that are `too_long` to
    be a reader's, are not among the `found`.

    `updated` ones got another reference but no new vectors; `deleted` ones were skipped because the
    user had deleted them; `pending` ones are left to a later run.
    """

    found: int = 0
    wordless: int = 0
    too_long: int = 0
    indexed: int = 0
    unchanged: int = 0
    updated: int = 0
    removed: int = 0
    deleted: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldRemoval:
    """The `documents` of a source that were not removed although their files are gone, and why.

    A confirmation removes those that `can_be_confirmed`; the others stay until their source is
    there, or no source any more.
    """

    source: str
    reason: str
    documents: tuple[str, ...]
    can_be_confirmed: bool


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Lists contain documents by their names in the manifest.

    `failed` documents failed in this run; those that `failed_before` were not tried again, since
    nothing changed. `pending` documents are left to a later run; `gone` ones have no file any more;
    those that `left` are no longer in the Zotero selection; removals of either that were `withheld`
    need a confirmation, or their source. `updated` ones got another reference,
    or lost theirs: `references_lost` maps a document to the citekey it was cited as. `deleted` ones
    were skipped because the user had deleted them; `missing` ones had chunks missing from the index
    and are processed again. `moved` ones have a new path, and are also listed as unchanged or
    updated. `notes` are assumptions made during conversion; `chunking` is None
    until a document is chunked. `not_optimized` is why the index, in which all is stored, could
    not be optimised. Of `dropped_sections` a part was filtered as noise. A rebuilt collection is
    `promoted` unless documents are `left_behind` in the old one, of which so many are
    `left_behind_of_other_machines`. Of the sources, `passed_over`
    files are never read, `unreadable` ones lack permission. With a remote model, text went to
    `sends_text_to` in `embed_api_calls`, of `embed_tokens`, which took `embed_seconds` in all,
    while `embed_reused` vectors had been received before; in a dry run these are estimates.
    A project `without_references` has none that a document could be matched with.
    """

    project: str
    collection: str
    models: Mapping[str, str | None]
    run_id: str
    dry_run: bool = False
    found: int = 0
    ignored: int = 0
    other_kinds: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    indexed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    failed: list[DocumentFailure] = field(default_factory=list)
    failed_before: list[DocumentFailure] = field(default_factory=list)
    pruned: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    withheld: list[WithheldRemoval] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    references_lost: dict[str, str] = field(default_factory=dict)
    matched: dict[str, int] = field(default_factory=dict)
    unmatched: list[Unmatched] = field(default_factory=list)
    without_references: bool = False
    page_failures: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    images_read: dict[str, ImagesRead] = field(default_factory=dict)
    reference_diagnostics: tuple[str, ...] = ()
    other_reference_diagnostics: int = 0
    chunks: ChunkCounts = field(default_factory=ChunkCounts)
    dropped_sections: list[DroppedSection] = field(default_factory=list)
    chunking: ChunkingInForce | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    zotero: ZoteroReading | None = None
    marks: dict[str, MarkCounts] = field(default_factory=dict)
    interrupted: bool = False
    not_optimized: str | None = None
    promoted: bool = False
    left_behind: list[str] = field(default_factory=list)
    left_behind_of_other_machines: int = 0
    passed_over: list[SkippedFile] = field(default_factory=list)
    unreadable: list[SkippedFile] = field(default_factory=list)
    sends_text_to: str | None = None
    embed_api_calls: int = 0
    embed_tokens: int = 0
    embed_seconds: float = 0.0
    embed_reused: int = 0

    def embedded(self, usage: EmbeddingUsage) -> None:
        """Add the usage of a remote model."""
        self.embed_api_calls += usage.calls
        self.embed_tokens += usage.tokens
        self.embed_seconds += usage.seconds
        self.embed_reused += usage.reused

    def spend(self, stage: str, seconds: float) -> None:
        """Add to the time of a stage."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
