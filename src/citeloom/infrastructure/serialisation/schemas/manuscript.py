"""The JSON of checks of drafts."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from citeloom.domain.manuscript.difference import Remark
from citeloom.domain.manuscript.evidence import Replayed
from citeloom.domain.manuscript.verdicts import Reason, Verdict


class FoundQuotation(TypedDict):
    """Where a quotation stands."""

    citekey: str | None
    """That of the work."""
    doc_id: str
    """The document."""
    chunk_id: str
    """The chunk."""
    page_span: list[int | None] | None
    """First and last physical page; null without pages."""
    page_labels: list[str]
    """What is printed on these pages."""
    locator: str
    """The place in words."""
    source_path: str
    """The file."""
    text: str
    """The text there."""


class ChangedWords(TypedDict):
    """Words that differ."""

    quote: str
    """In the quotation; may be empty."""
    work: str
    """In the work; may be empty."""
    remarks: list[Remark]
    """What the change does to the meaning."""


class DraftCheck(TypedDict):
    """A quotation, or a citation without one, and its verdict."""

    content: Literal["untrusted"]
    """The words of the object are the draft's and the works'."""
    file: str
    """The draft."""
    line: int
    """Where the quotation, or else the citation, begins."""
    column: int
    """Likewise."""
    start: int
    """Its span in characters of the file (of a Word or OpenDocument file, of its paragraphs, one a
    line).
    """
    end: int
    """Likewise."""
    citekey: str
    """What is cited."""
    quote: str | None
    """The quotation, without its quotation marks; null for a citation without one."""
    verdict: Verdict
    """[What they mean](../check-a-thesis.md#verdicts)."""
    fails: bool
    """Whether something has to be changed."""
    page: str | None
    """The pages as the draft has them; null without."""
    found: FoundQuotation | None
    """Null where it was not found."""
    difference: list[ChangedWords]
    """Of a `near` quotation."""
    share: float | None
    """How much of the quotation is there, 0 to 1; null where it was not found."""
    reason: Reason | None
    """Why it is `unverifiable`, or `no_such_page`."""
    near_citekeys: list[str]
    """The citekeys most like an unknown one."""
    retracted: str | None
    """What is known of the retraction of the work."""
    message: str
    """What has to be changed, in words."""


class DraftChecks(TypedDict):
    """The checks of drafts: that of `check --format json`."""

    checks: list[DraftCheck]
    """In the order of the drafts."""
    counts: dict[str, int]
    """How many there are of each verdict."""
    citations: int
    """How many citations the drafts have."""
    passed: bool
    """Whether nothing has to be changed."""
    warnings: list[str]
    """What was odd about a file."""


class CitedAnswer(TypedDict):
    """Citations of works and passages: that of `POST cite`, and of the tool `cite`."""

    content: Literal["untrusted"]
    """Titles and names are words of the references."""
    project: str
    """The project."""
    format: str
    """How they are written."""
    text: str
    """The citations, and in a style behind them the entries of the bibliography."""


class BundleReplayAnswer(TypedDict):
    """A bundle replayed against the library: that of `bundle verify --json`."""

    citations: list[Replayed]
    """In the order of the bundle."""
    damaged: list[str]
    """Files of the bundle that are not what its list of hashes says, or are missing."""
    versions: dict[str, list[str]]
    """Versions that are others now: the bundle's, and that of today. They are no change."""
    counts: dict[str, int]
    """How many citations are `unchanged`, have each change, and are `without_evidence`."""
    passed: bool
    """Whether nothing has changed and nothing is damaged."""
