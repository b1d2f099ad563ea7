"""The quotations of a draft, each with the citations that it is of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
from citeloom.domain.manuscript.page_locator import page_locator, pages_behind
from citeloom.domain.text.tokens import sentence_spans, unsegmented_letters, word_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A quotation of a draft without its quotation marks, and the citations given for it.

    `has_formula` says that mathematics is in it, `is_translation` that the draft calls it the
    author's own translation, `is_cited_before` that only the sentence before it has a citation.
    """

    text: str
    place: DraftLocation
    citations: tuple[DraftCitation, ...]
    is_block: bool = False
    has_formula: bool = False
    is_translation: bool = False
    is_cited_before: bool = False

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
    last: Mark | None = None
    rows = _cited_rows(draft)
    for paragraph in draft.paragraphs:
        citing = _Citing.of(paragraph, last)
        last = citing.marks[-1] if citing.marks else last
        for (start, end), (after, _) in zip(citing.spans, [*citing.spans[1:], (citing.length, 0)]):
            place = draft.place_in(paragraph, start, end)
            text = _without_marks(paragraph, start, end)
            own = citing.of_span(start, end, after) or rows.get(paragraph.row, ())
            is_before = not own and _SAME_WORK.match(paragraph.text, end) is None
            citations = own or citing.before(start, end)
            if not citations or (is_before and word_count(text) < _LEAST_WORDS):
                continue
            behind = paragraph.text[end : min(after, end + 120)]
            yield Quotation(
                text=text,
                place=place,
                citations=_with_pages(citations, paragraph.text, end + 1, draft, place),
                has_formula=any(low < end and start < high for low, high in paragraph.formulas),
                is_translation=_is_translation(behind, citations),
                is_cited_before=is_before,
            )


def _cited_rows(draft: Draft) -> Mapping[int, tuple[DraftCitation, ...]]:
    """The citations of each row of a table that has one mark, maybe beside a quotation."""
    marks: dict[int, list[Mark]] = defaultdict(list)
    for paragraph in draft.paragraphs:
        if paragraph.row:
            marks[paragraph.row] += (mark for mark in paragraph.marks if mark.citations)
    return {row: found[0].citations for row, found in marks.items() if len(found) == 1}


_SAME_WORK = re.compile(
    r".?[\s\xa0]*[(\[]?\s*(?:ibid(?:em)?|ib|ib\u00edd|ebd|ebenda|idem|id|op\.\s?cit|loc\.\s?cit|"
    r"a\.\s?a\.\s?o|ap\. cit|\u0442\u0430\u043c \u0436\u0435|\u0442\u0430\u043c "
    r"\u0441\u0430\u043c\u043e|\u043f\u0430\u043a \u0442\u0430\u043c|tamt\u00e9\u017e|tam\u017ee|"
    r"tam\u017ce|turpat|ten pat|mt|a\.\s?g\.\s?e|\u540c\u4e0a)(?![^\W\d_])\.?",
    re.IGNORECASE,
)
"""What says behind a quotation that it is of the work that was cited last: `(ibid., p. 5)`."""


def _with_pages(
    citations: tuple[DraftCitation, ...], text: str, at: int, draft: Draft, place: DraftLocation
) -> tuple[DraftCitation, ...]:
    """The citations of a quotation that ends there; a single one without pages has those that stand
    behind it, as in `@key says “words” (p. 45)`, and so has one that is called the same work.
    """
    same = _SAME_WORK.match(text, at - 1)
    rest = re.match(r"[^()\[\]]{0,120}", text[same.end() :]) if same else None
    pages = rest[0] if rest and page_locator(rest[0]) else pages_behind(text, at)
    if len(citations) != 1 or not pages or (citations[0].suffix and not same):
        return citations
    behind = draft.place(place.end, place.end)
    return (replace(citations[0], prefix="", suffix=pages, pages_place=behind),)


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


_MOST_MARKS = 50
"""How many marks before or behind a quotation may be those of its sentence."""


@dataclass(frozen=True, slots=True)
class _Citing:
    """The quotations of a paragraph, its sentences, and its marks with citations; `last` is the one
    before the paragraph.
    """

    paragraph: DraftParagraph
    spans: Sequence[tuple[int, int]]
    sentences: Sequence[tuple[int, int]]
    marks: Sequence[Mark]
    last: Mark | None

    @classmethod
    def of(cls, paragraph: DraftParagraph, last: Mark | None) -> _Citing:
        cited = [mark for mark in paragraph.marks if mark.citations]
        is_heading = paragraph.kind is ParagraphKind.HEADING
        # a heading quotes only what it cites itself
        is_text = bool(cited) if is_heading else paragraph.kind is not ParagraphKind.QUOTATION
        spans = list(spans_in_quotation_marks(paragraph.text)) if is_text else []
        sentences = _sentences(paragraph.text, spans) if spans else []
        return cls(paragraph, spans, sentences, cited, None if is_heading else last)

    @property
    def length(self) -> int:
        return len(self.paragraph.text)

    def of_span(self, start: int, end: int, after: int) -> tuple[DraftCitation, ...]:
        """The citations of a quotation: those right behind it, else of its sentence the last author
        named before it with a page, a footnote with quotations of its own, the next bracket before
        another quotation, the last author named, the next ones at all, the last ones.
        """
        low, high = self._sentence(start, end)
        before = self._between(low, start)[-_MOST_MARKS:]
        named = [mark for mark in before if self._is_named(mark, low) and not mark.is_note]
        behind = self._between(end, high)
        near = self._between(end, end + _RIGHT_BEHIND)
        right_behind = [
            mark
            for mark in near
            if _is_right_behind(self.paragraph, end, mark)
            and not (named and mark.citations[0].in_text and self._is_past_a_stop(end, mark))
        ]
        choices = (
            self._between(start, end),
            [mark for mark in right_behind if not mark.has_quotations],
            [mark for mark in named if mark.citations[0].locator][-1:],
            right_behind,
            [mark for mark in behind if mark.offset < after and not mark.citations[0].in_text],
            named[-1:],
            behind,
            before[-1:],
        )
        return next((chosen[0].citations for chosen in choices if chosen), ())

    def _is_past_a_stop(self, end: int, mark: Mark) -> bool:
        return _STOP.search(self.paragraph.text, end, mark.offset) is not None

    def _is_named(self, mark: Mark, low: int) -> bool:
        """Whether a mark names its work in a sentence from `low` on: as an author, or by beginning
        it: `[@key] says`.
        """
        between = self.paragraph.text[low : mark.offset]
        begins = not any(map(str.isalnum, between))
        goes_on = _VERB.match(self.paragraph.text, mark.offset + len(MARK)) is not None
        return mark.citations[0].in_text or (begins and goes_on)

    def before(self, start: int, end: int) -> tuple[DraftCitation, ...]:
        """The citation of the work that is called the same behind a quotation without one, or else
        that of the sentence before it.
        """
        earlier = self._between(0, start)[-1:] or ([self.last] if self.last else [])
        if _SAME_WORK.match(self.paragraph.text, end) and earlier:
            cited = earlier[0].citations
            return cited if len(cited) == 1 else ()
        number = self._number(start)
        if number < 1:
            return ()
        preceding = self._between(*self.sentences[number - 1])
        return preceding[-1].citations if preceding else ()

    def _number(self, place: int) -> int:
        """The number of the last sentence that begins at a place or before it, or -1."""
        return bisect_right(self.sentences, place, key=lambda sentence: sentence[0]) - 1

    def _sentence(self, start: int, end: int) -> tuple[int, int]:
        """The sentence of a place, or else the whole paragraph."""
        number = self._number(start)
        if number < 0 or start >= self.sentences[number][1]:
            return 0, self.length
        low, high = self.sentences[number]
        return low, max(high, end)

    def _between(self, low: int, high: int) -> Sequence[Mark]:
        """The marks from one place to another: the nearest ones to the first, and to the last."""
        first, last = (
            bisect_left(self.marks, at, key=lambda mark: mark.offset) for at in (low, high)
        )
        if last - first <= 2 * _MOST_MARKS:
            return self.marks[first:last]
        return [*self.marks[first : first + _MOST_MARKS], *self.marks[last - _MOST_MARKS : last]]


_STOP = re.compile(r"[.!?]\W*\s")
_VERB = re.compile(r"\s+[^\W\d_A-Z]")
_RIGHT_BEHIND = 12


def _is_right_behind(paragraph: DraftParagraph, end: int, mark: Mark) -> bool:
    between = paragraph.text[end : mark.offset]
    return mark.offset >= end and not any(char.isalnum() for char in between)


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
    behind = paragraph.text[cited[-1] :].replace(MARK, "") if cited else ""
    pages = pages_behind(paragraph.text, cited[-1] + len(MARK)) if cited else ""
    if cited and not any(map(str.isalnum, behind.replace(pages, "", 1))):
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
