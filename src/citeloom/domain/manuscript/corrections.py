"""A draft with pages and words of its quotations corrected, where that is sure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from citeloom.domain.manuscript.cited_place import MARKUPS, language_of
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, DraftReport

_REACH = 120
_LONGEST_RUN = 4
"""How many words a change may have to be corrected."""


@dataclass(frozen=True, slots=True, order=True)
class Correction:
    """Characters `[start, end)` of a draft, and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedDraft:
    """A draft's text with corrections, and the checks that fail and are left to the author."""

    name: str
    before: str
    text: str
    corrections: tuple[Correction, ...]
    left: tuple[CitationCheck, ...]

    def diff(self) -> str:
        """The corrections as a unified diff; empty without any."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.text))
        new = f"{self.name} (corrected)"
        return "".join(unified_diff(before, after, self.name, new, n=1))


def corrected(draft: Draft, report: DraftReport) -> CorrectedDraft:
    """The draft with each wrong page replaced by the right one, and each word of a near quotation
    that the work has otherwise by the work's; words left out or added stay, as do Word and
    OpenDocument files.
    """
    corrections: set[Correction] = set()
    left: list[CitationCheck] = []
    for check in report.checks:
        possible = list(corrections_of(draft, check)) if draft.is_plain_text else []
        corrections.update(possible)
        due = 1
        if check.verdict is CitationVerdict.NEAR:
            due = len(check.difference) + (not check.on_page)
        if check.fails and (not possible or len(possible) < due):
            left.append(check)
    applied: list[Correction] = []
    text, at = draft.text, 0
    parts: list[str] = []
    for correction in sorted(corrections):
        if correction.start >= at:
            applied.append(correction)
            parts += [text[at : correction.start], correction.text]
            at = correction.end
    return CorrectedDraft(
        name=draft.name,
        before=text,
        text="".join([*parts, text[at:]]),
        corrections=tuple(applied),
        left=tuple(left),
    )


def corrections_of(draft: Draft, check: CitationCheck) -> Iterator[Correction]:
    """The corrections of one check that fails, of which some may overlap."""
    if not check.fails:
        return
    if check.verdict is CitationVerdict.WRONG_PAGE or (
        check.verdict is CitationVerdict.NEAR and not check.on_page
    ):
        yield from _page(draft, check)
    if check.verdict is CitationVerdict.NEAR:
        yield from _words(draft, check)


def _page(draft: Draft, check: CitationCheck) -> Iterator[Correction]:
    """The right page in place of the locator that stands behind the key, or before it in LaTeX."""
    citation, found = check.citation, check.found
    if citation is None or citation.locator is None or found is None or not found.pages:
        return
    written = re.escape(str(citation.locator)).replace("\\-", "-")
    loose = re.sub("[-\u2010-\u2015]+", "(?:[-\u2010-\u2015]+)", written)
    text, place = draft.text, citation.pages_place or citation.place
    behind = re.compile(rf"[^\[\]@;]{{0,40}}?\[?[^\[\]@;]{{0,40}}?(?<!\w)(?P<at>{loose})(?!\w)")
    before = re.compile(rf"\[[^\[\]]*?(?<!\w)(?P<at>{loose})(?!\w)[^\[\]]*\]\{{[^{{}}]*$")
    start = max(place.start - _REACH, 0)
    match = before.search(text, start, place.start) or behind.match(
        text, place.end, place.end + _REACH
    )
    if match:
        is_latex = language_of(draft.name) is MARKUPS["latex"]
        pages = found.pages.replace("-", "--") if is_latex else found.pages
        start, end = match.span("at")
        label = _LABEL.search(text, max(start - _LONGEST_LABEL, 0), start)
        if label and (name := _renamed(label["name"], is_several="-" in pages)):
            pages = f"{name}{label['rest']}{pages}"
            start = label.start()
        yield Correction(start, end, pages)


_ONE_OR_SEVERAL = {
    "p": "pp",
    "page": "pages",
    "seite": "seiten",
    "página": "páginas",
    "pág": "págs",
    "pagina": "pagine",
    "s": "ss",
}
_LABEL = re.compile(r"(?<![^\W_])(?P<name>[^\W\d_]+)(?P<rest>\.?[\s~\xa0]*)$")
_LONGEST_LABEL = 12


def _renamed(label: str, *, is_several: bool) -> str | None:
    """The label of one page as that of several, or the other way round; None if it fits."""
    for one, several in _ONE_OR_SEVERAL.items():
        wrong, right = (one, several) if is_several else (several, one)
        if label.casefold() == wrong and wrong != "s":
            return f"{label[0]}{right[1:]}"
    return None


def _words(draft: Draft, check: CitationCheck) -> Iterator[Correction]:
    """The work's words in place of the draft's, where these stand once in the quotation."""
    text, place = draft.text, check.place
    for change in check.difference:
        words = change.quote.split()
        if not words or not change.work or len(words) > _LONGEST_RUN:
            continue
        pattern = r"[\s>*_]+".join(map(re.escape, words))
        whole = re.compile(rf"(?<!\w){pattern}(?!\w)")
        matches = list(whole.finditer(text, place.start, place.end))
        if len(matches) == 1:
            yield Correction(*matches[0].span(), change.work)
