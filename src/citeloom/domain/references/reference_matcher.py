"""Matching a document to its reference: by mapping or attachment, then DOI, then title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.evidence import (
    TITLE_THRESHOLD,
    Assessment,
    DocumentEvidence,
    IndexedReference,
    MatchConflict,
    assess,
    attached_to,
    decide,
    mapped_citekey,
)
from citeloom.domain.references.front_matter import family_name_words
from citeloom.domain.references.titles import Similarity, normalise_title

MATCHING_VERSION = "2"
"""Changes whenever the same document and library may be matched differently, or a reference has
more fields."""

_CANDIDATES = 3
_TITLE_SHARE, _AUTHOR_SHARE, _YEAR_SHARE = 0.7, 0.2, 0.1
_SCATTERED = 0.9  # all words of a title somewhere near the top, against the title itself
_SAME_DOI = 0.95


class MatchedBy(StrEnum):
    """How a document was matched; `item` says that Zotero attaches the file to the reference."""

    ITEM = "item"
    MAPPING = "mapping"
    FILE = "file"
    DOI = "doi"
    TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceCandidate:
    """A reference that is a possible match, its similarity (0..1), and why it was not taken."""

    citekey: str
    """That of the reference."""
    title: str
    """Its title."""
    score: float
    """0 to 1."""
    objection: MatchConflict
    """[Why it was not taken](../json.md#why-a-reference-was-not-taken)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearReference:
    """A reference near a document, and what of it the document shows near its top, in its file's
    metadata or in its path: the `title_words`, `authors_found`, `year_found` and `doi_found`.

    `score` is from 0 to 1: the title counts seven tenths, an author two and the year one, as far as
    the reference has them; with the DOI it is at least 0.95. `objection` says why the reference is
    not taken without asking.
    """

    citekey: str
    """That of the reference."""
    title: str
    """Its title."""
    authors: tuple[str, ...]
    """Its authors."""
    year: int | None
    """Its year."""
    score: float
    """0 to 1: the title counts seven tenths, an author two, the year one."""
    title_words: tuple[str, ...]
    """Words of the title that the document shows."""
    authors_found: tuple[str, ...]
    """Authors that it shows."""
    year_found: bool
    """Whether it shows the year."""
    doi_found: bool
    """Whether it shows the DOI."""
    objection: MatchConflict
    """[Why it was not taken](../json.md#why-a-reference-was-not-taken) without asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceMatch:
    """The reference matched to a document, or None with the nearest candidates, best first."""

    citation: CitationMeta | None = None
    by: MatchedBy | None = None
    score: float = 0.0
    candidates: tuple[ReferenceCandidate, ...] = ()


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
        self._works = [IndexedReference(citation) for citation in self._citations.values()]
        self._attachments = [
            (file, entry.citation.citekey) for entry in entries for file in entry.files
        ]
        self._similarity = similarity
        self._mapping = dict(mapping or {})
        self._citekeys_by_doi: dict[str, set[str]] = defaultdict(set)
        for work in self._works:
            self._citekeys_by_doi[work.doi].add(work.citation.citekey)

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        if (citekey := mapped_citekey(path, self._mapping)) is not None:
            citation = self._citations.get(citekey)
            return _found(citation, MatchedBy.MAPPING) if citation else ReferenceMatch()
        if (citekey := attached_to(path, self._attachments)) is not None:
            return _found(self._citations[citekey], MatchedBy.FILE)
        document = DocumentEvidence(path, embedded)
        assessments = [assess(work, document, self._similarity) for work in self._works]
        by_title = decide(assessments)
        in_metadata = self._with_doi(assessments, (document.doi,) if document.doi else ())
        if in_metadata:
            return _of_shared_doi(in_metadata, by_title)
        printed = self._with_doi(assessments, document.front.own_dois)
        leading = self._with_doi(assessments, document.front.leading_dois)
        if match := _by_printed_doi(printed, leading, by_title):
            return match
        if by_title is None:
            seen = [assessment for assessment in assessments if assessment.occurrence.score > 0]
            return ReferenceMatch(candidates=_nearest(seen))
        return _found(by_title.work.citation, MatchedBy.TITLE, by_title.occurrence.score)

    def nearest(self, path: str, embedded: EmbeddedMetadata) -> tuple[NearReference, ...]:
        """The three references nearest to the document, best first, whether or not one matches."""
        document = DocumentEvidence(path, embedded)
        shown = frozenset(
            (*document.front.words_near(None), *_words(embedded.title), *_words(path))
        )
        every = (assess(work, document, self._similarity) for work in self._works)
        near = [
            nearness
            for entry in every
            if (nearness := _nearness(entry, document, shown)).title_words
            or nearness.authors_found
            or nearness.doi_found
            or entry.occurrence.score >= TITLE_THRESHOLD
        ]
        near.sort(key=lambda nearness: (-nearness.score, nearness.citekey))
        return tuple(near[:_CANDIDATES])

    def _with_doi(self, assessments: Sequence[Assessment], dois: Iterable[str]) -> list[Assessment]:
        citekeys: set[str] = set().union(*(self._citekeys_by_doi.get(doi, ()) for doi in dois))
        return [
            assessment for assessment in assessments if assessment.work.citation.citekey in citekeys
        ]


def _of_shared_doi(sharing: Sequence[Assessment], by_title: Assessment | None) -> ReferenceMatch:
    """The match by the DOI in the file's metadata, unless the title contradicts it."""
    chosen = _best_of(sharing)
    if by_title is not None and by_title not in sharing:
        return ReferenceMatch(candidates=_nearest([*sharing, by_title], MatchConflict.DOI))
    if chosen is None:
        return ReferenceMatch(candidates=_nearest(sharing, MatchConflict.EQUAL))
    return _found(chosen.work.citation, MatchedBy.DOI)


def _by_printed_doi(
    printed: Sequence[Assessment], leading: Sequence[Assessment], by_title: Assessment | None
) -> ReferenceMatch | None:
    """The match by a printed DOI, which may be a cited work's: title or author must agree."""
    fitting = [assessment for assessment in printed if assessment.accepted or assessment.plausible]
    chosen = _best_of(fitting) if fitting else None
    if fitting and chosen is None:
        return ReferenceMatch(candidates=_nearest(fitting, MatchConflict.EQUAL))
    if not fitting:
        named = [candidate for candidate in leading if candidate.author_seen]
        named = [candidate for candidate in named if not candidate.contradicted]
        chosen = named[0] if len(named) == 1 else None
    if chosen is None or (by_title is not None and by_title not in printed):
        return None
    return _found(chosen.work.citation, MatchedBy.DOI)


def _best_of(assessments: Sequence[Assessment]) -> Assessment | None:
    """The only one, whatever its title, or else the one that is clearly better."""
    return assessments[0] if len(assessments) == 1 else decide(assessments)


def _nearness(
    assessment: Assessment, document: DocumentEvidence, shown: frozenset[str]
) -> NearReference:
    """What of a reference is among the words that a document shows."""
    work, citation = assessment.work, assessment.work.citation
    shared = tuple(word for word in work.title.content_words if word in shown)
    authors = tuple(
        author
        for author in citation.authors
        if (name := family_name_words(author)) and (shown | document.author_words).issuperset(name)
    )
    year_found = str(citation.year) in shown
    doi_found = bool(work.doi) and work.doi in document.dois
    scattered = _SCATTERED * len(shared) / max(len(work.title.content_words), 1)
    # the weighted mean of what is found of the title, the authors and the year that there are
    shares = [(_TITLE_SHARE, max(assessment.occurrence.score, scattered))]
    if citation.authors:
        shares.append((_AUTHOR_SHARE, float(bool(authors))))
    if citation.year is not None:
        shares.append((_YEAR_SHARE, float(year_found)))
    score = sum(share * part for share, part in shares) / sum(share for share, _ in shares)
    return NearReference(
        citekey=citation.citekey,
        title=citation.title,
        authors=citation.authors,
        year=citation.year,
        score=round(max(score, _SAME_DOI if doi_found else 0.0), 3),
        title_words=shared,
        authors_found=authors,
        year_found=year_found,
        doi_found=doi_found,
        objection=assessment.objection,
    )


def _words(text: str) -> list[str]:
    return normalise_title(text.replace("_", " ")).split()


def _found(citation: CitationMeta, by: MatchedBy, score: float = 1.0) -> ReferenceMatch:
    return ReferenceMatch(citation=citation, by=by, score=score)


def _nearest(
    assessments: Sequence[Assessment], objection: MatchConflict | None = None
) -> tuple[ReferenceCandidate, ...]:
    """The nearest ones, each with the common objection, or else with its own."""

    def rank(near: Assessment) -> tuple[bool, float, str]:
        return not near.accepted, -near.occurrence.score, near.work.citation.citekey

    return tuple(
        ReferenceCandidate(
            citekey=near.work.citation.citekey,
            title=near.work.citation.title,
            score=round(near.occurrence.score, 3),
            objection=objection or near.objection,
        )
        for near in sorted(assessments, key=rank)[:_CANDIDATES]
    )
