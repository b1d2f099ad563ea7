"""The use case `ask`: an answer whose every sentence is tied to words of a passage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import uuid4

from citeloom.application.answering.extract import ExtractAnswer
from citeloom.application.answering.relevance import JudgeRelevance, refuses
from citeloom.application.answering.write import WriteAnswer, Written
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.retrieval.query import Query, QueryRequest
from citeloom.domain.answers.answer import EXTRACTIVE, Answer
from citeloom.domain.answers.extraction import ExtractionPolicy
from citeloom.domain.answers.relevance import Relevance
from citeloom.domain.answers.wording import AnswerWording
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.filters import Filters
from citeloom.domain.passage import Passage

LONGEST_QUESTION = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question and what it is answered from; None means the project's own number of passages.

    Raises `InvalidFilter` for an empty question and one of more than 2,000 characters.
    """

    question: str
    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None

    def __post_init__(self) -> None:
        if len(self.question) > LONGEST_QUESTION:
            raise InvalidFilter(
                f"the question has {len(self.question):,} characters, more than "
                f"{LONGEST_QUESTION:,}",
                "Ask in fewer words.",
            )
        QueryRequest(text=self.question, filters=self.filters, top_k=self.top_k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Answers questions from a project's passages: with their own sentences, or with those of a
    `model` that can be verified.
    """

    query: Query
    judge: JudgeRelevance
    model: AnswerModel | None = None
    wording: AnswerWording = field(default_factory=AnswerWording)
    policy: ExtractionPolicy = field(default_factory=ExtractionPolicy)

    def __call__(self, request: AskRequest) -> Answer:
        """The answer. Nothing is written on a question that the library is not about.

        Raises what `Query` raises, and `ModelUnavailable`, `PromptTooLong` and `IncompleteReply` of
        a model.
        """
        started = self.query.clock.monotonic()
        found = self.query(
            QueryRequest(text=request.question, filters=request.filters, top_k=request.top_k)
        )
        relevance, notes = self.judge(request.question, found.passages)
        answer = Answer(
            project=self.query.project.id,
            question=request.question,
            method=self.model.model_id if self.model else EXTRACTIVE,
            relevance=relevance,
            passages=found.passages,
            wording=self.wording,
            notes=(*found.notes, *notes),
            correlation_id=uuid4().hex[:12],
        )
        if not refuses(relevance):
            answer = self._written(answer, found.passages, relevance)
        spent = self.query.clock.monotonic() - started
        return replace(answer, duration_ms=round(spent * 1000, 1))

    def _written(
        self, answer: Answer, passages: tuple[Passage, ...], relevance: Relevance
    ) -> Answer:
        if self.model is None:
            extract = ExtractAnswer(
                dense=self.query.dense, sparse=self.query.sparse, policy=self.policy
            )
            sentences = extract(answer.question, passages, relevance.wording)
            return replace(answer, sentences=sentences, claimed_quotes=len(sentences))
        written = WriteAnswer(model=self.model, wording=self.wording)(answer.question, passages)
        return _with(answer, written, self.model.destination if written.usage else None)


def _with(answer: Answer, written: Written, sent_to: str | None) -> Answer:
    return replace(
        answer,
        sent_to=sent_to,
        sentences=written.sentences,
        unverified=written.unverified,
        claimed_quotes=written.claimed_quotes,
        usage=written.usage,
        complete=written.complete,
        notes=(*answer.notes, *written.notes),
    )
