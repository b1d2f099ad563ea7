"""The evidence for a reference: attached files, DOIs, and occurrences of its title."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import PurePosixPath

from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.front_matter import FirstPages, TitleSpan, family_name_words
from citeloom.domain.references.titles import (
    Similarity,
    Title,
    TitleRelation,
    normalise_doi,
    normalise_title,
)

# Matching documents to references by path.

_GENERIC_NAME = re.compile(
    r"[\W\d_]*(?:full ?text|document|paper|article|main|download|manuscript|preprint|file|book"
    r"|chapter|thesis|report|pdf|untitled|scan|attachment|supplement(?:ary)?)?[\W\d_]*",
    re.IGNORECASE,
)


def path_parts(path: str) -> tuple[str, ...]:
    """The parts of a path of any system, case and Unicode form ignored."""
    plain = unicodedata.normalize("NFC", path.strip().removeprefix("file://")).replace("\\", "/")
    return tuple(part for part in plain.casefold().split("/") if part not in ("", "."))


def common_tail(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """How many parts two paths share, counted from the file's name upwards."""
    shared = 0
    for ours, theirs in zip(reversed(first), reversed(second)):
        if ours != theirs:
            break
        shared += 1
    return shared


def mapped_citekey(path: str, mapping: Mapping[str, str]) -> str | None:
    """The citekey of the longest pattern that fits: a path's tail, a file name or a glob."""
    parts = path_parts(path)
    fitting = [pattern for pattern in mapping if _fits(parts, path_parts(pattern))]
    return mapping[max(fitting, key=lambda pattern: (len(pattern), pattern))] if fitting else None


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not parts or not pattern:
        return False
    literally = common_tail(parts, pattern) == len(pattern)
    return literally or PurePosixPath(*parts).match("/".join(pattern))


def attached_to(path: str, attachments: Iterable[tuple[str, str]]) -> str | None:
    """The citekey among `(file, citekey)` whose file shares the longest tail with `path`.

    Of several, the one whose file is that path as a whole. None on a tie, or when only a generic
    file name agrees.
    """
    parts = path_parts(path)
    shared: dict[str, int] = {}
    whole = set()
    for file, citekey in attachments:
        attached = path_parts(file)
        tail = common_tail(parts, attached)
        shared[citekey] = max(tail, shared.get(citekey, 0))
        if attached == parts:
            whole.add(citekey)
    longest = max(shared.values(), default=0)
    if longest == 0 or (longest == 1 and _GENERIC_NAME.fullmatch(PurePosixPath(parts[-1]).stem)):
        return None
    nearest = [citekey for citekey, tail in shared.items() if tail == longest]
    nearest = [citekey for citekey in nearest if citekey in whole] or nearest
    return nearest[0] if len(nearest) == 1 else None


# Where a given title appears in a document, and how similar it is there.

TITLE_THRESHOLD = 0.8
"""Least similarity of two titles of the same work."""
_MAIN_TITLE = 0.9
_MAIN_TITLE_WORDS = 3
_PLAUSIBLE_LENGTHS = 0.6
_WORDS_IN_SIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleOccurrence:
    """An appearance of a title and its similarity; `span` is None in the file's metadata."""

    score: float = 0.0
    wording: TitleRelation = TitleRelation.OTHER
    shown: Title | None = None
    span: TitleSpan | None = None

    @property
    def rank(self) -> tuple[bool, float, bool]:
        """Sort key: wording before similarity, the page before the metadata."""
        return (self.wording is not TitleRelation.OTHER, self.score, self.span is not None)


_UNSEEN = TitleOccurrence()


def seen_on_page(title: Title, front: FirstPages, similarity: Similarity) -> TitleOccurrence:
    """The best occurrence of `title` among the lines near the top."""
    if not _may_be_on_page(title, front):
        return _UNSEEN
    scored = [
        (similarity(title.key, span.title.key), span)
        for span in front.spans
        if _alike_in_length(title, span.title)
    ]
    best = max(scored, key=lambda rated: rated[0], default=None)
    close = [
        TitleOccurrence(score=score, wording=title.wording(span.title), shown=span.title, span=span)
        for score, span in scored
        if score >= TITLE_THRESHOLD
    ]
    close += (_of_main_title(span.title, span) for span in _main_title_spans(title, front))
    if best and not close:
        return TitleOccurrence(score=best[0], shown=best[1].title, span=best[1])
    return max(close, key=lambda seen: seen.rank, default=_UNSEEN)


def seen_in_file(title: Title, shown: Title, similarity: Similarity) -> TitleOccurrence:
    """The occurrence of `title` in the title that the file's metadata give."""
    if _is_main_title(title, shown) or _is_main_title(shown, title):
        return _of_main_title(shown, None)
    if not _alike_in_length(title, shown):
        return _UNSEEN
    score = similarity(title.key, shown.key)
    wording = title.wording(shown) if score >= TITLE_THRESHOLD else TitleRelation.OTHER
    return TitleOccurrence(score=score, wording=wording, shown=shown)


def _may_be_on_page(title: Title, front: FirstPages) -> bool:
    """A cheap pre-check: whether enough of the title's words are there to compare it."""
    seen = sum(word in front.head_key for word in title.words)
    return seen >= len(title.words) * _WORDS_IN_SIGHT


def _alike_in_length(title: Title, shown: Title) -> bool:
    ours, theirs = len(title.key), len(shown.key)
    return ours > 0 and ours * _PLAUSIBLE_LENGTHS <= theirs <= ours / _PLAUSIBLE_LENGTHS


def _of_main_title(shown: Title, span: TitleSpan | None) -> TitleOccurrence:
    return TitleOccurrence(
        score=_MAIN_TITLE, wording=TitleRelation.SHORTENED, shown=shown, span=span
    )


def _main_title_spans(title: Title, front: FirstPages) -> list[TitleSpan]:
    """Spans that are the title without its subtitle, or that add a subtitle to it."""
    main_title = title.main or title.text
    near = front.spans_by_main_title.get(main_title, ())
    return [
        span
        for span in near
        if _is_main_title(title, span.title) or _is_main_title(span.title, title)
    ]


def _is_main_title(short: Title, full: Title) -> bool:
    if not full.main or short.main or short.text != full.main:
        return False
    return len(short.words) >= _MAIN_TITLE_WORDS


# The evidence for a reference in a document's first pages and metadata.

MARGIN = 0.05
"""The lead in score that a title needs over the next one to be chosen."""
_NEARLY_EXACT = 0.95
_EXACT = 0.97
_PLAUSIBLE_WITH_DOI = 0.6
_DISTINCTIVE_WORDS = 7


class MatchConflict(StrEnum):
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
class IndexedReference:
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
    def front(self) -> FirstPages:
        """The first pages."""
        return FirstPages(self.embedded.front_text)

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

    work: IndexedReference
    occurrence: TitleOccurrence
    author_seen: bool
    supported: bool

    @property
    def accepted(self) -> bool:
        """Whether the title and its support are enough to accept the reference."""
        seen, title = self.occurrence, self.work.title
        if seen.wording is TitleRelation.OTHER or seen.score < TITLE_THRESHOLD:
            return False
        if seen.wording is TitleRelation.SHORTENED:
            return self.author_seen
        if self.supported:
            return title.is_long or seen.score >= _EXACT
        authors_missing = bool(self.work.author_words) and len(title.words) < _DISTINCTIVE_WORDS
        return title.is_long and seen.score >= _NEARLY_EXACT and not authors_missing

    @property
    def objection(self) -> MatchConflict:
        """What speaks against the reference; for an accepted one, that another is as good."""
        seen = self.occurrence
        if self.accepted:
            return MatchConflict.EQUAL
        if seen.shown is None or seen.score < TITLE_THRESHOLD:
            return MatchConflict.DISTANT
        if seen.wording is TitleRelation.OTHER:
            return _difference(self.work.title, seen.shown)
        if seen.wording is TitleRelation.SHORTENED:
            return MatchConflict.SHORTENED
        return MatchConflict.INEXACT if self.supported else MatchConflict.UNSUPPORTED

    @property
    def contradicted(self) -> bool:
        """Whether the document shows the title of a part, or of a companion, of the work."""
        seen = self.occurrence
        if seen.shown is None or seen.score < TITLE_THRESHOLD:
            return False
        return not self.work.title.may_be(seen.shown)

    @property
    def plausible(self) -> bool:
        """Whether the title is similar enough to trust a DOI printed on the document."""
        seen, title = self.occurrence, self.work.title
        unnamed = bool(self.work.author_words) and not self.author_seen
        if unnamed or seen.score < _PLAUSIBLE_WITH_DOI or seen.shown is None:
            return False
        return title.may_be(seen.shown)


def _difference(title: Title, shown: Title) -> MatchConflict:
    """How a title that is nearly the same is that of another work, or not to be seen on a page."""
    if title.companion_words != shown.companion_words:
        return MatchConflict.COMPANION
    if not title.may_be(shown):
        return MatchConflict.NUMBERS
    return (
        MatchConflict.WORDS if title.wording(shown) is TitleRelation.OTHER else MatchConflict.HIDDEN
    )


def assess(
    work: IndexedReference, document: DocumentEvidence, similarity: Similarity
) -> Assessment:
    """The evidence for `work` in `document`."""
    on_page = seen_on_page(work.title, document.front, similarity)
    in_file = seen_in_file(work.title, document.title, similarity)
    occurrence = max(on_page, _as_hint(in_file, document), key=lambda seen: seen.rank)
    near = occurrence.score >= _PLAUSIBLE_WITH_DOI or work.doi in document.dois
    author_seen = near and _author_seen(work, document, occurrence.span)
    agrees = on_page.wording is TitleRelation.SAME and in_file.wording is TitleRelation.SAME
    unread = (
        in_file.wording is TitleRelation.SAME and not document.front.lines and work.title.is_long
    )
    return Assessment(
        work=work,
        occurrence=occurrence,
        author_seen=author_seen,
        supported=near and (author_seen or agrees or unread or _named_after(work, document)),
    )


def _as_hint(in_file: TitleOccurrence, document: DocumentEvidence) -> TitleOccurrence:
    """A metadata title that the pages do not show is only a hint: it may be another work's."""
    return replace(in_file, wording=TitleRelation.OTHER) if document.front.lines else in_file


def _author_seen(
    work: IndexedReference, document: DocumentEvidence, span: TitleSpan | None
) -> bool:
    words = document.author_words | document.front.words_near(span)
    return any(words.issuperset(name) for name in work.author_words)


def _named_after(work: IndexedReference, document: DocumentEvidence) -> bool:
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
    fitting = _not_within_another([assessment for assessment in assessments if assessment.accepted])
    named = [assessment for assessment in fitting if assessment.author_seen]
    ranked = sorted(named or fitting, key=lambda assessment: -assessment.occurrence.score)
    if len(ranked) < 2:
        return ranked[0] if ranked else None
    first, second = (assessment.occurrence.score for assessment in ranked[:2])
    clear = first - second >= MARGIN or second < first == 1.0
    return ranked[0] if clear else None


def _not_within_another(fitting: Sequence[Assessment]) -> list[Assessment]:
    return [
        assessment
        for assessment in fitting
        if not any(_is_within(assessment, other) for other in fitting)
    ]


def _is_within(first: Assessment, second: Assessment) -> bool:
    """Whether the title found for `first` is part of `second`'s title, or of its container."""
    here, there = first.occurrence.span, second.occurrence.span
    if here and there and there.covers(here):
        return True
    return (
        first is not second
        and bool(second.work.container)
        and (first.work.title.text == second.work.container != second.work.title.text)
    )
