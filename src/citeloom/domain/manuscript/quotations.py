"""The quotations of a draft, each with the citations that it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftCitation,
    DraftLocation,
    DraftParagraph,
    Mark,
    ParagraphKind,
)
from citeloom.domain.manuscript.page_locator import pages_behind
from citeloom.domain.text.tokens import sentence_spans, unsegmented_letters, word_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A quotation of a draft without its quotation marks, and the citations given for it.

    `has_formula` says that mathematics is in it, `is_translation` that the draft calls it the
    author's own translation.
    """

    text: str
    place: DraftLocation
    citations: tuple[DraftCitation, ...]
    is_block: bool = False
    has_formula: bool = False
    is_translation: bool = False

    @property
    def may_be_term(self) -> bool:
        """Whether so few words may be a term in quotation marks, which is nobody's."""
        return not self.is_block and word_count(self.text) < _LEAST_WORDS


_LEAST_WORDS = 6


def quotations(draft: Draft) -> list[Quotation]:
    """The quotations that a draft gives citations for, in its order: spans in quotation marks,
    and block quotations. Quotation marks within quotations are part of these.
    """
    quotations = [*_spans(draft), *_blocks(draft)]
    return sorted(quotations, key=lambda one: one.place)


# Spans in quotation marks.

_CLOSERS = {
    "\u201c": "\u201d\u201f",
    "\u201d": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab\u00bb",
    '"': '"',
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u2039": "\u203a",
    "\u203a": "\u2039",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "\uff62": "\uff63",
    "\u301d": "\u301e\u301f",
}
_BRACKETS = "\u300c\u300e\uff62\u301d"
"""Marks of East Asia that open wherever they stand."""
_ONLY_OPENING = "\u201c\u2018\u00ab"
_SPACED = "\u00ab\u2039"
"""Marks that open before a space, too, as in French."""
_MARK = re.compile(f"[{re.escape(''.join({*_CLOSERS, *''.join(_CLOSERS.values())}))}]")
_LONGEST = 5_000
_TRANSLATION = re.compile(
    r"\b(?:my|our|own|author'?s'?)\s+(?:own\s+)?transl|\btransl(?:ation)?\.?\s+(?:mine|ours|by the "
    r"author)|\btrans\.\s+(?:by\s+)?(?:mine|me)\b|(?:eigene|meine)\s+übers|übers(?:etzung)?\.?\s+"
    r"(?:d(?:urch|\.)?\s+(?:die\s+|den\s+)?verf|des\s+autors|der\s+autorin|von\s+mir)|"
    r"(?:notre|ma)\s+traduction|traduction\s+(?:de\s+l['\u2019]auteur|personnelle)|"
    r"(?:minha|nossa)\s+tradução|tradução\s+(?:minha|nossa|própria|livre)|traducción\s+(?:mía|propia)",
    re.IGNORECASE,
)


def spans_in_quotation_marks(text: str) -> Iterator[tuple[int, int]]:
    """The outermost spans between quotation marks, without these."""
    marks = [match.start() for match in _MARK.finditer(text)]
    written = {text[place] for place in marks}
    ends: dict[int, int] = {}
    for opening in _CLOSERS.keys() & written:
        ends.update(_pairs(text, marks, opening))
    at = 0
    for start in sorted(ends):
        if start >= at:
            yield start + 1, ends[start]
            at = ends[start] + 1


def _pairs(text: str, marks: Sequence[int], opening: str) -> Iterator[tuple[int, int]]:
    """The spans that open with a mark: marks of its own kind within them are paired."""
    closers = _CLOSERS[opening]
    opened: list[int] = []
    for place in marks:
        char = text[place]
        if char != opening and char not in closers:
            continue
        goes_on = text[place + 1 : place + 2].isalnum()
        if _opens(text, place, opening) if not opened else _opens_within(text, place, opening):
            opened.append(place)
        elif opened and char in closers and not (char == "\u2019" and goes_on):
            start = opened.pop()  # not at an apostrophe in a word
            if place - start < _LONGEST and _opens(text, start, opening):
                yield start, place


def _opens(text: str, place: int, opening: str) -> bool:
    """Whether a mark may begin a quotation: one between a letter and a space does not."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if text[place] != opening or not after:
        return False
    if opening in _BRACKETS:
        return True
    is_free = not before.isalnum() or _follows_unspaced_word(before, opening)
    return is_free and (opening in _SPACED or not after.isspace())


def _opens_within(text: str, place: int, opening: str) -> bool:
    if opening in _BRACKETS or (opening in _SPACED and text[place] == opening):
        return _opens(text, place, opening)
    before, after = text[place - 1], text[place + 1 : place + 2]
    return after.isalnum() and (
        before in " ([" or (text[place] == opening and _follows_unspaced_word(before, opening))
    )


def _follows_unspaced_word(before: str, opening: str) -> bool:
    """Whether a mark that only opens stands behind a letter of a script without spaces."""
    return opening in _ONLY_OPENING and bool(unsegmented_letters(before))


def _spans(draft: Draft) -> Iterator[Quotation]:
    for paragraph in draft.paragraphs:
        if paragraph.kind in {ParagraphKind.QUOTATION, ParagraphKind.HEADING}:
            continue
        text = paragraph.text
        spans = list(spans_in_quotation_marks(text))
        sentences = _sentences(text, spans) if spans else []
        for (start, end), (after, _) in zip(spans, [*spans[1:], (len(text), 0)]):
            citations = _cited(paragraph, (start, end), after, sentences)
            if not citations:
                continue
            behind = text[end : min(after, end + 120)]
            yield Quotation(
                text=_without_marks(paragraph, start, end),
                place=draft.place_in(paragraph, start, end),
                citations=_with_pages(citations, pages_behind(text, end + 1)),
                has_formula=any(low < end and start < high for low, high in paragraph.formulas),
                is_translation=_is_translation(behind, citations),
            )


def _with_pages(citations: tuple[DraftCitation, ...], pages: str) -> tuple[DraftCitation, ...]:
    """The citations of a quotation; a single one without pages has those that stand behind the
    quotation, as in `@key says “words” (p. 45)`.
    """
    if len(citations) != 1 or citations[0].suffix or not pages:
        return citations
    return (replace(citations[0], suffix=pages),)


def _is_translation(behind: str, citations: Sequence[DraftCitation]) -> bool:
    suffixes = (citation.suffix for citation in citations)
    return _TRANSLATION.search(" ".join((behind, *suffixes))) is not None


def _without_marks(paragraph: DraftParagraph, start: int, end: int) -> str:
    return " ".join(paragraph.text[start:end].replace(MARK, "").split())


def _sentences(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences of a paragraph; one that ends within a quotation goes on behind it."""
    masked = list(text)
    for start, end in spans:
        for at in range(start, end):
            if masked[at] in ".!?\u2026":
                masked[at] = ","
    return list(sentence_spans("".join(masked).replace("\n", " ")))


def _cited(
    paragraph: DraftParagraph,
    span: tuple[int, int],
    after: int,
    sentences: Sequence[tuple[int, int]],
) -> tuple[DraftCitation, ...]:
    """The citations of a quotation: those right behind it, else of its sentence the last author
    named before it with a page, a footnote with quotations of its own, the next bracket before
    another quotation, the last author named, the next ones at all, the last ones.
    """
    start, end = span
    around = (sentence for sentence in sentences if sentence[0] <= start < sentence[1])
    low, high = next(around, (0, len(paragraph.text)))
    high = max(high, end)
    marks = [mark for mark in paragraph.marks if mark.citations]
    before = [mark for mark in marks if low <= mark.offset < start]
    named = [mark for mark in before if mark.citations[0].in_text and not mark.is_note]
    behind = [mark for mark in marks if end <= mark.offset < high]
    right_behind = [mark for mark in marks if _is_right_behind(paragraph, end, mark)]
    choices = (
        [mark for mark in marks if start <= mark.offset < end],
        [mark for mark in right_behind if not mark.has_quotations],
        [mark for mark in named if mark.citations[0].locator][-1:],
        right_behind,
        [mark for mark in behind if mark.offset < after and not mark.citations[0].in_text],
        named[-1:],
        behind,
        before[-1:],
    )
    return next((chosen[0].citations for chosen in choices if chosen), ())


def _is_right_behind(paragraph: DraftParagraph, end: int, mark: Mark) -> bool:
    between = paragraph.text[end : mark.offset]
    return mark.offset >= end and not any(char.isalnum() for char in between) and len(between) < 12


# Block quotations.


def _blocks(draft: Draft) -> Iterator[Quotation]:
    """Each block quotation with citations, with one place from its first word to its last."""
    numbered = list(enumerate(draft.paragraphs))
    for block, members in groupby(numbered, key=lambda member: member[1].block):
        quoted = [member for member in members if member[1].kind is ParagraphKind.QUOTATION]
        if not block or not quoted:
            continue
        inside = [paragraph for _, paragraph in quoted]
        citations = _cited_block(draft, inside, quoted[0][0], quoted[-1][0])
        spans = [(paragraph, 0, _end_of_quote(paragraph)) for paragraph in inside]
        spans = [span for span in spans if span[0].text[: span[2]].strip()]
        if not citations or not spans:
            continue
        places = [draft.place_in(*span) for span in spans]
        start, end = min(place.start for place in places), max(place.end for place in places)
        behind = " ".join(paragraph.text[end:] for paragraph, _, end in spans)
        yield Quotation(
            text=_stripped(" ".join(_without_marks(*span) for span in spans)),
            place=draft.place(start, end),
            citations=citations,
            is_block=True,
            has_formula=any(paragraph.formulas for paragraph in inside),
            is_translation=_is_translation(behind, citations),
        )


def _cited_block(
    draft: Draft, inside: Sequence[DraftParagraph], first: int, last: int
) -> tuple[DraftCitation, ...]:
    """The citations of a block: the last ones in it, else those that open the paragraph behind it,
    else the last ones of the paragraph before it.
    """
    marks = [mark for paragraph in inside for mark in paragraph.marks if mark.citations]
    if marks:
        return marks[-1].citations
    if last + 1 < len(draft.paragraphs):
        following = draft.paragraphs[last + 1]
        opening = [m for m in following.marks if m.citations and m.offset < 3]
        if opening:
            return opening[0].citations
    before = first - 1
    while before >= 0 and draft.paragraphs[before].kind is ParagraphKind.NOTE:
        before -= 1
    if before >= 0 and draft.paragraphs[before].kind is ParagraphKind.TEXT:
        leading = [mark for mark in draft.paragraphs[before].marks if mark.citations]
        return leading[-1].citations if leading else ()
    return ()


_ATTRIBUTION = re.compile(r"\s*(?:\u2014|\u2013|--+)\s*[^.]{0,80}$")


def _end_of_quote(paragraph: DraftParagraph) -> int:
    """Where the citation at the end of a paragraph of a block begins, or else its end."""
    end = len(paragraph.text)
    cited = [mark.offset for mark in paragraph.marks if mark.citations and not mark.is_note]
    if cited and not any(char.isalnum() for char in paragraph.text[cited[-1] :].replace(MARK, "")):
        end = cited[-1]
        dash = _ATTRIBUTION.search(paragraph.text[:end])
        end = dash.start() if dash else end
    return end


def _stripped(text: str) -> str:
    """The text without quotation marks around all of it, and without a bracket left open."""
    text = text.strip().rstrip("([").rstrip()
    if len(text) > 1 and text[0] in _CLOSERS and text[-1] in _CLOSERS[text[0]]:
        inner = text[1:-1]
        if text[0] not in inner:
            return inner
    return text
