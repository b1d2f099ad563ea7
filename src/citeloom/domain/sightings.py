"""Where a given title appears in a document, and how similar it is there."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.domain.front_matter import FrontMatter, TitleSpan
from citeloom.domain.titles import Similarity, Title, Wording

TITLE_THRESHOLD = 0.8
"""Least similarity of two titles of the same work."""
_MAIN_TITLE = 0.9
_MAIN_TITLE_WORDS = 3
_PLAUSIBLE_LENGTHS = 0.6
_WORDS_IN_SIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """An appearance of a title and its similarity; `span` is None in the file's metadata."""

    score: float = 0.0
    wording: Wording = Wording.OTHER
    shown: Title | None = None
    span: TitleSpan | None = None

    @property
    def rank(self) -> tuple[bool, float, bool]:
        """Sort key: wording before similarity, the page before the metadata."""
        return (self.wording is not Wording.OTHER, self.score, self.span is not None)


_UNSEEN = Sighting()


def seen_on_page(title: Title, front: FrontMatter, similarity: Similarity) -> Sighting:
    """The best sighting of `title` among the lines near the top."""
    if not _may_be_on_page(title, front):
        return _UNSEEN
    scored = [
        (similarity(title.key, span.title.key), span)
        for span in front.spans
        if _alike_in_length(title, span.title)
    ]
    best = max(scored, key=lambda one: one[0], default=None)
    close = [
        Sighting(score=score, wording=title.wording(span.title), shown=span.title, span=span)
        for score, span in scored
        if score >= TITLE_THRESHOLD
    ]
    close += (_of_main_title(span.title, span) for span in _main_title_spans(title, front))
    if best and not close:
        return Sighting(score=best[0], shown=best[1].title, span=best[1])
    return max(close, key=lambda seen: seen.rank, default=_UNSEEN)


def seen_in_file(title: Title, shown: Title, similarity: Similarity) -> Sighting:
    """The sighting of `title` in the title that the file's metadata give."""
    if _is_main_title(title, shown) or _is_main_title(shown, title):
        return _of_main_title(shown, None)
    if not _alike_in_length(title, shown):
        return _UNSEEN
    score = similarity(title.key, shown.key)
    wording = title.wording(shown) if score >= TITLE_THRESHOLD else Wording.OTHER
    return Sighting(score=score, wording=wording, shown=shown)


def _may_be_on_page(title: Title, front: FrontMatter) -> bool:
    """A cheap pre-check: whether enough of the title's words are there to compare it."""
    seen = sum(word in front.head_key for word in title.words)
    return seen >= len(title.words) * _WORDS_IN_SIGHT


def _alike_in_length(title: Title, shown: Title) -> bool:
    ours, theirs = len(title.key), len(shown.key)
    return ours > 0 and ours * _PLAUSIBLE_LENGTHS <= theirs <= ours / _PLAUSIBLE_LENGTHS


def _of_main_title(shown: Title, span: TitleSpan | None) -> Sighting:
    return Sighting(score=_MAIN_TITLE, wording=Wording.SHORTENED, shown=shown, span=span)


def _main_title_spans(title: Title, front: FrontMatter) -> list[TitleSpan]:
    """Spans that are the title without its subtitle, or that add a subtitle to it."""
    wanted = title.main or title.text
    near = front.spans_by_main_title.get(wanted, ())
    return [
        span
        for span in near
        if _is_main_title(title, span.title) or _is_main_title(span.title, title)
    ]


def _is_main_title(short: Title, full: Title) -> bool:
    if not full.main or short.main or short.text != full.main:
        return False
    return len(short.words) >= _MAIN_TITLE_WORDS
