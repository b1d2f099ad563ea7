"""What can be suggested where somebody writes a citation: works, and pages of a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from citeloom.application.manuscript.works import CitedWorks
from citeloom.domain.manuscript.quotations import spans_in_quotation_marks
from citeloom.domain.manuscript.verdicts import Lookup, best, found_text, look_up
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
    r"\\\w*c(?:ite|quote)\w*\*?(?:\[[^\]\n]*\])?\[(?:(?:pp?|[Ss]|ff?)\.?[~\s]*)?"
    r"(?P<page>[\divxlc]*)$"
)
_KEY_AFTER = re.compile(
    rf"[^\]\n]*\]\{{(?P<key>{_KEY}+)(?:,[^{{}}\n]*)?\}}(?:\{{(?P<quote>[^{{}}]+)\}})?"
)
_LATEX_QUOTATION = re.compile(
    r"\\(?:en|text|foreign)quote\*?(?:\{[a-z]+\}(?=\{))?\{(?P<braced>[^{}]+)\}"
    r"|``(?P<marked>(?:(?!''|``).)+)''",
    re.DOTALL,
)
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


def suggestions(works: CitedWorks, before: str, after: str = "") -> list[Suggestion]:
    """What may be written between the text before the cursor and the text after it; nothing where
    no citation is begun.
    """
    near = before[-_LOOKED_BACK:]
    page = _page_begun(near, after)
    if page is not None:
        citekey, length = page
        opening = max(before.rfind("@"), before.rfind("\\"), before.rfind("#cite"))
        behind = _KEY_AFTER.match(after)
        quote = (behind and behind["quote"]) or _quotation_before(before[:opening])
        lookup = best(look_up(quote, text) for text in works.of(citekey)) if quote else None
        pages = _pages_of(lookup)
        return [Suggestion(text=pages, length=length, rank=0, page=pages)] if pages else []
    key = _KEY_BEGUN.search(near)
    if key is None:
        return []
    keys = _keys(works, before[: len(before) - len(key[0])], len(key["key"]))
    return sorted(keys, key=lambda suggestion: (suggestion.rank, suggestion.text))


def _page_begun(near: str, after: str) -> tuple[str, int] | None:
    """The citekey whose page is begun, and the length of what is written of it."""
    match = _SUPPLEMENT.search(near) or _PAGE_BEHIND.search(near)
    if match is not None:
        return match["key"], len(match["page"])
    match, key = _PAGE_BEFORE.search(near), _KEY_AFTER.match(after)
    return (key["key"], len(match["page"])) if match and key else None


def _quotation_before(text: str) -> str | None:
    """The quotation that the text ends with, up to a few signs; None without one."""
    paragraph = text[-_LOOKED_BACK:].rpartition("\n\n")[2]
    spans = list(spans_in_quotation_marks(paragraph))
    spans += [match.span(match.lastgroup or 0) for match in _LATEX_QUOTATION.finditer(paragraph)]
    start, end = max(spans, key=lambda span: span[1], default=(0, 0))
    if not spans or len(paragraph) - end > _NEAR:
        return None
    quote = " ".join(paragraph[start:end].split())
    return quote if len(quote.split()) >= _LEAST_WORDS else None


def _pages_of(lookup: Lookup | None) -> str:
    """The pages that a quotation is on, nearly or exactly; empty if on none."""
    place = found_text(lookup) if lookup else None
    return place.pages if place else ""


def _keys(works: CitedWorks, before: str, length: int) -> Iterator[Suggestion]:
    """Every citekey: first those of works that have the quotation before it, with its pages there,
    or else of those that share most words with the sentence that is being written.
    """
    quote = _quotation_before(before)
    lookups = [look_up(quote, text) for text in works.candidates(quote)] if quote else []
    quoted = {
        lookup.work.citation.citekey: _pages_of(lookup)
        for lookup in lookups
        if lookup.span is not None and lookup.work.citation is not None
    }
    ranks: dict[str, int] = {}
    if not quoted:
        for rank, key in enumerate(_related(works, before), start=1):
            ranks.setdefault(key, rank)
    for work in works.references:
        key = work.citekey
        rank = 0 if key in quoted else ranks.get(key, ANY_OTHER)
        yield Suggestion(text=key, length=length, rank=rank, work=work, page=quoted.get(key, ""))


def _related(works: CitedWorks, before: str) -> Iterator[str]:
    """The works that share most words with the sentence that is being written."""
    paragraph = before[-_LOOKED_BACK:].rpartition("\n\n")[2]
    spans = list(sentence_spans(paragraph))
    sentence = paragraph[slice(*spans[-1])] if spans else ""
    if len(sentence.split()) >= _LEAST_WORDS:
        for text in islice(works.candidates(sentence), _MOST_RELATED):
            if text.citation is not None:
                yield text.citation.citekey
