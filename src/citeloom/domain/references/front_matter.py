"""The first pages of a document: candidates for its title, authors and DOI."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from citeloom.domain.documents.sections import REFERENCE_TITLES
from citeloom.domain.references.titles import (
    DoiMention,
    Title,
    announces_companion,
    doi_mentions,
    normalise_title,
)
from citeloom.domain.text.word_lists import word_list

HEAD_LINES = 40
"""The lines from the top that may hold the title; repository covers put it far down."""
TITLE_LINES = 6
_LINES_TO_AUTHORS = 25
_LONGEST_TITLE = 500

_GOING_ON = (":", ",", "-", "\u2013", "\u2014", "\ufffe", "\u00ad")

_REFERENCES = re.compile(rf"^\W*(?:\d+\.?\s*)?{REFERENCE_TITLES}\W*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleSpan:
    """Lines `first` to `last` of the head, read as one title."""

    title: Title
    first: int
    last: int

    def covers(self, other: TitleSpan) -> bool:
        """Whether `other` is a proper part of this span."""
        within = self.first <= other.first and other.last <= self.last
        return within and (self.first, self.last) != (other.first, other.last)


@dataclass(frozen=True)
class FirstPages:
    text: str

    @cached_property
    def _before_references(self) -> str:
        """The text up to the reference list, which is about other works."""
        match = _REFERENCES.search(self.text)
        return self.text[: match.start()] if match else self.text

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The non-empty lines before the references."""
        return tuple(line for line in self._before_references.splitlines() if line.strip())

    @cached_property
    def spans(self) -> tuple[TitleSpan, ...]:
        """Every run of whole lines near the top that may be a title."""
        head, spans = self.lines[:HEAD_LINES], []
        for first, line in enumerate(head):
            above = head[first - 1] if first else ""
            # no title begins where it continues the line above, or where a reply names it
            if first and (announces_companion(above) or _goes_on_in_words(above, line)):
                continue
            for last in range(first, min(first + TITLE_LINES, len(head))):
                raw = "\n".join(head[first : last + 1])
                if len(raw) > _LONGEST_TITLE:
                    break
                below = "".join(self.lines[last + 1 : last + 2])
                # none ends where it stops within a phrase
                if not raw.rstrip().endswith(_GOING_ON) and not _goes_on_in_words(raw, below):
                    spans.append(TitleSpan(title=Title.of(raw), first=first, last=last))
        return tuple(spans)

    @cached_property
    def spans_by_main_title(self) -> Mapping[str, Sequence[TitleSpan]]:
        """The spans by main title, or by the whole title if it has no colon."""
        spans: dict[str, list[TitleSpan]] = defaultdict(list)
        for span in self.spans:
            spans[span.title.main or span.title.text].append(span)
        return spans

    @cached_property
    def head_key(self) -> str:
        """The letters and digits of the head, joined."""
        return "".join(word for line in self._words[:HEAD_LINES] for word in line)

    def words_near(self, span: TitleSpan | None) -> frozenset[str]:
        """The words around a title, or in the head, where its authors are named."""
        near = (
            self._words[max(0, span.first - 3) : span.last + 1 + _LINES_TO_AUTHORS]
            if span
            else self._words[:HEAD_LINES]
        )
        return frozenset(word for line in near for word in line)

    @cached_property
    def _words(self) -> list[list[str]]:
        """The words of each line; an affiliation's number may stick to a name, as in "Barba1"."""
        lines = []
        for line in self.lines[: HEAD_LINES + _LINES_TO_AUTHORS]:
            words = normalise_title(line).split()
            bare = ((word, word.rstrip("0123456789")) for word in words)
            lines.append([*words, *(name for word, name in bare if name != word)])
        return lines

    @cached_property
    def _dois(self) -> tuple[DoiMention, ...]:
        return doi_mentions(self._before_references)

    @cached_property
    def own_dois(self) -> frozenset[str]:
        """Every reading of the DOIs that may be the document's own.

        These are the first one, one on a line of its own, and a repeated one, as in a running
        footer; never one in the references.
        """
        return self._first_doi | self._prominent_dois

    @cached_property
    def leading_dois(self) -> frozenset[str]:
        """The readings of the first printed DOI, if it is prominent."""
        return self._first_doi & self._prominent_dois

    @cached_property
    def _first_doi(self) -> frozenset[str]:
        return frozenset(self._dois[0].readings if self._dois else ())

    @cached_property
    def _prominent_dois(self) -> frozenset[str]:
        times = Counter(reading for mention in self._dois for reading in mention.readings)
        return frozenset(
            reading
            for mention in self._dois
            for reading in mention.readings
            if mention.alone or times[reading] > 1
        )


def _goes_on_in_words(text: str, below: str) -> bool:
    last, first = text.split()[-1:], below.split()[:1]
    joining = word_list("joining in a title")
    return not joining.isdisjoint((*(word.lower() for word in last), *first))


def family_name_words(author: str) -> tuple[str, ...]:
    """The words by which an author, written `Family, Given` or as a name in one, is recognised."""
    family, _, given = author.partition(",")
    words = normalise_title(family).split()
    telling = max(words, key=len, default="")
    if len(telling) > 2 or not telling.isascii():
        return (telling,)
    first_name = max(normalise_title(given).split(), key=len, default="")
    return (telling, first_name) if telling and len(first_name) > 1 else ()
