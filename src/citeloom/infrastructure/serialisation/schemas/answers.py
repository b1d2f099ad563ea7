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
    chunk_id: str
    content: Literal["untrusted"]
    quote: str
    match: QuoteMatch
    share: float
    citation: str | None
    citation_label: str | None
    source: str
    section: str | None
    relevance_score: float | None


class AnswerSentence(TypedDict):
    """A sentence of an answer, with the numbers of its citations: a `quotation`, which is
    verified, or `written` by a model from the quotes that it cites. `entailment` is what the model
    `judged_by` says of a written one.
    """

    text: str
    lead: str
    citations: list[int]
    kind: SentenceKind
    verified: bool
    entailment: Entailment | None
    judged_by: str | None


class AskedQuery(TypedDict):
    """The question as it was asked."""

    id: str
    text: str
    timestamp: datetime | None
    session_id: str | None


class Tokens(TypedDict):
    """What a model read and wrote."""

    prompt: int
    reply: int
    estimated: bool


class NearPassage(TypedDict):
    """One of the nearest passages."""

    chunk_id: str
    citation: str | None


class JudgedRelevance(TypedDict):
    """What the verdict rests on."""

    similarity: float | None
    evidence: float | None
    related: float
    answered: float
    calibrated: bool
    coverage: float
    unknown_share: float
    unknown: list[str]
    missing: list[str]
    reasons: list[str]


class Overview(TypedDict):
    """What the library holds, where the question asks for that."""

    documents: int
    works: int
    years: list[int] | None
    terms: list[str]
    sections: list[str]


class AskAnswer(TypedDict):
    """An answer whose every sentence is tied to words of a passage, or why there is none."""

    project: str
    question: str
    status: AnswerStatus
    verdict: Verdict
    method: str
    sent_to: str | None
    content: Literal["untrusted"]
    reply: str
    answer_text: str
    sentences: list[AnswerSentence]
    overview: Overview | None
    works: list[Work]
    written_by: str | None
    no_answer: NoAnswer | None
    share_verified: float | None
    share_shown: float | None
    left_out: dict[str, int]
    citations: list[AnswerCitation]
    relevance: JudgedRelevance
    nearest: list[NearPassage]
    retrieved_chunks: list[str]
    notes: list[str]
    tokens: Tokens | None
    duration_ms: float
    correlation_id: str
    id: str
    query_id: str
    query: AskedQuery
    timestamp: datetime | None
    latency_ms: int


class FoundAnswer(TypedDict):
    """What an answer is made from, before it has a sentence: the event `passages`."""

    project: str
    verdict: Verdict
    relevance: JudgedRelevance
    count: int
    items: list[FoundPassage]


class NumberedSentence(AnswerSentence):
    """A sentence as soon as it is checked, with its new citations: the event `sentence`."""

    number: int
    content: Literal["untrusted"]
    new_citations: list[AnswerCitation]


class MadeSelfContained(TypedDict):
    """How a follow-up question was made self-contained."""

    method: FollowUpMethod
    carried: list[str]
    sent_to: str | None
    tokens: Tokens | None
    notes: list[str]


class TurnAnswer(AskAnswer):
    """An answer of a session; `asked` is the self-contained question that was answered."""

    session_id: str
    asked: str
    follow_up: MadeSelfContained


class SessionEntry(TypedDict):
    """A session; `asked` counts its questions, also those not kept."""

    id: str
    project: str
    title: str
    created_at: datetime
    updated_at: datetime
    asked: int


class SessionList(TypedDict):
    """Some of a project's sessions, the last used first: `count` of `total`, from `offset` on."""

    project: str
    total: int
    offset: int
    count: int
    items: list[SessionEntry]


class SessionAnswer(SessionEntry):
    """A session with its turns, oldest first; of a long one the last."""

    turns: list[TurnAnswer]
