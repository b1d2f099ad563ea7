"""The evidence for the citations of drafts, as a bundle keeps it, and what has changed since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from citeloom.domain.manuscript.verdicts import CitationVerdict, Reason

EVIDENCE = "passages.json"
"""The file of a bundle that has its evidence."""
FORMAT = 1
"""Goes up whenever a bundle of before can no longer be replayed."""


class FileState(StrEnum):
    """What has become of a source file since it was indexed."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"


class NoPicture(StrEnum):
    """Why there is no picture of a page."""

    NO_PASSAGE = "no_passage"
    NO_PAGES = "no_pages"
    FILE_CHANGED = "file_changed"
    FILE_GONE = "file_gone"
    NOT_DRAWN = "not_drawn"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledDraft:
    """A draft: the bundle has its evidence, and not the draft itself."""

    name: str
    """Its path from the folder that all drafts are in."""
    sha256: str
    """That of the file."""
    citations: int
    """How many it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledSource:
    """The file of a cited work. The bundle has its hash, and not the file."""

    doc_id: str
    """The document."""
    citekey: str | None
    """That of the work; null for a document without a reference."""
    title: str
    """That of the reference; may be empty."""
    authors: tuple[str, ...]
    """Likewise."""
    year: int | None
    """Likewise."""
    doi: str | None
    """Likewise."""
    file: str
    """The name of the file."""
    sha256: str
    """That of the file that the passages were read from; empty where it is not known."""
    state: FileState
    """Whether the file was still the same when the bundle was made."""
    policies: str
    """The fingerprint of conversion, chunking and models that the document went through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """The picture of a page."""

    page: int
    """The physical page, from 1."""
    file: str
    """Its name in the bundle."""
    marked: bool
    """Whether the quoted words are highlighted, or the passage that has them where the page's own
    text does not; nothing is where nothing was quoted.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationEvidence:
    """A quotation or citation of a draft, and what the cited work has."""

    content: Literal["untrusted"] = "untrusted"
    """The words of drafts and works are not to be trusted."""
    draft: str
    """The draft."""
    line: int
    """Where the quotation, or else the citation, begins."""
    column: int
    """Likewise."""
    citekey: str
    """What is cited."""
    page: str | None
    """The pages as the draft has them; null without."""
    quote: str | None
    """The quotation; null for a citation without one."""
    verdict: CitationVerdict | None
    """That of `check`; null for a citation in which it finds no fault."""
    reason: Reason | None
    """Why the verdict is what it is, as in `check`."""
    doc_id: str | None
    """The source that the passage is of; null without a passage, and where none is known."""
    chunk_id: str | None
    """The chunk in which the passage begins."""
    words: str | None
    """The work's own words: those of the quotation, or else all on the cited pages; null where
    there are none, or the citation names neither.
    """
    passage: str | None
    """The chunk in which they begin, whole."""
    page_span: tuple[int, int] | None
    """First and last physical page of the words; null without pages."""
    page_labels: tuple[str, ...]
    """What is printed on these pages."""
    locator: str
    """The place in words."""
    pictures: tuple[PagePicture, ...]
    """The pages, ten at most."""
    no_picture: NoPicture | None
    """Why a picture is missing; null where none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBundle:
    """What `passages.json` of a bundle holds."""

    format: int
    """The version of this form."""
    project: str
    """The project."""
    date: str
    """SOURCE_DATE_EPOCH, or else when the newest source was last modified."""
    versions: Mapping[str, str]
    """Those of citeloom, its models, and the programs that read drafts and draw pages."""
    drafts: tuple[BundledDraft, ...]
    """The drafts, as they were named."""
    sources: tuple[BundledSource, ...]
    """The works' files, by citekey."""
    evidence: tuple[CitationEvidence, ...]
    """In the order of the drafts."""


# What has changed since.


class EvidenceChange(StrEnum):
    """What has changed of the evidence for a citation."""

    WORDS = "words_changed"
    PAGE = "page_changed"
    FILE = "file_changed"
    FILE_GONE = "file_gone"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A citation of a bundle, and what has changed of its evidence."""

    content: Literal["untrusted"] = "untrusted"
    """The words of drafts and works are not to be trusted."""
    draft: str
    """The draft."""
    line: int
    """Where the quotation, or else the citation, begins."""
    column: int
    """Likewise."""
    citekey: str
    """What is cited."""
    quote: str | None
    """The quotation; null for a citation without one."""
    replayed: bool
    """Whether the bundle has words or a source that could be compared."""
    changes: tuple[EvidenceChange, ...]
    """What has changed; empty where nothing has."""
    locator: str
    """Where the words stood, in words."""
    locator_now: str
    """Where they stand now; empty where they do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleReplay:
    """A bundle replayed against the library."""

    citations: tuple[Replayed, ...]
    """In the order of the bundle."""
    damaged: tuple[str, ...]
    """Files of the bundle that are not what its list of hashes says, or are missing."""
    versions: Mapping[str, tuple[str, str]]
    """Versions that are others now: the bundle's, and that of today. They are no change."""

    @property
    def passed(self) -> bool:
        """Whether nothing has changed and nothing is damaged."""
        return not self.damaged and not any(citation.changes for citation in self.citations)

    @property
    def counts(self) -> dict[str, int]:
        """How many citations are `unchanged`, have each change, and are `without_evidence`."""
        counted = Counter(
            change.value for citation in self.citations for change in citation.changes
        )
        intact = sum(1 for citation in self.citations if citation.replayed and not citation.changes)
        without = sum(1 for citation in self.citations if not citation.replayed)
        counts = {change.value: counted[change.value] for change in EvidenceChange}
        return {"unchanged": intact, **counts, "without_evidence": without}
