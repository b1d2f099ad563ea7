"""Sentences of a draft without a citation, and what a library has in support of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.answers.answer import Agreement
from citeloom.domain.answers.claim_check import check_claim, differences
from citeloom.domain.answers.untrusted import trusted_length
from citeloom.domain.manuscript.draft import (
    MARK,
    Draft,
    DraftLocation,
    ParagraphKind,
)
from citeloom.domain.retrieval.passage import ChunkWords, StoredChunk
from citeloom.domain.text.near import WordChange
from citeloom.domain.text.tokens import content_words, sentence_spans
from citeloom.domain.text.verbatim import content_share as share

# Sentences without a citation.

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
    place: DraftLocation
    is_claim: bool


def uncited_sentences(draft: Draft) -> list[UncitedSentence]:
    """The sentences of a draft's paragraphs and footnotes that have no citation, in its order."""
    sentences = []
    for paragraph in draft.paragraphs:
        if paragraph.kind not in _KINDS:
            continue
        # A citation behind the full stop belongs to the sentence before it, like a quotation mark.
        for start, end in sentence_spans(paragraph.text.replace(MARK, '"')):
            cited = any(mark.citations and start <= mark.offset < end for mark in paragraph.marks)
            text = " ".join(paragraph.text[start:end].replace(MARK, "").split())
            if not cited and _WORD.search(text):
                place = draft.place_in(paragraph, start, end)
                is_claim = claims_something(text)
                sentences.append(UncitedSentence(text=text, place=place, is_claim=is_claim))
    return sorted(sentences, key=lambda sentence: sentence.place)


def claims_something(sentence: str) -> bool:
    """Whether a sentence states something that a source could support: it does not ask, is not
    very short, and is not about the draft itself or its authors.
    """
    words = _WORD.findall(sentence)
    if len(words) < _LEAST_WORDS or sentence.rstrip("\"'\u201d\u2019) ").endswith(("?", ":")):
        return False
    return _ABOUT_THE_DRAFT.search(sentence) is None


# What supports them.


class Support(StrEnum):
    """How well a library supports a sentence.

    `SUPPORTED`: a sentence of a work says it, as a written sentence agrees with its quotes.
    `LIKELY`: passages are as near as those that hold an answer; whether they say it is for the
    reader to judge. `RELATED`: passages are about it, or have it with a word that says otherwise.
    `NOTHING`: no passage is.
    """

    SUPPORTED = "supported"
    LIKELY = "likely"
    RELATED = "related"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportingPassage(ChunkWords):
    """The sentence of a passage that speaks most for a sentence of a draft. Where it does not say
    what the draft says, `difference` has the words that may make the draft say something else.
    """

    supports: bool
    difference: tuple[WordChange, ...] = ()

    @property
    def quote(self) -> str:
        return " ".join(self.text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSupport:
    """What the library has in support of a sentence, best first, and the evidence that there is
    something: 0 to 1.5.
    """

    sentence: UncitedSentence
    support: Support
    evidence: float
    passages: tuple[SupportingPassage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportReport:
    """The uncited sentences of a draft with what supports them: those that claim something first,
    each group in the order of the draft.
    """

    draft: str
    sentences: tuple[SentenceSupport, ...]
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        counts = Counter(sentence.support for sentence in self.sentences)
        return {support.value: counts[support] for support in Support}


_SENTENCES_TRIED = 4
"""How many sentences of a passage, those that share most words, are checked against a claim."""
_LEAST_CONTENT_WORDS = 3
"""A claim with fewer words that carry content has too little that could be checked."""


def best_sentence(claim: str, stored: StoredChunk) -> SupportingPassage:
    """The sentence of a passage that supports a claim, or else the one that shares most of its
    words; the whole passage where none shares any.
    """
    text = stored.chunk.text
    nearest = nearest_sentences(claim, text)
    tried = nearest[:_SENTENCES_TRIED] if len(content_words(claim)) >= _LEAST_CONTENT_WORDS else []
    for start, end in tried:
        quote = text[start:end]
        if check_claim(claim, [quote]).agreement is Agreement.AGREES:
            return SupportingPassage(stored=stored, start=start, end=end, supports=True)
    if not nearest:
        return SupportingPassage(stored=stored, start=0, end=trusted_length(text), supports=False)
    start, end = nearest[0]
    changes = differences(claim, text[start:end]) if tried else ()
    return SupportingPassage(
        stored=stored, start=start, end=end, supports=False, difference=changes
    )


def nearest_sentences(words: str, text: str) -> list[tuple[int, int]]:
    """The spans of a passage's sentences that share words with a text, those that share most first;
    none behind anything there that gives orders to a model.
    """
    trusted = trusted_length(text)
    shares = {
        (start, end): share(words, [text[start:end]])
        for start, end in sentence_spans(text)
        if end <= trusted
    }
    return sorted((span for span in shares if shares[span]), key=lambda span: -shares[span])
