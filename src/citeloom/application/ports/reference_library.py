"""The reference library, the bibliography that a project cites from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import Protocol

from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.evidence import Objection
from citeloom.domain.matching import Candidate, Match, MatchedBy, NearReference

__all__ = ["Candidate", "Match", "MatchedBy", "NearReference", "Objection", "ReferenceLibrary"]


class ReferenceLibrary(Protocol):
    """References of a project.

    Guarantees: the same document and library always give the same match; two equally good
    references give no match, with both as candidates. Each candidate has the reason why it was
    not taken.
    """

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes whenever a match can change; empty without references."""
        ...

    @abstractmethod
    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:
        """The reference of the document at `path` with the metadata `embedded`."""
        ...

    @abstractmethod
    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:
        """The three references nearest to the document, best first, whether or not one matches."""
        ...

    @abstractmethod
    def references(self) -> tuple[CitationMeta, ...]:
        """All references, in the order of the file."""
        ...

    @abstractmethod
    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        """One sentence for each error or gap in the library, or only for those in the references
        of `citekeys` and in the library as a whole.
        """
        ...
