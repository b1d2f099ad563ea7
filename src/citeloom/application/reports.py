"""What the use cases report: typed, complete, ready to be printed or stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citeloom.application.ports.reference_library import Candidate
from citeloom.application.ports.source_files import PassedOver
from citeloom.domain.errors import CiteloomError
from citeloom.domain.policies import OcrSource
from citeloom.domain.zotero_selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFailure:
    """A document that was not indexed, and why."""

    path: str
    code: str
    message: str
    hint: str = ""

    @classmethod
    def of(cls, path: str, error: CiteloomError) -> DocumentFailure:
        """The failure of a document through an error."""
        return cls(path=path, code=error.code, message=error.message, hint=error.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesRead:
    """The pages of a document that are images: what read them, in which languages, and whence
    these were known; `poor` maps those that were hard to read to the engine's confidence.
    """

    engine: str
    languages: tuple[str, ...]
    source: OcrSource
    pages: int
    poor: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """A document without a reference, and the references that came nearest."""

    path: str
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInZotero:
    """An item or attachment by what a user knows it by, and where its file should be."""

    library: str
    title: str
    citekey: str | None = None
    item_key: str | None = None
    attachment_key: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroReading:
    """What was read of Zotero: how many `documents`, attachments whose file is `missing`, items
    `without_file`, those whose file is another's and cited as that one's (`sharing`), and what is
    wrong, a sentence each.
    """

    source: str
    selection: ZoteroSelection
    documents: int
    warnings: tuple[str, ...] = ()
    missing: tuple[NamedInZotero, ...] = ()
    without_file: tuple[NamedInZotero, ...] = ()
    sharing: tuple[NamedInZotero, ...] = ()
    flaws: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class ChunkCounts:
    """What became of the chunks of a run.

    `rewritten` were stored before under the same id; `removed` belonged to an earlier state of a
    document or to one that is gone. Characters are those of the documents' bodies.
    """

    added: int = 0
    rewritten: int = 0
    removed: int = 0
    with_heading: int = 0
    filtered: dict[str, int] = field(default_factory=dict)
    body_characters: int = 0
    kept_characters: int = 0

    @property
    def body_share(self) -> float:
        """The share of body text that the chunks hold (1.0 where there is none)."""
        return self.kept_characters / self.body_characters if self.body_characters else 1.0


@dataclass(slots=True, kw_only=True)
class MarkCounts:
    """What became of annotations, or of notes: how many were `found`, those without words apart.

    `updated` ones got another reference and no new vectors; `deleted` ones were found and left out,
    since the user deleted them; `pending` ones wait for a later run.
    """

    found: int = 0
    wordless: int = 0
    indexed: int = 0
    unchanged: int = 0
    updated: int = 0
    removed: int = 0
    deleted: int = 0
    pending: int = 0


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Lists hold the documents' names in the manifest.

    `pending` documents wait for a later run; `gone` ones have no file any more, those that `left`
    are no longer in the Zotero selection. `deleted` ones were found and left out, since the user
    deleted them; `missing` ones were in the index no more and are done again. `moved` ones lie
    elsewhere than before and are listed as unchanged or updated, too. `notes` say what was assumed
    of a document to convert it. A rebuilt collection is `promoted` unless documents would be
    `left_behind` in the old one. Below the sources, `passed_over` was what is never read, and
    `unreadable` what may not be looked at.
    """

    project: str
    collection: str
    models: Mapping[str, str | None]
    run_id: str
    dry_run: bool = False
    found: int = 0
    ignored: int = 0
    pages: int = 0
    indexed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    duplicates: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    failed: list[DocumentFailure] = field(default_factory=list)
    pruned: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    matched: dict[str, int] = field(default_factory=dict)
    unmatched: list[Unmatched] = field(default_factory=list)
    page_failures: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    images_read: dict[str, ImagesRead] = field(default_factory=dict)
    reference_diagnostics: tuple[str, ...] = ()
    chunks: ChunkCounts = field(default_factory=ChunkCounts)
    seconds: dict[str, float] = field(default_factory=dict)
    zotero: ZoteroReading | None = None
    marks: dict[str, MarkCounts] = field(default_factory=dict)
    interrupted: bool = False
    promoted: bool = False
    left_behind: list[str] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)
    unreadable: list[PassedOver] = field(default_factory=list)

    def spend(self, stage: str, seconds: float) -> None:
        """Add to the time a stage took."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
