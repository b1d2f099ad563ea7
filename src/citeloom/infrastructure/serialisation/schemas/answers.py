"""The JSON of answers: that of `ask --format json`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from citeloom.domain.answers.answer import AnswerStatus, Entailment, NoAnswer, SentenceKind
from citeloom.domain.answers.quotes import QuoteMatch
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.answers.session import FollowUpMethod
from citeloom.infrastructure.serialisation.schemas.passages import FoundPassage, Source, Work


class AnswerCitation(Source):
    """A citation: words of a source, numbered from 1, and where they stand."""

    index: int
    """Its number, from 1."""
    chunk_id: str
    """The chunk."""
    content: Literal["untrusted"]
    """The words of the object are a document's."""
    quote: str
    """As the passage has it."""
    match: QuoteMatch
    """How the quote was found."""
    share: float
    """The share of the claimed quote that was found in one piece."""
    citation: str | None
    """`[@key, p. 45]`; null without a reference."""
    citation_label: str | None
    """The project's own label."""
    source: str
    """The file."""
    section: str | None
    """The innermost heading above."""
    relevance_score: float | None
    """The cosine of its passage with the question as it was expanded, 0 to 1; null where only words
    were found.
    """


class AnswerSentence(TypedDict):
    """A sentence of an answer, with the numbers of its citations: a `quotation`, which is
    verified, or `written` by a model from the quotes that it cites. `entailment` is what the model
    `judged_by` says of a written one.
    """

    text: str
    """The sentence."""
    lead: str
    """Words of a model that connect a quotation to the one before; else empty."""
    citations: list[int]
    """The numbers of its citations."""
    kind: SentenceKind
    """A quotation, or written by a model from the quotes that it cites."""
    verified: bool
    """True for quotations alone."""
    entailment: Entailment | None
    """What the model `judged_by` says of a written one."""
    judged_by: str | None
    """The model that was asked."""


class AskedQuery(TypedDict):
    """The question as it was asked."""

    id: str
    """Its UUID."""
    text: str
    """The question."""
    timestamp: datetime | None
    """When it was asked, in UTC."""
    session_id: str | None
    """Of a conversation."""


class Tokens(TypedDict):
    """What a model read and wrote."""

    prompt: int
    """What the model read."""
    reply: int
    """What it wrote."""
    estimated: bool
    """Whether that is an estimate."""


class NearPassage(TypedDict):
    """One of the nearest passages."""

    chunk_id: str
    """The chunk."""
    citation: str | None
    """Null without a reference."""


class JudgedRelevance(TypedDict):
    """What the verdict rests on."""

    similarity: float | None
    """Of the nearest passage; null without one."""
    evidence: float | None
    """The similarity and half the coverage; null without a passage."""
    related: float
    """The evidence from which a question is related."""
    answered: float
    """The evidence from which it is answered."""
    calibrated: bool
    """Whether these limits are the collection's own."""
    coverage: float
    """The share of the question's words that the passages have."""
    unknown_share: float
    """The share that nothing in the library has."""
    unknown: list[str]
    """Words that nothing in the library has."""
    missing: list[str]
    """Words that the passages lack."""
    reasons: list[str]
    """Why, in words."""


class Overview(TypedDict):
    """What the library holds, where the question asks for that."""

    documents: int
    """How many."""
    works: int
    """How many have a reference."""
    years: list[int] | None
    """First and last."""
    terms: list[str]
    """Frequent terms of titles and tags."""
    sections: list[str]
    """Frequent sections."""


class AskAnswer(TypedDict):
    """An answer whose every sentence is tied to words of a passage, or why there is none."""

    project: str
    """Whom was asked."""
    question: str
    """What was asked."""
    status: AnswerStatus
    """`partial`: a related question, sentences left out, or a reply cut off."""
    verdict: Verdict
    """[What they mean](../answers.md#what-the-verdicts-mean)."""
    method: str
    """`extractive`, or the model's name."""
    sent_to: str | None
    """The hosts that question and passages were sent to, also those of a remote embedding model, a
    reranker and a second model, separated by a comma.
    """
    content: Literal["untrusted"]
    """Sentences and quotes are words of documents, or were written from them."""
    reply: str
    """The answer in one text as the project words it: its `prefix` and `text`, or its
    sentence of refusal.
    """
    text: str
    """The sentences with the numbers of their citations: `… [1]`."""
    sentences: list[AnswerSentence]
    """Each sentence that is shown."""
    overview: Overview | None
    """Of a question about the library itself; else null."""
    works: list[Work]
    """Of a question about who wrote something: the works whose title or citekey has a word of it.
    """
    written_by: str | None
    """The model that wrote sentences of the answer; null where all are quotations."""
    no_answer: NoAnswer | None
    """Null where there is an answer, else `library` (the passages hold none), `model` (it read them
    and says so) or `unsupported` (nothing that it wrote is supported by its quotes).
    """
    share_verified: float | None
    """The share of all sentences, left out or not, that are quotations; null if there are none."""
    share_shown: float | None
    """The share of all sentences that is shown; null if there are none."""
    left_out: dict[str, int]
    """How many sentences left out have which fault; their text is not given."""
    citations: list[AnswerCitation]
    """The words that sentences rest on."""
    relevance: JudgedRelevance
    """What the verdict rests on."""
    nearest: list[NearPassage]
    """The first three passages."""
    retrieved_chunks: list[str]
    """All passages read, best first."""
    notes: list[str]
    """What else is to be known of the answer."""
    tokens: Tokens | None
    """Null if nothing was sent."""
    duration_ms: float
    """How long it took."""
    correlation_id: str
    """A name for this answer, to find it again in logs."""
    id: str
    """The answer's UUID."""
    query_id: str
    """That of its question."""
    query: AskedQuery
    """The question as it was asked."""
    timestamp: datetime | None
    """When it was answered, in UTC."""


class FoundAnswer(TypedDict):
    """What an answer is made from, before it has a sentence: the event `passages`."""

    project: str
    """Whom was asked."""
    verdict: Verdict
    """What the library says of the question."""
    relevance: JudgedRelevance
    """What the verdict rests on."""
    count: int
    """How many passages."""
    items: list[FoundPassage]
    """The passages, best first."""


class NumberedSentence(AnswerSentence):
    """A sentence as soon as it is checked, with its new citations: the event `sentence`."""

    number: int
    """From 1."""
    content: Literal["untrusted"]
    """The words of the object are a document's, or were written from them."""
    new_citations: list[AnswerCitation]
    """Those that no earlier sentence has."""


class MadeSelfContained(TypedDict):
    """How a follow-up question was made self-contained."""

    method: FollowUpMethod
    """How it was made."""
    carried: list[str]
    """The terms that were carried over."""
    sent_to: str | None
    """The host that question and earlier turns were sent to for that."""
    tokens: Tokens | None
    """Null if nothing was sent."""
    notes: list[str]
    """What else is to be known of it."""


class TurnAnswer(AskAnswer):
    """An answer of a session; `asked` is the self-contained question that was answered."""

    session_id: str
    """The session, for `--resume`."""
    asked: str
    """The self-contained question that was answered."""
    follow_up: MadeSelfContained
    """How `asked` was made."""


class SessionEntry(TypedDict):
    """A session; `asked` counts its questions, also those not kept."""

    id: str
    """The session."""
    project: str
    """The project."""
    title: str
    """The first question."""
    created_at: datetime
    """When it began."""
    updated_at: datetime
    """When it was last used."""
    asked: int
    """The number of questions."""


class SessionList(TypedDict):
    """Some of a project's sessions, the last used first: `count` of `total`, from `offset` on."""

    project: str
    """The project."""
    total: int
    """How many there are."""
    offset: int
    """How many come before."""
    count: int
    """How many are here."""
    items: list[SessionEntry]
    """The sessions."""


class SessionAnswer(SessionEntry):
    """A session with its turns, oldest first; of a long one the last."""

    turns: list[TurnAnswer]
    """Oldest first; of a long session the last 200."""
