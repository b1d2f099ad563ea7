"""Matching a document to its reference: by mapping or attachment, then DOI, then title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.attachments import attached_to, mapped_citekey
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.evidence import (
    Assessment,
    DocumentEvidence,
    KnownWork,
    Objection,
    assess,
    decide,
)
from citeloom.domain.titles import Similarity

MATCHING_VERSION = "1"
"""Changes whenever the same document and library may be matched differently."""

_CANDIDATES = 3


class MatchedBy(StrEnum):
    """How a document was matched; `item` says that Zotero attaches the file to the reference."""

    ITEM = "item"
    MAPPING = "mapping"
    FILE = "file"
    DOI = "doi"
    TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A reference that is a possible match, its similarity (0..1), and why it was not taken."""

    citekey: str
    title: str
    score: float
    objection: Objection


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The reference matched to a document, or None with the nearest candidates, best first."""

    citation: CitationMeta | None = None
    by: MatchedBy | None = None
    score: float = 0.0
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryEntry:
    """A reference with the files that the reference manager attaches to it."""

    citation: CitationMeta
    files: tuple[str, ...] = ()


class ReferenceMatcher:
    """Matches documents to the references of one library, deterministically.

    `mapping` gives the citekey of a file's path, path tail, name or glob, and has priority; one
    that names no reference gives no match. References that fit equally well give no match.
    """

    def __init__(
        self,
        entries: Sequence[LibraryEntry],
        similarity: Similarity,
        mapping: Mapping[str, str] | None = None,
    ) -> None:
        self._citations = {entry.citation.citekey: entry.citation for entry in entries}
        self._works = [KnownWork(citation) for citation in self._citations.values()]
        self._attachments = [
            (file, entry.citation.citekey) for entry in entries for file in entry.files
        ]
        self._similarity = similarity
        self._mapping = dict(mapping or {})
        self._citekeys_by_doi: dict[str, set[str]] = defaultdict(set)
        for work in self._works:
            self._citekeys_by_doi[work.doi].add(work.citation.citekey)

    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:
        """The match for the document at `path` with `embedded` metadata."""
        if (citekey := mapped_citekey(path, self._mapping)) is not None:
            citation = self._citations.get(citekey)
            return _found(citation, MatchedBy.MAPPING) if citation else Match()
        if (citekey := attached_to(path, self._attachments)) is not None:
            return _found(self._citations[citekey], MatchedBy.FILE)
        return self._by_evidence(DocumentEvidence(path, embedded))

    def _by_evidence(self, document: DocumentEvidence) -> Match:
        assessments = [assess(work, document, self._similarity) for work in self._works]
        by_title = decide(assessments)
        in_metadata = self._with_doi(assessments, (document.doi,) if document.doi else ())
        if in_metadata:
            return _of_shared_doi(in_metadata, by_title)
        printed = self._with_doi(assessments, document.front.own_dois)
        leading = self._with_doi(assessments, document.front.leading_dois)
        return _by_printed_doi(printed, leading, by_title) or _by_title(by_title, assessments)

    def _with_doi(self, assessments: Sequence[Assessment], dois: Iterable[str]) -> list[Assessment]:
        citekeys: set[str] = set().union(*(self._citekeys_by_doi.get(doi, ()) for doi in dois))
        return [one for one in assessments if one.work.citation.citekey in citekeys]


def _of_shared_doi(sharing: Sequence[Assessment], by_title: Assessment | None) -> Match:
    """The match by the DOI in the file's metadata, unless the title contradicts it."""
    chosen = _best_of(sharing)
    if by_title is not None and _contradicts(by_title, sharing):
        return Match(candidates=_nearest([*sharing, by_title], Objection.DOI))
    if chosen is None:
        return Match(candidates=_nearest(sharing, Objection.EQUAL))
    return _found(chosen.work.citation, MatchedBy.DOI)


def _by_printed_doi(
    printed: Sequence[Assessment], leading: Sequence[Assessment], by_title: Assessment | None
) -> Match | None:
    """The match by a printed DOI, which may be a cited work's: title or author must agree."""
    fitting = [one for one in printed if one.accepted or one.plausible]
    chosen = _best_of(fitting) if fitting else _only_named(leading)
    if fitting and chosen is None:
        return Match(candidates=_nearest(fitting, Objection.EQUAL))
    if chosen is None or _contradicts(by_title, printed):
        return None
    return _found(chosen.work.citation, MatchedBy.DOI)


def _best_of(assessments: Sequence[Assessment]) -> Assessment | None:
    """The only one, whatever its title, or else the one that is clearly better."""
    return assessments[0] if len(assessments) == 1 else decide(assessments)


def _only_named(leading: Sequence[Assessment]) -> Assessment | None:
    """The one whose author the document names, if there is only one."""
    named = [one for one in leading if one.author_seen and not one.contradicted]
    return named[0] if len(named) == 1 else None


def _contradicts(by_title: Assessment | None, by_doi: Sequence[Assessment]) -> bool:
    """Whether the title is clearly that of a reference with another DOI."""
    return by_title is not None and by_title not in by_doi


def _by_title(by_title: Assessment | None, assessments: Sequence[Assessment]) -> Match:
    if by_title is None:
        seen = [one for one in assessments if one.sighting.score > 0]
        return Match(candidates=_nearest(seen))
    score = by_title.sighting.score
    return _found(by_title.work.citation, MatchedBy.TITLE, score)


def _found(citation: CitationMeta, by: MatchedBy, score: float = 1.0) -> Match:
    return Match(citation=citation, by=by, score=score)


def _nearest(
    assessments: Sequence[Assessment], objection: Objection | None = None
) -> tuple[Candidate, ...]:
    """The nearest ones, each with the common objection, or else with its own."""
    near = sorted(
        assessments,
        key=lambda one: (not one.accepted, -one.sighting.score, one.work.citation.citekey),
    )
    return tuple(
        Candidate(
            citekey=one.work.citation.citekey,
            title=one.work.citation.title,
            score=round(one.sighting.score, 3),
            objection=objection or one.objection,
        )
        for one in near[:_CANDIDATES]
    )
