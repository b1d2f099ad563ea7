"""The JSON of what supports a draft, and of a literature matrix."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from citeloom.domain.documents.conversion import Doubt
from citeloom.infrastructure.serialisation.schemas.passages import Links, ShownPassage, Work


class SupportingPassageAnswer(Work):
    """A sentence of a work that speaks for a sentence of a draft."""

    chunk_id: str
    """The chunk."""
    doc_id: str
    """The document."""
    supports: bool
    """Whether the sentence says what the draft says, by every rule for written sentences."""
    quote: str
    """The work's sentence."""
    citation: str
    """The citation of its page in the form of the draft's format."""
    page_span: list[int] | None
    """First and last physical page; null without pages."""
    page_labels: list[str]
    """What is printed on these pages."""
    locator: str
    """The place in words."""
    doubts: list[Doubt]
    """What speaks against the words of its passage, as in a query."""
    source_path: str
    """The file."""
    links: Links
    """Where it can be opened."""


class SupportedSentence(TypedDict):
    """A sentence of a draft without a citation."""

    content: Literal["untrusted"]
    """The words of drafts and works are not to be trusted."""
    file: str
    """The draft."""
    line: int
    """Where the sentence begins, from 1."""
    column: int
    """The same, in characters from 1."""
    start: int
    """Its first character in the file."""
    end: int
    """The one behind its last word."""
    text: str
    """The sentence."""
    claims: bool
    """Whether it claims something of the world."""
    support: Literal["supported", "likely", "nothing"]
    """How well the library supports it."""
    evidence: float
    """What `likely` rests on: similarity and half the coverage, 0 to 1.5."""
    passages: list[SupportingPassageAnswer]
    """What speaks for it, best first."""


class SupportCounts(TypedDict):
    """How many sentences have which support."""

    supported: int
    """A work says it."""
    likely: int
    """Passages are near."""
    nothing: int
    """There is nothing."""


class SupportAnswer(TypedDict):
    """What supports the sentences of drafts: that of `support --json`."""

    sentences: list[SupportedSentence]
    """Those that claim something first."""
    counts: SupportCounts
    """How many have which support."""
    warnings: list[str]
    """What was odd about a file."""


class MatrixCell(TypedDict):
    """What a work has on a question; no passage where none is near enough."""

    verdict: Literal["answered", "related", "nothing"]
    """What `ask` would say of this work alone."""
    evidence: float
    """What that rests on: 0 to 1.5."""
    passage: ShownPassage | None
    """The best passage; null where none is near enough."""


class MatrixWork(Work):
    """A work, and its cell for each question."""

    name: str
    """The citekey, or the name of the file."""
    cells: list[MatrixCell]
    """One for each question, in their order."""


class MatrixAnswer(TypedDict):
    """A literature matrix: that of `matrix --format json`."""

    project: str
    """The project."""
    questions: list[str]
    """The questions."""
    works: list[MatrixWork]
    """The works by year."""
    filled: int
    """How many cells have a passage."""
    calibrated: bool
    """Whether the thresholds are the project's own."""
    notes: list[str]
    """What else is to be known of them."""
