"""The port to the bibliography a project cites from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata


class MatchedBy(str, Enum):
    """How a document's reference was recognised."""

    MAPPING = "mapping"
    FILE = "file"
    DOI = "doi"
    TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A reference that came near, and how near (0..1)."""

    citekey: str
    title: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The reference found for a document, or None with the nearest candidates, best first."""

    citation: CitationMeta | None = None
    by: MatchedBy | None = None
    score: float = 0.0
    candidates: tuple[Candidate, ...] = ()


class ReferenceLibrary(Protocol):
    """References of a project.

    Guarantees: the same document and library always give the same match; two references that
    fit equally well give none, with both as candidates.
    """

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever a match may."""
        ...

    @abstractmethod
    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:
        """The reference of the document at `path` that says `embedded` of itself."""
        ...

    @abstractmethod
    def references(self) -> tuple[CitationMeta, ...]:
        """All references, in the order of the file."""
        ...

    @abstractmethod
    def diagnostics(self) -> tuple[str, ...]:
        """What is wrong or missing in the library, a sentence each."""
        ...
