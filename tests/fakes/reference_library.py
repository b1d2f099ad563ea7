"""An in-memory `ReferenceLibrary` for tests of what uses one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher

from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.bibliography import Bibliography, Flaw
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.reference_matcher import (
    LibraryEntry,
    NearReference,
    ReferenceMatch,
    ReferenceMatcher,
)


def sequence_similarity(one: str, other: str) -> float:
    """A similarity that needs no library."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


class MemoryReferenceLibrary(ReferenceLibrary):
    """Citations given one by one; `mapping` names the citekey of a path, as a project may."""

    def __init__(
        self,
        *citations: CitationMeta,
        mapping: Mapping[str, str] | None = None,
        flaws: tuple[Flaw, ...] = (),
    ) -> None:
        self._citations = citations
        self._mapping = dict(mapping or {})
        self._flaws = flaws

    @property
    def fingerprint(self) -> str:
        return repr((self._citations, sorted(self._mapping.items())))

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        return self._matcher.match(path, embedded)

    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:
        return self._matcher.nearest(path, embedded)

    @property
    def _matcher(self) -> ReferenceMatcher:
        entries = [LibraryEntry(citation=citation) for citation in self._citations]
        return ReferenceMatcher(entries, sequence_similarity, self._mapping)

    def references(self) -> tuple[CitationMeta, ...]:
        return self._citations

    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        return Bibliography(entries=(), flaws=self._flaws).diagnostics(citekeys)
