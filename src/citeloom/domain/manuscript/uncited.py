"""The sentences of a draft without a citation, and whether each claims something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.domain.documents.text import sentence_spans
from citeloom.domain.manuscript.draft import MARK, Draft, Paragraph, ParagraphKind, Place

_KINDS = frozenset({ParagraphKind.TEXT, ParagraphKind.NOTE})
_LEAST_WORDS = 4
_WORD = re.compile(r"[^\W_][\w'\u2019-]*")
_ABOUT_THE_DRAFT = re.compile(
    r"\b(?:I|my|we|our|ours|us)\b|"
    r"\b(?:this|the (?:present|next|following|previous|last)) "
    r"(?:paper|article|chapter|thesis|section|study|work|report|book|essay|part|appendix)\b|"
    r"\b(?:chapter|section|figure|table|appendix|equation) (?:\d|[A-Z]\b|\ufffc)|"
    r"\b(?:ich|wir|unsere?[nrs]?|meine?[nrs]?)\b|"
    r"\bdiese[rsm]? (?:Arbeit|Kapitel|Abschnitt|Artikel|Studie)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UncitedSentence:
    """A sentence of a draft without a citation; `is_claim` unless it asks, is very short or is
    about the draft itself.
    """

    text: str
    place: Place
    is_claim: bool


def uncited_sentences(draft: Draft) -> list[UncitedSentence]:
    """The sentences of a draft's paragraphs and footnotes that have no citation, in its order."""
    found = (
        sentence
        for paragraph in draft.paragraphs
        if paragraph.kind in _KINDS
        for sentence in _of_paragraph(draft, paragraph)
    )
    return sorted(found, key=lambda sentence: sentence.place)


def _of_paragraph(draft: Draft, paragraph: Paragraph) -> Iterator[UncitedSentence]:
    # A citation behind the full stop belongs to the sentence before it, like a quotation mark.
    for start, end in sentence_spans(paragraph.text.replace(MARK, '"')):
        cited = any(mark.citations and start <= mark.offset < end for mark in paragraph.marks)
        text = " ".join(paragraph.text[start:end].replace(MARK, "").split())
        if not cited and _WORD.search(text):
            place = draft.place_in(paragraph, start, end)
            yield UncitedSentence(text=text, place=place, is_claim=claims_something(text))


def claims_something(sentence: str) -> bool:
    """Whether a sentence states something that a source could support: it does not ask, is not
    very short, and is not about the draft itself or its authors.
    """
    words = _WORD.findall(sentence)
    if len(words) < _LEAST_WORDS or sentence.rstrip("\"'\u201d\u2019) ").endswith(("?", ":")):
        return False
    return _ABOUT_THE_DRAFT.search(sentence) is None
