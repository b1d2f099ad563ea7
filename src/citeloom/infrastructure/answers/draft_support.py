"""What supports the sentences of a draft, and the evidence for one place of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.manuscript.cited_place import CitedPlace, language_of
from citeloom.domain.manuscript.corrections import corrections_of
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.sentence_support import (
    SentenceSupport,
    Support,
    SupportingPassage,
    SupportReport,
)
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict
from citeloom.domain.retrieval.passage import trim
from citeloom.domain.text.near import AlignedWords, WordChange, aligned_words
from citeloom.infrastructure.answers.draft_checks import ChangedWords, change_in_words, explained
from citeloom.infrastructure.answers.headlines import doubts_on, place
from citeloom.infrastructure.answers.model import (
    UNTRUSTED,
    Model,
    SourcePath,
    Untrusted,
    filled,
)
from citeloom.infrastructure.answers.passages import Links, Work
from citeloom.infrastructure.answers.text import one_line, printable

# In words.

_LONGEST_QUOTE = 400
_SAID = {
    Support.SUPPORTED: "supported",
    Support.LIKELY: "likely",
    Support.RELATED: "related",
    Support.NOTHING: "nothing found",
}


def support_text(reports: Sequence[SupportReport]) -> Iterator[str]:
    """A line for each sentence, with its passages below it."""
    for report in reports:
        for supported in report.sentences:
            place = supported.sentence.place
            yield (
                f"{report.draft}:{place.line}:{place.column}: {_SAID[supported.support]}: "
                f"{one_line(supported.sentence.text)}"
            )
            suffix = Path(report.draft).suffix
            for passage in supported.passages:
                remark = "says" if passage.supports else "near"
                yield (
                    f"    {_cited(passage, suffix)} {remark}: “{_quote(passage)}”"
                    f"{differences_in_words(passage.difference)}"
                )


def differences_in_words(differences: Sequence[WordChange | ChangedWords]) -> str:
    """What to compare, in a line; empty without differences."""
    return f"; compare: {'; '.join(map(change_in_words, differences))}" if differences else ""


def citation_of(passage: SupportingPassage, suffix: str) -> str:
    """The citation ready to paste into a draft with this suffix; without a reference the place."""
    work = passage.stored.citation
    if work is None:
        return place(passage.stored)
    return CitedPlace.of(work.citekey, passage.locator).in_file(suffix)


def _cited(passage: SupportingPassage, suffix: str) -> str:
    """Its citation, and what speaks against its words."""
    return f"{citation_of(passage, suffix)}{doubts_on(passage.stored)}"


def _quote(passage: SupportingPassage) -> str:
    return trim(one_line(printable(passage.quote)), _LONGEST_QUOTE)[0]


# As it is answered.


class SupportingPassageAnswer(Work):
    """A sentence of a work that speaks for a sentence of a draft."""

    chunk_id: str
    """The chunk."""
    doc_id: str
    """The document."""
    supports: bool
    """Whether the sentence says what the draft says, by every rule for written sentences."""
    quote: str
    """The work's sentence."""
    difference: tuple[ChangedWords, ...]
    """Numbers, names, opposites, negations and, in a close sentence, other words by which the draft
    may say something else.
    """
    citation: str
    """The citation of its page in the form of the draft's format."""
    page_span: tuple[int, ...] | None
    """First and last physical page; null without pages."""
    page_labels: tuple[str, ...]
    """What is printed on these pages."""
    locator: str
    """The place in words."""
    doubts: tuple[Doubt, ...]
    """What speaks against the words of its passage, as in a query."""
    doubtful_words: tuple[str, ...]
    """Words that these are about."""
    source_path: SourcePath
    """The file."""
    links: Links
    """Where it can be opened."""

    @classmethod
    def of(cls, passage: SupportingPassage, suffix: str) -> Self:
        stored, locator = passage.stored, passage.locator
        return filled(
            cls,
            passage,
            stored.chunk,
            Work.of_reference(stored.citation),
            stored,
            chunk_id=stored.chunk.id,
            citation=citation_of(passage, suffix),
            page_span=locator.page_span,
            page_labels=locator.page_labels,
            locator=str(locator),
            links=Links.of(stored),
        )


class SupportedSentence(Model):
    """A sentence of a draft without a citation."""

    content: Untrusted = UNTRUSTED
    """The words of drafts and works are not to be trusted."""
    file: str
    """The draft."""
    line: int
    """Where the sentence begins, from 1."""
    column: int
    """The same, in characters from 1."""
    start: int
    """Its first character in the file."""
    end: int
    """The one behind its last word."""
    text: str
    """The sentence."""
    claims: bool
    """Whether it claims something of the world."""
    support: Literal["supported", "likely", "related", "nothing"]
    """How well the library supports it."""
    evidence: float
    """What `likely` rests on: similarity and half the coverage, 0 to 1.5."""
    passages: tuple[SupportingPassageAnswer, ...]
    """What speaks for it, best first."""

    @classmethod
    def of(cls, draft: str, supported: SentenceSupport) -> Self:
        return filled(
            cls,
            supported,
            supported.sentence,
            supported.sentence.place,
            file=draft,
            claims=supported.sentence.is_claim,
            evidence=round(supported.evidence, 4),
            passages=tuple(
                SupportingPassageAnswer.of(passage, Path(draft).suffix)
                for passage in supported.passages
            ),
        )


class SupportCounts(Model):
    """How many sentences have which support."""

    supported: int
    """A work says it."""
    likely: int
    """Passages are near."""
    related: int
    """Passages are about it."""
    nothing: int
    """There is nothing."""


class SupportAnswer(Model):
    """What supports the sentences of drafts: that of `support --json`."""

    sentences: tuple[SupportedSentence, ...]
    """Those that claim something first."""
    counts: SupportCounts
    """How many have which support."""
    warnings: tuple[str, ...]
    """What was odd about a file."""

    @classmethod
    def of(cls, reports: Sequence[SupportReport]) -> Self:
        counts = Counter(each.support.value for report in reports for each in report.sentences)
        return cls(
            sentences=tuple(
                SupportedSentence.of(report.draft, supported)
                for report in reports
                for supported in report.sentences
            ),
            counts=SupportCounts(**{name: counts[name] for name in SupportCounts.FIELDS}),
            warnings=tuple(warning for report in reports for warning in report.warnings),
        )


# As comments in a copy of the draft.

_AFTER_SENTENCE = re.compile(r"[.!?…\"'\u201d\u2019»)\]}*_]*(?:\[\^[^\]\n]+\])?")


def with_comments(draft: Draft, report: SupportReport) -> str:
    """The text of a draft with a comment behind each sentence that something supports. Nothing that
    is printed of the draft changes.
    """
    suffix, text = Path(draft.name).suffix.lower(), draft.text
    insertions = sorted(
        (
            _insertion(text, supported, suffix)
            for supported in report.sentences
            if supported.passages and supported.support in {Support.SUPPORTED, Support.LIKELY}
        ),
        reverse=True,
    )
    for at, comment in insertions:
        text = text[:at] + comment + text[at:]
    return text


def _insertion(text: str, supported: SentenceSupport, suffix: str) -> tuple[int, str]:
    """Where a comment goes, and its text: behind the sentence, or on a line of its own below."""
    passage = supported.passages[0]
    remark = f"{_SAID[supported.support]}: {_cited(passage, suffix)} “{_quote(passage)}”"
    remark += differences_in_words(passage.difference)
    behind = _AFTER_SENTENCE.match(text, supported.sentence.place.end)
    at = behind.end() if behind else supported.sentence.place.end
    if suffix == ".org":
        return at, f" @@comment: {remark.replace('@@', '@ @')}@@"
    mark = language_of(suffix).line_comment
    if not mark:
        return at, f" <!-- {re.sub('-(?=-|>)', '- ', remark)} -->"
    line_end = text.find("\n", at)
    if line_end < 0:
        return len(text), f"\n{mark} {remark}\n"
    return line_end + 1, f"{mark} {remark}\n"


# The evidence for one place of a draft: what it says, what the work has, and what to do.


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftEvidence:
    """A check with what it says in words, and the quotation beside the work's words.

    `corrections` are words of the draft and what should stand there instead; `citation` is that of
    where the quotation stands, in the draft's own notation, empty where that has no citekey.
    """

    check: CitationCheck
    message: str
    beside: Sequence[AlignedWords]
    corrections: Sequence[tuple[str, str]]
    citation: str

    @classmethod
    def of(cls, draft: Draft, check: CitationCheck) -> Self:
        quote, found = check.quote or "", check.found
        work = found.text if found else quote
        if check.verdict is CitationVerdict.EXACT:
            beside = [AlignedWords(quote, work, same=True)]
        else:
            beside = [*aligned_words(quote, work)]
        corrections = corrections_of(draft, check) if draft.is_plain_text else ()
        citation = ""
        if found and found.citekey:
            citation = CitedPlace.of(found.citekey, found.locator).in_file(draft.name)
        return cls(
            check=check,
            message=explained(check),
            beside=beside,
            corrections=[(draft.text[one.start : one.end], one.text) for one in corrections],
            citation=citation,
        )
