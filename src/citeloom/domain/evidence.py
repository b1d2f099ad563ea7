"""The evidence for a reference in a document's first pages and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath

from citeloom.domain.attachments import path_parts
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.doi import normalise_doi
from citeloom.domain.front_matter import FrontMatter, TitleSpan, family_name_words
from citeloom.domain.sightings import TITLE_THRESHOLD, Sighting, seen_in_file, seen_on_page
from citeloom.domain.titles import Similarity, Title, Wording, normalise_title

MARGIN = 0.05
"""The lead in score that a title needs over the next one to be chosen."""
_NEARLY_EXACT = 0.95
_EXACT = 0.97
_PLAUSIBLE_WITH_DOI = 0.6
_DISTINCTIVE_WORDS = 7


class Objection(StrEnum):
    """Why a reference that is near was not taken."""

    EQUAL = "equal"
    DOI = "doi"
    DISTANT = "distant"
    WORDS = "words"
    NUMBERS = "numbers"
    COMPANION = "companion"
    HIDDEN = "hidden"
    SHORTENED = "shortened"
    INEXACT = "inexact"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class KnownWork:
    """A reference prepared for matching."""

    citation: CitationMeta

    @cached_property
    def title(self) -> Title:
        """Its title, ready for comparison."""
        return Title.of(self.citation.title)

    @cached_property
    def container(self) -> str:
        """The normal form of its container's title."""
        return normalise_title(self.citation.container or "")

    @cached_property
    def doi(self) -> str:
        """Its DOI's normal form, empty without one."""
        return normalise_doi(self.citation.doi or "")

    @cached_property
    def author_words(self) -> tuple[tuple[str, ...], ...]:
        """The words that must be found of each author."""
        return tuple(filter(None, map(family_name_words, self.citation.authors)))


@dataclass(frozen=True)
class DocumentEvidence:
    """The parts of a document that can identify its reference."""

    path: str
    embedded: EmbeddedMetadata

    @cached_property
    def front(self) -> FrontMatter:
        """The first pages."""
        return FrontMatter(self.embedded.front_text)

    @cached_property
    def title(self) -> Title:
        """The title in the file's metadata."""
        return Title.of(self.embedded.title)

    @cached_property
    def doi(self) -> str:
        """The DOI in the file's metadata."""
        return normalise_doi(self.embedded.doi)

    @cached_property
    def author_words(self) -> frozenset[str]:
        """The words of the author in the file's metadata."""
        return frozenset(normalise_title(self.embedded.author).split())

    @cached_property
    def dois(self) -> frozenset[str]:
        """Every DOI that may be the document's own."""
        return self.front.own_dois | ({self.doi} if self.doi else set())

    @cached_property
    def name(self) -> str:
        """The letters and digits of the file name."""
        parts = path_parts(self.path)
        return _squashed(PurePosixPath(parts[-1]).stem) if parts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The evidence for one reference."""

    work: KnownWork
    sighting: Sighting
    author_seen: bool
    supported: bool

    @property
    def accepted(self) -> bool:
        """Whether the title and its support are enough to accept the reference."""
        seen, title = self.sighting, self.work.title
        if seen.wording is Wording.OTHER or seen.score < TITLE_THRESHOLD:
            return False
        if seen.wording is Wording.SHORTENED:
            return self.author_seen
        if self.supported:
            return title.is_long or seen.score >= _EXACT
        authors_missing = bool(self.work.author_words) and len(title.words) < _DISTINCTIVE_WORDS
        return title.is_long and seen.score >= _NEARLY_EXACT and not authors_missing

    @property
    def objection(self) -> Objection:
        """What speaks against the reference; for an accepted one, that another is as good."""
        seen = self.sighting
        if self.accepted:
            return Objection.EQUAL
        if seen.shown is None or seen.score < TITLE_THRESHOLD:
            return Objection.DISTANT
        if seen.wording is Wording.OTHER:
            return _difference(self.work.title, seen.shown)
        if seen.wording is Wording.SHORTENED:
            return Objection.SHORTENED
        return Objection.INEXACT if self.supported else Objection.UNSUPPORTED

    @property
    def contradicted(self) -> bool:
        """Whether the document shows the title of a part, or of a companion, of the work."""
        seen = self.sighting
        if seen.shown is None or seen.score < TITLE_THRESHOLD:
            return False
        return not self.work.title.may_be(seen.shown)

    @property
    def plausible(self) -> bool:
        """Whether the title is similar enough to trust a DOI printed on the document."""
        seen, title = self.sighting, self.work.title
        unnamed = bool(self.work.author_words) and not self.author_seen
        if unnamed or seen.score < _PLAUSIBLE_WITH_DOI or seen.shown is None:
            return False
        return title.may_be(seen.shown)


def _difference(title: Title, shown: Title) -> Objection:
    """How a title that is nearly the same is that of another work, or not to be seen on a page."""
    if title.companion_words != shown.companion_words:
        return Objection.COMPANION
    if not title.may_be(shown):
        return Objection.NUMBERS
    return Objection.WORDS if title.wording(shown) is Wording.OTHER else Objection.HIDDEN


def assess(work: KnownWork, document: DocumentEvidence, similarity: Similarity) -> Assessment:
    """The evidence for `work` in `document`."""
    on_page = seen_on_page(work.title, document.front, similarity)
    in_file = seen_in_file(work.title, document.title, similarity)
    sighting = max(on_page, _as_hint(in_file, document), key=lambda seen: seen.rank)
    near = sighting.score >= _PLAUSIBLE_WITH_DOI or work.doi in document.dois
    author_seen = near and _author_seen(work, document, sighting.span)
    agrees = on_page.wording is Wording.SAME and in_file.wording is Wording.SAME
    unread = in_file.wording is Wording.SAME and not document.front.lines and work.title.is_long
    return Assessment(
        work=work,
        sighting=sighting,
        author_seen=author_seen,
        supported=near and (author_seen or agrees or unread or _named_after(work, document)),
    )


def _as_hint(in_file: Sighting, document: DocumentEvidence) -> Sighting:
    """A metadata title that the pages do not show is only a hint: it may be another work's."""
    return replace(in_file, wording=Wording.OTHER) if document.front.lines else in_file


def _author_seen(work: KnownWork, document: DocumentEvidence, span: TitleSpan | None) -> bool:
    words = document.author_words | document.front.words_near(span)
    return any(words.issuperset(name) for name in work.author_words)


def _named_after(work: KnownWork, document: DocumentEvidence) -> bool:
    """Whether the file name is the reference's citekey, DOI or whole title."""
    doi = _squashed(work.doi)
    in_name = (name for name in (doi, work.title.key if work.title.is_long else "") if name)
    return document.name == _squashed(work.citation.citekey) or any(
        name in document.name for name in in_name
    )


def _squashed(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def decide(assessments: Sequence[Assessment]) -> Assessment | None:
    """The one that is clearly better than the others, if there is one."""
    fitting = _not_within_another([one for one in assessments if one.accepted])
    named = [one for one in fitting if one.author_seen]
    ranked = sorted(named or fitting, key=lambda one: -one.sighting.score)
    if len(ranked) < 2:
        return ranked[0] if ranked else None
    first, second = (one.sighting.score for one in ranked[:2])
    clear = first - second >= MARGIN or second < first == 1.0
    return ranked[0] if clear else None


def _not_within_another(fitting: Sequence[Assessment]) -> list[Assessment]:
    return [one for one in fitting if not any(_is_within(one, other) for other in fitting)]


def _is_within(one: Assessment, other: Assessment) -> bool:
    """Whether the title found for `one` is part of `other`'s title, or of its container."""
    here, there = one.sighting.span, other.sighting.span
    if here and there and there.covers(here):
        return True
    return (
        one is not other
        and bool(other.work.container)
        and (one.work.title.text == other.work.container != other.work.title.text)
    )
