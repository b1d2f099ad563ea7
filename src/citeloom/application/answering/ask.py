"""The use case `ask`: an answer whose every sentence is tied to words of a passage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from uuid import uuid4

from citeloom.application.answering.entailment import EntailmentCheck
from citeloom.application.answering.events import AnswerEvents, NoEvents
from citeloom.application.answering.extract import ExtractAnswer
from citeloom.application.answering.relevance import JudgeRelevance, refuses
from citeloom.application.answering.write import WriteAnswer, Written
from citeloom.application.cancellation import Cancellation
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.retrieval.candidates import StageName
from citeloom.application.retrieval.query import Query, QueryRequest
from citeloom.domain.answers.answer import EXTRACTIVE, Answer
from citeloom.domain.answers.extraction import ExtractionPolicy
from citeloom.domain.answers.overview import (
    LibraryOverview,
    asked_works,
    asks_about_library,
    overview_of,
)
from citeloom.domain.answers.wording import AnswerWording
from citeloom.domain.chunk import MARKS
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.filters import Filters
from citeloom.domain.passage import Selection

LONGEST_QUESTION = 2_000
_MOST_CHUNKS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question and what it is answered from; None means the project's own number of passages.
    With `quote_first` a model only chooses, orders and connects quotations.

    Raises `InvalidFilter` for an empty question and one of more than 2,000 characters.
    """

    question: str
    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    quote_first: bool = False

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
    `model` that can be verified, narrowed by `entailment` if there is one.
    """

    query: Query
    judge: JudgeRelevance
    model: AnswerModel | None = None
    entailment: EntailmentCheck | None = None
    wording: AnswerWording = field(default_factory=AnswerWording)
    policy: ExtractionPolicy = field(default_factory=ExtractionPolicy)

    def __call__(
        self,
        request: AskRequest,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """The answer, of which `events` are told while it is made; nothing is written on a question
        that the library is not about. A cancellation ends the call of a model.

        Raises what `Query` raises, and `ModelUnavailable`, `PromptTooLong` and `IncompleteReply` of
        a model.
        """
        clock, told = self.query.clock, events or NoEvents()
        started, asked_at = clock.monotonic(), clock.now()
        answer = self._found(request)
        about_library = asks_about_library(request.question)
        answered = not about_library and not refuses(
            answer.relevance, weak=self.wording.refuse_weak
        )
        if about_library:
            answer = replace(answer, overview=self._overview())
        elif answered:
            answer = replace(answer, works=asked_works(request.question, answer.passages))
        told.found(answer)
        if answered:
            answer = self._written(answer, request, told, cancellation)
        return replace(
            answer,
            asked_at=asked_at,
            answered_at=clock.now(),
            duration_ms=round((clock.monotonic() - started) * 1000, 1),
        )

    def _overview(self) -> LibraryOverview:
        """What the project's documents are about, by up to 5,000 of its chunks."""
        index, project = self.query.index, self.query.project
        everything = Selection(project_id=project.id, without_kinds=MARKS)
        firsts = index.scroll(project.collection, replace(everything, chunks=(0, 0)))
        chunks = islice(index.scroll(project.collection, everything), _MOST_CHUNKS)
        return overview_of(firsts, chunks)

    def _found(self, request: AskRequest) -> Answer:
        """The answer before anything is written."""
        project = self.query.project
        found = self.query(
            QueryRequest(
                text=request.question,
                filters=request.filters,
                top_k=request.top_k,
                explain=True,
                without=frozenset({StageName.WORKS}),
            )
        )
        relevance, notes = self.judge(request.question, found.passages, self.wording.language)
        return Answer(
            project=project.id,
            question=request.question,
            method=self.model.model_id if self.model else EXTRACTIVE,
            embedded_by=project.remote.host if project.remote else None,
            reranked_by=found.reranked_by,
            references_configured=project.has_references,
            relevance=relevance,
            passages=found.passages,
            wording=self.wording,
            notes=(*found.notes, *notes),
            correlation_id=uuid4().hex[:12],
            id=str(uuid4()),
            query_id=str(uuid4()),
        )

    def _written(
        self,
        answer: Answer,
        request: AskRequest,
        events: AnswerEvents,
        cancellation: Cancellation | None,
    ) -> Answer:
        if self.model is None:
            extract = ExtractAnswer(
                dense=self.query.dense, sparse=self.query.sparse, policy=self.policy
            )
            sentences = extract(answer.question, answer.passages, answer.relevance.wording)
            for sentence in sentences:
                events.shown(sentence)
            return replace(answer, sentences=sentences, claimed_quotes=len(sentences))
        write = WriteAnswer(
            model=self.model,
            wording=self.wording,
            quote_first=request.quote_first,
            entailment=self.entailment,
        )
        written = write(answer.question, answer.passages, events, cancellation)
        return _with(answer, written, self.model.destination if written.usage else None)


def _with(answer: Answer, written: Written, sent_to: str | None) -> Answer:
    return replace(
        answer,
        sent_to=sent_to,
        sentences=written.sentences,
        unverified=written.unverified,
        claimed_quotes=written.claimed_quotes,
        usage=written.usage,
        judged_at=written.judged_at,
        complete=written.complete,
        notes=(*answer.notes, *written.notes),
    )
