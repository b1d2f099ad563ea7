"""How well a document's first pages and metadata speak for a reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from citeloom.domain.attachments import path_parts
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.doi import normalise_doi
from citeloom.domain.front_matter import FrontMatter, TitleSpan, family_name_words
from citeloom.domain.titles import Similarity, Title, Wording, normalise_title

TITLE_THRESHOLD = 0.8
"""Below this similarity a title is another one."""
MARGIN = 0.05
"""How far ahead of the next one a title must be to win alone."""
_NEARLY_EXACT = 0.95
_EXACT = 0.97
_PLAUSIBLE_WITH_DOI = 0.6
_MAIN_TITLE = 0.9
_MAIN_TITLE_WORDS = 3
_DISTINCTIVE_WORDS = 7
_PLAUSIBLE_LENGTHS = 0.5
_WORDS_IN_SIGHT = 0.5


@dataclass(frozen=True)
class KnownWork:
    """A reference made ready to be recognised."""

    citation: CitationMeta

    @cached_property
    def title(self) -> Title:
        """Its title, ready for comparison."""
        return Title.of(self.citation.title)

    @cached_property
    def container(self) -> str:
        """The normal form of the title of what it appeared in."""
        return normalise_title(self.citation.container or "")

    @cached_property
    def doi(self) -> str:
        """Its DOI's normal form, empty without one."""
        return normalise_doi(self.citation.doi or "")

    @cached_property
    def author_words(self) -> tuple[tuple[str, ...], ...]:
        """By author, the words that must be seen."""
        return tuple(filter(None, map(family_name_words, self.citation.authors)))


@dataclass(frozen=True)
class DocumentEvidence:
    """All that a document shows of its identity."""

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

    def may_show(self, title: Title) -> bool:
        """A quick look: whether enough of a title's words are there to compare it at all."""
        there = self.front.head_key
        seen = sum(word in there for word in title.words)
        return seen >= len(title.words) * _WORDS_IN_SIGHT

    @cached_property
    def name(self) -> str:
        """The file's name, letters and digits alone."""
        parts = path_parts(self.path)
        return _squashed(PurePosixPath(parts[-1]).stem) if parts else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Where a title was seen best, and how well; `span` is None in the file's metadata."""

    score: float = 0.0
    wording: Wording = Wording.OTHER
    shown: Title | None = None
    span: TitleSpan | None = None

    @property
    def rank(self) -> tuple[bool, float, bool]:
        """The right words before the likeness, the page before the metadata."""
        return (self.wording is not Wording.OTHER, self.score, self.span is not None)


_UNSEEN = Sighting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What speaks for one reference."""

    work: KnownWork
    sighting: Sighting
    author_seen: bool
    supported: bool

    @property
    def accepted(self) -> bool:
        """Whether the title, with what supports it, is enough to recognise the work."""
        seen, title = self.sighting, self.work.title
        if seen.wording is Wording.OTHER or seen.score < TITLE_THRESHOLD:
            return False
        if seen.wording is Wording.SHORTENED:
            return self.author_seen
        if self.supported:
            return title.is_long or seen.score >= _EXACT
        authors_missing = bool(self.work.author_words) and len(title.words) < _DISTINCTIVE_WORDS
        on_page = seen.span is not None
        return on_page and title.is_long and seen.score >= _NEARLY_EXACT and not authors_missing

    @property
    def contradicted(self) -> bool:
        """Whether the document shows the title of a part, or of a companion, of the work."""
        seen = self.sighting
        if seen.shown is None or seen.score < TITLE_THRESHOLD:
            return False
        return not self.work.title.may_be(seen.shown)

    @property
    def plausible(self) -> bool:
        """Whether the title comes near enough to believe a DOI printed on the document."""
        seen, title = self.sighting, self.work.title
        unnamed = bool(self.work.author_words) and not self.author_seen
        if unnamed or seen.score < _PLAUSIBLE_WITH_DOI or seen.shown is None:
            return False
        return title.may_be(seen.shown)


def assess(work: KnownWork, document: DocumentEvidence, similarity: Similarity) -> Assessment:
    """What in `document` speaks for `work`."""
    on_page = _best(_on_page(work.title, document, similarity))
    in_file = _compared(work.title, document.title, None, similarity)
    sighting = _best((on_page, in_file))
    author_seen = _author_seen(work, document, sighting.span)
    agrees = on_page.wording is Wording.SAME and in_file.wording is Wording.SAME
    unread = in_file.wording is Wording.SAME and not document.front.lines and work.title.is_long
    return Assessment(
        work=work,
        sighting=sighting,
        author_seen=author_seen,
        supported=author_seen or agrees or unread or _named_after(work, document),
    )


def _best(sightings: Iterable[Sighting]) -> Sighting:
    return max(sightings, key=lambda sighting: sighting.rank, default=_UNSEEN)


def _on_page(
    title: Title, document: DocumentEvidence, similarity: Similarity
) -> Iterable[Sighting]:
    if not document.may_show(title):
        return ()
    return (_compared(title, span.title, span, similarity) for span in document.front.spans)


def _compared(
    title: Title, shown: Title, span: TitleSpan | None, similarity: Similarity
) -> Sighting:
    if _is_main_title_of(title, shown) or _is_main_title_of(shown, title):
        return Sighting(score=_MAIN_TITLE, wording=Wording.SHORTENED, shown=shown, span=span)
    ours, theirs = len(title.key), len(shown.key)
    if not ours or not ours * _PLAUSIBLE_LENGTHS <= theirs <= ours / _PLAUSIBLE_LENGTHS:
        return _UNSEEN
    score = similarity(title.key, shown.key)
    close = score >= TITLE_THRESHOLD
    wording = title.wording(shown) if close else Wording.OTHER
    return Sighting(score=score, wording=wording, shown=shown, span=span)


def _is_main_title_of(short: Title, full: Title) -> bool:
    if not full.main or short.main or short.text != full.main:
        return False
    return len(short.words) >= _MAIN_TITLE_WORDS


def _author_seen(work: KnownWork, document: DocumentEvidence, span: TitleSpan | None) -> bool:
    words = document.author_words | document.front.words_near(span)
    return any(words.issuperset(name) for name in work.author_words)


def _named_after(work: KnownWork, document: DocumentEvidence) -> bool:
    """Whether the file is named by the reference's citekey, DOI or whole title."""
    doi = _squashed(work.doi)
    in_name = (name for name in (doi, work.title.key if work.title.is_long else "") if name)
    return document.name == _squashed(work.citation.citekey) or any(
        name in document.name for name in in_name
    )


def _squashed(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def decide(assessments: Sequence[Assessment]) -> Assessment | None:
    """The one that fits clearly better than the others, if there is one."""
    fitting = [one for one in assessments if one.accepted]
    fitting = [one for one in fitting if not any(_is_within(one, other) for other in fitting)]
    named = [one for one in fitting if one.author_seen]
    ranked = sorted(named or fitting, key=lambda one: -one.sighting.score)
    if len(ranked) < 2:
        return ranked[0] if ranked else None
    first, second = (one.sighting.score for one in ranked[:2])
    clear = first - second >= MARGIN or second < first == 1.0
    return ranked[0] if clear else None


def _is_within(one: Assessment, other: Assessment) -> bool:
    """Whether what was seen of `one` is part of `other`'s title, or the name of its container."""
    here, there = one.sighting.span, other.sighting.span
    if here and there and there.covers(here):
        return True
    return (
        one is not other
        and bool(other.work.container)
        and (one.work.title.text == other.work.container != other.work.title.text)
    )
