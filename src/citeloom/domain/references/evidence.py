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
    parts, fitting = path_parts(path), []
    for written in mapping:
        pattern = path_parts(written)
        literally = common_tail(parts, pattern) == len(pattern)
        if parts and pattern and (literally or PurePosixPath(*parts).match("/".join(pattern))):
            fitting.append(written)
    return mapping[max(fitting, key=lambda pattern: (len(pattern), pattern))] if fitting else None


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
    # a cheap pre-check: whether enough of the title's words are there to compare it
    if sum(word in front.head_key for word in title.words) < len(title.words) * _WORDS_IN_SIGHT:
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
    close += (  # the title without its subtitle, or with one that is added to it
        _of_main_title(span.title, span)
        for span in front.spans_by_main_title.get(title.main or title.text, ())
        if _is_main_title(title, span.title) or _is_main_title(span.title, title)
    )
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


def _alike_in_length(title: Title, shown: Title) -> bool:
    ours, theirs = len(title.key), len(shown.key)
    return ours > 0 and ours * _PLAUSIBLE_LENGTHS <= theirs <= ours / _PLAUSIBLE_LENGTHS


def _of_main_title(shown: Title, span: TitleSpan | None) -> TitleOccurrence:
    return TitleOccurrence(
        score=_MAIN_TITLE, wording=TitleRelation.SHORTENED, shown=shown, span=span
    )


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
    citation: CitationMeta

    @cached_property
    def title(self) -> Title:
        return Title.of(self.citation.title)

    @cached_property
    def container(self) -> str:
        """The normal form of its container's title."""
        return normalise_title(self.citation.container or "")

    @cached_property
    def doi(self) -> str:
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
        return FirstPages(self.embedded.front_text)

    @cached_property
    def title(self) -> Title:
        return Title.of(self.embedded.title)

    @cached_property
    def doi(self) -> str:
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
        if seen.wording is TitleRelation.SHORTENED:
            return MatchConflict.SHORTENED
        title = self.work.title
        if seen.wording is TitleRelation.SAME:
            conflict = MatchConflict.INEXACT if self.supported else MatchConflict.UNSUPPORTED
        elif title.companion_words != seen.shown.companion_words:
            conflict = MatchConflict.COMPANION
        elif not title.may_be(seen.shown):
            conflict = MatchConflict.NUMBERS
        else:
            hidden = title.wording(seen.shown) is not TitleRelation.OTHER
            conflict = MatchConflict.HIDDEN if hidden else MatchConflict.WORDS
        return conflict

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


def assess(
    work: IndexedReference, document: DocumentEvidence, similarity: Similarity
) -> Assessment:
    on_page = seen_on_page(work.title, document.front, similarity)
    in_file = seen_in_file(work.title, document.title, similarity)
    same_in_file, has_pages = in_file.wording is TitleRelation.SAME, bool(document.front.lines)
    if has_pages:  # a title that they do not show is only a hint: it may be another work's
        in_file = replace(in_file, wording=TitleRelation.OTHER)
    occurrence = max(on_page, in_file, key=lambda seen: seen.rank)
    near = occurrence.score >= _PLAUSIBLE_WITH_DOI or work.doi in document.dois
    author_seen = False
    if near:
        words = document.author_words | document.front.words_near(occurrence.span)
        author_seen = any(words.issuperset(name) for name in work.author_words)
    agrees = same_in_file and (
        on_page.wording is TitleRelation.SAME or (not has_pages and work.title.is_long)
    )
    return Assessment(
        work=work,
        occurrence=occurrence,
        author_seen=author_seen,
        supported=near and (author_seen or agrees or _named_after(work, document)),
    )


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
    accepted = [assessment for assessment in assessments if assessment.accepted]
    fitting = [each for each in accepted if not any(_is_within(each, other) for other in accepted)]
    named = [assessment for assessment in fitting if assessment.author_seen]
    ranked = sorted(named or fitting, key=lambda assessment: -assessment.occurrence.score)
    if len(ranked) < 2:
        return ranked[0] if ranked else None
    first, second = (assessment.occurrence.score for assessment in ranked[:2])
    clear = first - second >= MARGIN or second < first == 1.0
    return ranked[0] if clear else None


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
