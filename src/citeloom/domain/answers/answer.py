"""An answer whose every sentence is tied to words of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from math import ceil

from citeloom.domain.answers.messages import MESSAGES, AnswerWording
from citeloom.domain.answers.overview import LibraryOverview, authors_text, overview_text
from citeloom.domain.answers.quotes import QuoteMatch, is_quotation
from citeloom.domain.answers.relevance import Relevance, Verdict
from citeloom.domain.answers.untrusted import inert
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import ChunkWords, Passage, StoredChunk

# What speaks against a sentence or a quote of a model.


class Fault(StrEnum):
    """Why a sentence is left out, or a quote is not verified."""

    NO_QUOTE = "no_quote"
    UNKNOWN_PASSAGE = "unknown_passage"
    NOT_IN_PASSAGE = "not_in_passage"
    INSTRUCTION = "instruction"
    OTHER_WORDS = "other_words"
    OTHER_NAMES = "other_names"
    OTHER_NUMBERS = "other_numbers"
    NEGATION = "negation"
    SCOPE = "scope"
    NOT_ENTAILED = "not_entailed"
    ENTAILMENT_UNCLEAR = "entailment_unclear"


_BYTES_A_TOKEN = 4
EXTRACTIVE = "extractive"
"""The method that writes nothing: the sentences are the passages' own."""


class AnswerStatus(StrEnum):
    """What an answer is worth.

    `ANSWERED`: the verdict says so and every sentence is shown and agrees with its quotes.
    `PARTIAL`: the question is only related, sentences were left out or are to be compared with
    their quotes, or a reply was cut off. `NOTHING_RELEVANT`: no sentence is
    shown.
    """

    ANSWERED = "answered"
    PARTIAL = "partial"
    NOTHING_RELEVANT = "nothing_relevant"


class NoAnswer(StrEnum):
    """Why there is no answer.

    `LIBRARY`: the passages hold none. `MODEL`: the model read them and says so. `UNSUPPORTED`: the
    model wrote sentences, none of which its quotes support.
    """

    LIBRARY = "library"
    MODEL = "model"
    UNSUPPORTED = "unsupported"


class SentenceKind(StrEnum):
    """Whose words a sentence is: a document's, or a model's written from quotes."""

    QUOTATION = "quotation"
    WRITTEN = "written"


class Agreement(StrEnum):
    """How a sentence stands to its quotes.

    `AGREES`: its names, numbers and negations are found there, and most of its words. `COMPARE`:
    nothing contradicts them, but it says it in other words. `CONTRADICTS`: something does.
    """

    AGREES = "agrees"
    COMPARE = "compare"
    CONTRADICTS = "contradicts"


class Entailment(StrEnum):
    """What a model says of whether quotes entail a sentence."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(ChunkWords):
    """Words of a passage, and exactly where they stand.

    `quote` is what the passage says at `[start, end)` of its chunk's text, never what was claimed.
    """

    match: QuoteMatch = QuoteMatch.EXACT
    share: float = 1.0

    @property
    def quote(self) -> str:
        return self.text

    @property
    def place(self) -> StoredChunk:
        """The quoted words alone, on their own pages: what a link to them opens."""
        return replace(self.stored, chunk=self.stored.chunk.between(self.start, self.end))

    @property
    def passage_id(self) -> str:
        return self.stored.chunk.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of an answer and the citations that were verified for it.

    `faults` say what failed; a sentence with a fault of its own is not `shown`. `agreement` and
    `entailment` are None where it was not compared with a quote, and no model was asked.
    """

    text: str
    """The sentence."""
    lead: str = ""
    """Words of a model that connect a quotation to the one before; else empty."""
    citations: tuple[Citation, ...] = ()
    faults: tuple[Fault, ...] = ()
    shown: bool = False
    agreement: Agreement | None = None
    """`agrees`: its names, numbers and negations are found in its quotes, and most of its words;
    `compare`: nothing contradicts them, but it is in other words. One that contradicts them is left
    out.
    """
    entailment: Entailment | None = None
    """What the model `judged_by` says of a written one."""
    judged_by: str | None = None
    """The model that was asked."""

    @property
    def kind(self) -> SentenceKind:
        """A quotation, words of one of its quotes in their order, or written by a model from the
        quotes that it cites.
        """
        quotes = [citation.quote for citation in self.citations]
        joined = (inert(" ".join(quote.split())) for quote in quotes)
        if self.text in {*map(inert, quotes), *joined} or is_quotation(self.text, quotes):
            return SentenceKind.QUOTATION
        return SentenceKind.WRITTEN

    @property
    def is_code(self) -> bool:
        """Whether it is a listing of code."""
        return self.verified and any(
            citation.stored.chunk.is_code(citation.start, citation.end)
            for citation in self.citations
        )

    @property
    def connected(self) -> str:
        return f"[{self.lead}] {self.text}" if self.lead else self.text

    @property
    def verified(self) -> bool:
        """True for quotations alone: words that stand in a document as they are."""
        return self.kind is SentenceKind.QUOTATION


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """The tokens of a prompt and of its reply: as the model counted them, or `estimated`."""

    prompt: int
    """What the model read."""
    reply: int
    """What it wrote."""
    estimated: bool = False
    """Whether that is an estimate."""

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            prompt=self.prompt + other.prompt,
            reply=self.reply + other.reply,
            estimated=self.estimated or other.estimated,
        )


def estimated_usage(prompt: str, reply: str) -> TokenUsage:
    """An estimate for a model that does not say: a token for every four bytes of UTF-8."""
    read, written = (len(text.encode("utf-8", "replace")) for text in (prompt, reply))
    return TokenUsage(
        prompt=ceil(read / _BYTES_A_TOKEN), reply=ceil(written / _BYTES_A_TOKEN), estimated=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer: quotations and sentences that their quotes support, and how good it is.

    `method` is `extractive` or a model's name; `sent_to` says where question and passages went,
    `embedded_by` which service made vectors of the question, and of sentences to compare with it,
    `reranked_by` which one put passages in order, `judged_at` which one was sent written sentences
    with their quotes; None if nowhere. `references_configured` is False where the project has no
    references at all. `unverified` are sentences left
    out, `claimed_quotes` how many quotes a model gave, `passages` what was read, best first.
    `usage` is what a model cost; `complete` tells whether its reply was read to the end. The
    question and its answer have ids and times each.
    """

    project: str
    question: str
    method: str
    sent_to: str | None = None
    embedded_by: str | None = None
    reranked_by: str | None = None
    judged_at: str | None = None
    relevance: Relevance
    sentences: tuple[Sentence, ...] = ()
    unverified: tuple[Sentence, ...] = ()
    claimed_quotes: int = 0
    passages: tuple[Passage, ...] = ()
    overview: LibraryOverview | None = None
    works: tuple[CitationMeta, ...] = ()
    notes: tuple[str, ...] = ()
    wording: AnswerWording = field(default_factory=AnswerWording)
    usage: TokenUsage | None = None
    complete: bool = True
    references_configured: bool = True
    duration_ms: float = 0.0
    correlation_id: str = ""
    id: str = ""
    query_id: str = ""
    asked_at: datetime | None = None
    answered_at: datetime | None = None

    @property
    def destinations(self) -> tuple[str, ...]:
        """Every host that the question went to, alone or with passages or their sentences."""
        return tuple(
            dict.fromkeys(
                filter(None, (self.sent_to, self.embedded_by, self.reranked_by, self.judged_at))
            )
        )

    @property
    def status(self) -> AnswerStatus:
        if self.overview is not None or self.works:
            return AnswerStatus.ANSWERED
        if not self.sentences or self.relevance.verdict is Verdict.NOTHING:
            return AnswerStatus.NOTHING_RELEVANT
        compares = any(sentence.agreement is Agreement.COMPARE for sentence in self.sentences)
        lacks = self.unverified or compares or not self.complete
        is_related = self.relevance.verdict is Verdict.RELATED
        return AnswerStatus.PARTIAL if lacks or is_related else AnswerStatus.ANSWERED

    @property
    def no_answer(self) -> NoAnswer | None:
        if self.status is not AnswerStatus.NOTHING_RELEVANT:
            return None
        if self.unverified:
            return NoAnswer.UNSUPPORTED
        model_called = self.method != EXTRACTIVE and self.usage is not None
        return NoAnswer.MODEL if model_called else NoAnswer.LIBRARY

    @property
    def share_verified(self) -> float | None:
        """The share of all sentences that agree with their quotes; None if there are none."""
        return self._share(
            sum(each.verified or each.agreement is Agreement.AGREES for each in self.sentences)
        )

    @property
    def share_shown(self) -> float | None:
        """The share of all sentences that are shown; None if there are none."""
        return self._share(len(self.sentences))

    def _share(self, count: int) -> float | None:
        every = len(self.sentences) + len(self.unverified)
        return count / every if every else None

    @property
    def text(self) -> str:
        """The sentences shown, each with the numbers of its citations."""
        numbers = {citation: number for number, citation in enumerate(self.citations, start=1)}
        sentences = (
            f"{sentence.connected} {''.join(f'[{numbers[cited]}]' for cited in sentence.citations)}"
            for sentence in self.sentences
        )
        return " ".join((*self.from_references, *sentences))

    @property
    def from_references(self) -> tuple[str, ...]:
        """What the references say of the library or of a work, in the project's language."""
        messages = MESSAGES[self.wording.language]
        library = [] if self.overview is None else [overview_text(self.overview, messages)]
        return (*library, *(authors_text(work, messages) for work in self.works))

    def label_of(self, citation: Citation) -> str | None:
        """The project's own label for the passage that holds a citation, if it has a template."""
        labels = {passage.stored.chunk.id: passage.citation_label for passage in self.passages}
        return labels.get(citation.passage_id)

    @property
    def reply(self) -> str:
        """The text or the refusal, as the project words it."""
        if self.no_answer is None:
            return self.wording.prefix + self.text
        messages = MESSAGES[self.wording.language]
        standard = {
            NoAnswer.LIBRARY: messages.refusal,
            NoAnswer.MODEL: messages.model_found_none,
            NoAnswer.UNSUPPORTED: messages.unsupported,
        }
        return self.wording.prefix + (self.wording.refusal or standard[self.no_answer])

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation once, in the order of the sentences; the first has the number 1."""
        return tuple(
            dict.fromkeys(citation for each in self.sentences for citation in each.citations)
        )


def all_faults(sentences: Sequence[Sentence]) -> dict[Fault, int]:
    return {
        fault: count
        for fault in Fault
        if (count := sum(fault in sentence.faults for sentence in sentences))
    }
