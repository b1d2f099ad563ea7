"""What is known of a made document, and where its parts stand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.made_documents.stories import Formula, Heading, Paragraph, Plot, Story, Table

from citeloom.domain.evaluation.page_truth import Letters

_WINDOW = 26
_WINDOWS = (26, 40)


@dataclass(frozen=True)
class Truth:
    """A document's parts in reading order.

    `flow` are the sentences of the running text, `asides` notes and captions, which may stand
    anywhere but within a sentence. `edges` are furniture, `labels` what belongs to plots.
    """

    flow: tuple[str, ...]
    asides: tuple[str, ...]
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    formulas: tuple[str, ...]
    edges: tuple[str, ...]
    labels: tuple[str, ...]
    title: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a reader would quote."""
        return (*self.flow, *self.asides)


def truth_of(story: Story) -> Truth:
    """What a document made of the story has to say."""
    found: Mapping[str, list[str]] = {name: [] for name in ("flow", "asides", "headings", "labels")}
    rows: list[tuple[str, ...]] = []
    formulas: list[str] = []
    for element in story.elements:
        match element:
            case Heading():
                found["headings"].append(element.text)
            case Paragraph():
                found["flow"].extend(element.sentences)
                found["asides"].extend(filter(None, (element.note, element.margin)))
            case Table():
                found["asides"].append(element.caption)
                rows.extend(element.rows)
            case Plot():
                found["asides"].append(element.caption)
                found["labels"].extend((*element.ticks, *element.legend))
            case Formula():
                formulas.append(element.plain)
    return Truth(
        flow=tuple(found["flow"]),
        asides=tuple(found["asides"]),
        headings=tuple(found["headings"]),
        rows=tuple(rows),
        formulas=tuple(formulas),
        edges=story.furniture,
        labels=tuple(found["labels"]),
        title=story.title,
    )


@dataclass(frozen=True)
class PageIndex:
    """The pages as a second reader has them, to find the first and the last page of a text."""

    texts: Sequence[str]

    @cached_property
    def _joined(self) -> list[str]:
        return [Letters(text).joined for text in self.texts]

    def span(self, text: str) -> tuple[int, int] | None:
        """The pages on which the text begins and ends; None where that is not certain."""
        letters = Letters(text).joined
        first = self._page_of(letters[:end] for end in _WINDOWS) or self._page_before(letters)
        last = self._page_of(letters[-end:] for end in _WINDOWS) or self._page_behind(letters)
        return (first, last) if first and last else None

    def spans(self, texts: Sequence[str]) -> list[tuple[int, int] | None]:
        """The pages of each of the texts, which follow one another.

        One that the second reader has otherwise, as from the right, is between its neighbours.
        """
        found = [self.span(text) for text in texts]
        for at in range(1, len(found) - 1):
            before, behind = found[at - 1], found[at + 1]
            if found[at] is None and before and behind and before[1] == behind[0]:
                found[at] = (before[1], behind[0])
        return found

    def completed(self, texts: Sequence[str]) -> list[Letters]:
        """The pages with those of the texts that stand on them but are read otherwise."""
        added = list(self.texts)
        for text, span in zip(texts, self.spans(texts)):
            if span and span[0] == span[1] and not self._pages(Letters(text).joined):
                added[span[0] - 1] += f"\n{text}"
        return [Letters(text) for text in added]

    def _page_of(self, windows: Iterable[str]) -> int | None:
        """The only page that has the first of these windows that is on one page alone."""
        return next(filter(None, map(self._only_page, windows)), None)

    def _only_page(self, window: str) -> int | None:
        pages = self._pages(window)
        return pages[0] if len(pages) == 1 else None

    def _pages(self, window: str) -> list[int]:
        return [n for n, page in enumerate(self._joined, start=1) if window in page]

    def _page_before(self, letters: str) -> int | None:
        """The page of a text that turns the page within its first letters."""
        for cut in range(1, 0 if self._pages(letters[:_WINDOW]) else _WINDOW):
            page = self._only_page(letters[cut : cut + _WINDOW])
            if page:
                return page - 1 if page > 1 and letters[:cut] in self._joined[page - 2] else None
        return None

    def _page_behind(self, letters: str) -> int | None:
        """The page of a text that turns the page within its last letters."""
        least = len(letters) - (0 if self._pages(letters[-_WINDOW:]) else _WINDOW)
        for cut in range(len(letters) - 1, least, -1):
            page = self._only_page(letters[cut - _WINDOW : cut])
            if page:
                behind = self._joined[page] if page < len(self._joined) else ""
                return page + 1 if letters[cut:] in behind else None
        return None


def is_looked_at(name: str) -> bool:
    """Whether a document may be looked into; the others are only measured."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0
