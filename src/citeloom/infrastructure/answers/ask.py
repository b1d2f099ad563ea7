"""Answers, and the conversations they belong to, as they are given at every door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Self

from citeloom.domain.answers.answer import (
    Answer,
    AnswerStatus,
    Citation,
    NoAnswer,
    Sentence,
    SentenceKind,
    TokenUsage,
    all_faults,
)
from citeloom.domain.answers.overview import LibraryOverview
from citeloom.domain.answers.quotes import QuoteMatch
from citeloom.domain.answers.relevance import Relevance, Verdict, found_share
from citeloom.domain.answers.session import Conversation, FollowUp, Session, Turn
from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.answers.model import (
    UNTRUSTED,
    ListPart,
    Model,
    SourcePath,
    Untrusted,
    filled,
)
from citeloom.infrastructure.answers.passages import FoundPassage, Links, Source, Work

NEAREST = 3
"""How many of the nearest passages an answer names."""


class AnswerCitation(Source):
    """A citation: words of a source, numbered from 1, and where they stand."""

    index: int
    """Its number, from 1."""
    chunk_id: str
    """The chunk."""
    content: Untrusted = UNTRUSTED
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
    source: SourcePath
    """The file."""
    section: str | None
    """The innermost heading above."""
    relevance_score: float | None
    """The cosine of its passage with the question as it was expanded, 0 to 1; null where only words
    were found.
    """

    @classmethod
    def of(cls, citation: Citation, index: int, passages: Mapping[str, Passage]) -> Self:
        """A citation by its number: the quote, the place of the quote itself, the work."""
        place, stored = citation.locator, citation.stored
        passage = passages.get(citation.passage_id)
        similarity = passage.dense.score if passage and passage.dense else None
        return cls.of_chunk(
            stored,
            citation,
            links=Links.of(citation.place),
            index=index,
            chunk_id=citation.passage_id,
            citation=citation.citation,
            citation_label=passage.citation_label if passage else None,
            locator=str(place),
            page_span=place.page_span,
            page=place.page_start,
            page_index=place.page_start - 1 if place.page_start else None,
            page_labels=place.page_labels,
            source=stored.source_path,
            section=place.section or None,
            relevance_score=None if similarity is None else min(max(similarity, 0.0), 1.0),
        )


def passages_by_id(passages: Sequence[Passage]) -> Mapping[str, Passage]:
    """The passages that an answer was written from, by chunk id."""
    return {passage.stored.chunk.id: passage for passage in passages}


_SENTENCE = (
    *("text", "lead", "citations", "kind", "verified", "is_code", "agreement", "entailment"),
    "judged_by",
)


class AnswerSentence(Model, of=Sentence, keys=_SENTENCE):
    """A sentence of an answer, with the numbers of its citations: a `quotation`, which is
    verified, or `written` by a model from the quotes that it cites. `entailment` is what the model
    `judged_by` says of a written one.
    """

    citations: tuple[int, ...]
    """The numbers of its citations."""

    @classmethod
    def of(cls, sentence: Sentence, numbers: Mapping[Citation, int], **computed: object) -> Self:
        citations = tuple(numbers[citation] for citation in sentence.citations)
        return filled(cls, sentence, citations=citations, **computed)


class AskedQuery(Model):
    """The question as it was asked."""

    id: str
    """Its UUID."""
    text: str
    """The question."""
    timestamp: datetime | None
    """When it was asked, in UTC."""
    session_id: str | None
    """Of a conversation."""


class Tokens(Model, of=TokenUsage):
    """What a model read and wrote."""


class NearPassage(Model):
    """One of the nearest passages."""

    chunk_id: str
    """The chunk."""
    citation: str | None
    """Null without a reference."""


class JudgedRelevance(Model):
    """What the verdict rests on."""

    similarity: float | None
    """Of the nearest passage; null without one."""
    evidence: float | None
    """The similarity and half the coverage; null without a passage."""
    evidence_in_one: float | None
    """The same of the one passage with most of the words, and in a calibrated library 0.3 of the
    share of the first passages that are of its work; null without a passage.
    """
    related: float
    """The evidence from which a question is related."""
    answered: float
    """The evidence in one passage from which it is answered."""
    calibrated: bool
    """Whether these limits are the collection's own."""
    coverage: float
    """The share of the question's words that the passages have."""
    unknown_share: float
    """The share that nothing in the library has."""
    unknown: tuple[str, ...]
    """Words that nothing in the library has."""
    missing: tuple[str, ...]
    """Words that the passages lack."""
    reasons: tuple[str, ...]
    """Why, in words."""

    @classmethod
    def of(cls, relevance: Relevance) -> Self:
        wording = relevance.wording
        evidence, in_one = relevance.evidence, relevance.evidence_in_one
        return filled(
            cls,
            relevance,
            relevance.thresholds,
            evidence=None if evidence is None else round(evidence, 4),
            evidence_in_one=None if in_one is None else round(in_one, 4),
            coverage=round(found_share(wording), 4),
            unknown_share=round(wording.unknown_share, 4),
            unknown=sorted(wording.unknown),
            missing=wording.absent(),
        )


class Overview(Model, of=LibraryOverview):
    """What the library holds, where the question asks for that."""

    years: tuple[int, ...] | None
    """First and last."""


class AskAnswer(Model):
    """An answer whose every sentence is tied to words of a passage, or why there is none."""

    project: str
    """Whom was asked."""
    question: str
    """What was asked."""
    status: AnswerStatus
    """`partial`: a related question, sentences left out or to be compared with their quotes, or a
    reply cut off.
    """
    verdict: Verdict
    """[What they mean](../answers.md#what-the-verdicts-mean)."""
    method: str
    """`extractive`, or the model's name."""
    sent_to: str | None
    """The hosts that question and passages were sent to, also those of a remote embedding model, a
    reranker and a second model, separated by a comma.
    """
    content: Untrusted = UNTRUSTED
    """Sentences and quotes are words of documents, or were written from them."""
    reply: str
    """The answer in one text as the project words it: its `prefix` and `text`, or its
    sentence of refusal.
    """
    text: str
    """The sentences with the numbers of their citations: `… [1]`."""
    sentences: tuple[AnswerSentence, ...]
    """Each sentence that is shown."""
    overview: Overview | None
    """Of a question about the library itself; else null."""
    works: tuple[Work, ...]
    """Of a question about who wrote something: the works whose title or citekey has a word of it.
    """
    written_by: str | None
    """The model that wrote sentences of the answer; null where all are quotations."""
    no_answer: NoAnswer | None
    """Null where there is an answer, else `library` (the passages hold none), `model` (it read them
    and says so) or `unsupported` (nothing that it wrote is supported by its quotes).
    """
    share_verified: float | None
    """The share of all sentences, left out or not, that agree with their quotes; null if there are
    none.
    """
    share_shown: float | None
    """The share of all sentences that is shown; null if there are none."""
    left_out: Mapping[str, int]
    """How many sentences left out have which fault; their text is not given."""
    citations: tuple[AnswerCitation, ...]
    """The words that sentences rest on."""
    relevance: JudgedRelevance
    """What the verdict rests on."""
    nearest: tuple[NearPassage, ...]
    """The first three passages."""
    retrieved_chunks: tuple[str, ...]
    """All passages read, best first."""
    notes: tuple[str, ...]
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

    @classmethod
    def of(cls, answer: Answer, session: str | None = None, /, **computed: object) -> Self:
        """An answer, of a session if it was given in one."""
        numbers = numbered(answer)
        passages = passages_by_id(answer.passages)
        query = AskedQuery(
            id=answer.query_id,
            text=answer.question,
            timestamp=answer.asked_at,
            session_id=session,
        )
        return filled(
            cls,
            answer,
            verdict=answer.relevance.verdict,
            sent_to=", ".join(answer.destinations) or None,
            sentences=tuple(AnswerSentence.of(each, numbers) for each in answer.sentences),
            overview=Overview.of_optional(answer.overview),
            works=tuple(map(Work.of_reference, answer.works)),
            written_by=written_by(answer),
            left_out={fault.value: n for fault, n in all_faults(answer.unverified).items()},
            citations=tuple(AnswerCitation.of(*pair, passages) for pair in numbers.items()),
            relevance=JudgedRelevance.of(answer.relevance),
            nearest=tuple(
                NearPassage(chunk_id=passage.stored.chunk.id, citation=passage.citation)
                for passage in answer.passages[:NEAREST]
            ),
            retrieved_chunks=tuple(passages),
            tokens=Tokens.of_optional(answer.usage),
            query=query,
            timestamp=answer.answered_at,
            **computed,
        )


def numbered(answer: Answer) -> dict[Citation, int]:
    """The citations of an answer with their numbers, from 1."""
    return {citation: number for number, citation in enumerate(answer.citations, start=1)}


def written_by(answer: Answer) -> str | None:
    """The model that wrote sentences of the answer, if one did."""
    written = any(sentence.kind is SentenceKind.WRITTEN for sentence in answer.sentences)
    return answer.method if written else None


class FoundAnswer(Model):
    """What an answer is made from, before it has a sentence: the event `passages`."""

    project: str
    """Whom was asked."""
    verdict: Verdict
    """What the library says of the question."""
    relevance: JudgedRelevance
    """What the verdict rests on."""
    count: int
    """How many passages."""
    items: tuple[FoundPassage, ...]
    """The passages, best first."""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """What an answer is written from, before it has a sentence."""
        return filled(
            cls,
            answer,
            verdict=answer.relevance.verdict,
            relevance=JudgedRelevance.of(answer.relevance),
            count=len(answer.passages),
            items=tuple(map(FoundPassage.of, answer.passages)),
        )


class NumberedSentence(AnswerSentence):
    """A sentence as soon as it is checked, with its new citations: the event `sentence`."""

    LEADING = ("number", "content")

    number: int
    """From 1."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's, or were written from them."""
    new_citations: tuple[AnswerCitation, ...]
    """Those that no earlier sentence has."""


class SentencesInTurn:
    """Numbers the citations of sentences that come one by one, as the whole answer will."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages_by_id(passages)
        self._numbers: dict[Citation, int] = {}
        self._count = 0

    def next(self, sentence: Sentence) -> NumberedSentence:
        """The next sentence, with those of its citations that are new."""
        new = [citation for citation in sentence.citations if citation not in self._numbers]
        self._numbers |= {each: n for n, each in enumerate(new, start=len(self._numbers) + 1)}
        self._count += 1
        return NumberedSentence.of(
            sentence,
            self._numbers,
            number=self._count,
            new_citations=tuple(
                AnswerCitation.of(each, self._numbers[each], self._passages) for each in new
            ),
        )


class MadeSelfContained(
    Model, of=FollowUp, keys=("method", "carried", "sent_to", "tokens", "notes")
):
    """How a follow-up question was made self-contained."""

    tokens: Tokens | None
    """Null if nothing was sent."""


class TurnAnswer(AskAnswer):
    """An answer of a session; `asked` is the self-contained question that was answered."""

    LEADING = ("session_id",)

    session_id: str
    """The session, for `--resume`."""
    asked: str
    """The self-contained question that was answered."""
    follow_up: MadeSelfContained
    """How `asked` was made."""

    @classmethod
    def of_turn(cls, turn: Turn) -> Self:
        """A turn: its answer, and what belongs to the conversation."""
        answer = replace(
            turn.answer,
            question=turn.question,
            id=turn.answer_id,
            query_id=turn.id,
            asked_at=turn.asked_at,
            answered_at=turn.answered_at,
        )
        tokens = Tokens.of_optional(turn.follow_up.usage)
        asked = MadeSelfContained.of(turn.follow_up, tokens=tokens)
        session = {"session_id": turn.session_id, "asked": turn.asked, "follow_up": asked}
        return cls.of(answer, turn.session_id, **session)


class SessionEntry(
    Model, of=Session, keys=("id", "project", "title", "created_at", "updated_at", "asked")
):
    """A session; `asked` counts its questions, also those not kept."""

    project: str
    """The project."""

    @classmethod
    def of(cls, session: Session, **computed: object) -> Self:
        return filled(cls, session, project=session.project_id, **computed)


class SessionList(ListPart):
    """Some of a project's sessions, the last used first."""

    LEADING = ("project",)

    project: str
    """The project."""
    items: tuple[SessionEntry, ...]
    """The sessions."""


class SessionAnswer(SessionEntry):
    """A session with its turns, oldest first; of a long one the last."""

    turns: tuple[TurnAnswer, ...]
    """Oldest first; of a long session the last 200."""

    @classmethod
    def of_conversation(cls, conversation: Conversation) -> Self:
        turns = tuple(map(TurnAnswer.of_turn, conversation.turns))
        return cls.of(conversation.session, turns=turns)
