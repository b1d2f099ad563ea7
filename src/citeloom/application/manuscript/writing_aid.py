"""What can be suggested where somebody writes a citation: works, and pages of a quotation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from citeloom.application.manuscript.works import WorkTexts
from citeloom.domain.manuscript.quotations import spans_in_quotation_marks
from citeloom.domain.manuscript.verdicts import CitationVerdict, best, found_text, look_up
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.text.tokens import sentence_spans

_KEY = r"[^\s@{}\[\](),;<>\"'\\]"
_KEY_BEGUN = re.compile(
    rf"(?:(?<!\w)-?@\{{?|\\\w*cite\w*\*?(?:\[[^\]\n]*\]){{0,2}}\{{(?:[^{{}}\n]*,)?\s*|#cite\(<|"
    rf"\[cite(?:/\w+)?:@)(?P<key>{_KEY}*)$"
)
_PAGE_BEHIND = re.compile(
    rf"@\{{?(?P<key>{_KEY}+)\}}?(?:,\s*|\s*\[|\s+)(?:pp?\.?\s*)?(?P<page>[\divxlc]*)$"
)
_PAGE_BEFORE = re.compile(
    r"\\\w*cite\w*\*?(?:\[[^\]\n]*\])?\[(?:pp?\.?~?\s*)?(?P<page>[\divxlc]*)$"
)
_KEY_AFTER = re.compile(rf"[^\]\n]*\]\{{(?P<key>{_KEY}+)\}}")
_SUPPLEMENT = re.compile(
    rf"#cite\(<(?P<key>{_KEY}+)>,\s*supplement:\s*\[(?:pp?\.?\s*)?(?P<page>[\divxlc]*)$"
)
_LOOKED_BACK = 5_000
_LEAST_WORDS = 3
_NEAR = 40
"""How many characters may lie between a quotation and its citation."""
_MOST_RELATED = 5
ANY_OTHER = _MOST_RELATED + 1
"""The rank of works that have nothing of what is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A citekey or a page: `text` takes the place of the last `length` characters before the
    cursor. `rank` 0 is a work or a page that has the quotation before it, 1 to 5 works that share
    words with the sentence, those that share most first, and 6 any other.
    """

    text: str
    length: int
    rank: int
    work: CitationMeta | None = None
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingAid:
    """Suggests citekeys and pages by the texts of a project's works."""

    works: WorkTexts
    references: Callable[[], Sequence[CitationMeta]]

    def suggestions(self, before: str, after: str = "") -> list[Suggestion]:
        """What may be written between the text before the cursor and the text after it; nothing
        where no citation is begun.
        """
        page = self._page_begun(before, after)
        if page is not None:
            return list(self._pages(before, *page))
        key = _KEY_BEGUN.search(before[-_LOOKED_BACK:])
        if key is None:
            return []
        keys = self._keys(before[: len(before) - len(key[0])], len(key["key"]))
        return sorted(keys, key=lambda suggestion: (suggestion.rank, suggestion.text))

    def quotation_before(self, text: str) -> str | None:
        """The quotation that the text ends with, up to a few signs; None without one."""
        paragraph = text[-_LOOKED_BACK:].rpartition("\n\n")[2]
        spans = list(spans_in_quotation_marks(paragraph))
        if not spans or len(paragraph) - spans[-1][1] > _NEAR:
            return None
        quote = " ".join(paragraph[slice(*spans[-1])].split())
        return quote if len(quote.split()) >= _LEAST_WORDS else None

    def pages_of(self, quote: str, citekey: str) -> str:
        """The pages of a work that a quotation is on, nearly or exactly; empty if on none."""
        lookup = best(look_up(quote, text) for text in self.works.of(citekey))
        place = (
            found_text(lookup) if lookup and lookup.verdict is not CitationVerdict.ABSENT else None
        )
        return place.pages if place else ""

    def _page_begun(self, before: str, after: str) -> tuple[str, int] | None:
        """The citekey whose page is begun, and the length of what is written of it."""
        near = before[-_LOOKED_BACK:]
        match = _SUPPLEMENT.search(near) or _PAGE_BEHIND.search(near)
        if match is not None:
            return match["key"], len(match["page"])
        match, key = _PAGE_BEFORE.search(near), _KEY_AFTER.match(after)
        return (key["key"], len(match["page"])) if match and key else None

    def _pages(self, before: str, citekey: str, length: int) -> Iterator[Suggestion]:
        opening = max(before.rfind("@"), before.rfind("\\"), before.rfind("#cite"))
        quote = self.quotation_before(before[:opening])
        pages = self.pages_of(quote, citekey) if quote else ""
        if pages:
            yield Suggestion(text=pages, length=length, rank=0, page=pages)

    def _keys(self, before: str, length: int) -> Iterator[Suggestion]:
        quote = self.quotation_before(before)
        quoted = self._works_with(quote) if quote else {}
        related = [] if quoted else list(self._related(before))
        ranks = {key: rank for rank, key in reversed(list(enumerate(related, start=1)))}
        for work in self.references():
            key = work.citekey
            rank = 0 if key in quoted else ranks.get(key, ANY_OTHER)
            yield Suggestion(
                text=key, length=length, rank=rank, work=work, page=quoted.get(key, "")
            )

    def _works_with(self, quote: str) -> dict[str, str]:
        """The works that have a quotation, with its pages there."""
        works = {}
        for text in self.works.candidates(quote):
            lookup = look_up(quote, text)
            place = None if lookup.verdict is CitationVerdict.ABSENT else found_text(lookup)
            if place is not None and place.citekey:
                works[place.citekey] = place.pages
        return works

    def _related(self, before: str) -> Iterator[str]:
        """The works that share most words with the sentence that is being written."""
        paragraph = before[-_LOOKED_BACK:].rpartition("\n\n")[2]
        spans = list(sentence_spans(paragraph))
        if not spans or len(paragraph[slice(*spans[-1])].split()) < _LEAST_WORDS:
            return
        for text in islice(self.works.candidates(paragraph[slice(*spans[-1])]), _MOST_RELATED):
            if text.citation is not None:
                yield text.citation.citekey
