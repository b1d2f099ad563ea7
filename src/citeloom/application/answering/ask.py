"""The use case `ask`: sentences chosen from passages, or written by a model and verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from uuid import uuid4

from citeloom.application.answering.relevance import JudgeRelevance, refuses
from citeloom.application.answering.verification import EntailmentCheck, paraphrases_by
from citeloom.application.answering.write import AnswerEvents, NoEvents, WriteAnswer, WrittenAnswer
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.retrieval.candidates import QueryRequest, StageName
from citeloom.application.retrieval.query import Query
from citeloom.application.retrieval.search import embed_texts, language_of_stored
from citeloom.domain.answers.answer import EXTRACTIVE, Answer, Citation, Sentence
from citeloom.domain.answers.extraction import (
    Excerpt,
    ExtractionPolicy,
    SentenceCandidate,
    choose_excerpts,
    cosine,
    quotable_spans,
)
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.answers.overview import (
    LibraryOverview,
    asks_about_library,
    overview_of,
    requested_works,
)
from citeloom.domain.answers.untrusted import inert, trusted_length
from citeloom.domain.chunks.chunk import MARKS, Chunk, ChunkKind
from citeloom.domain.documents.text import letters_of
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.passage import Passage, Selection, StoredChunk
from citeloom.domain.retrieval.words import WordCoverage

# Answering with the passages' own sentences.

_CELLS = " | "
"""What stands between two cells of a table's row."""
_Span = tuple[int, StoredChunk, int, int]
"""A sentence: the rank of its passage, the passage's chunk, its start and its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractAnswer:
    """Chooses the excerpts of passages that answer a question best."""

    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    policy: ExtractionPolicy

    def __call__(
        self, question: str, passages: Sequence[Passage], wording: WordCoverage
    ) -> tuple[Sentence, ...]:
        """The excerpts, best first, each of which is its own quote."""
        spans = self._spans(passages)
        if not spans:
            return ()
        query = self.dense.embed_query(question)
        texts = [stored.chunk.text[start:end] for _, stored, start, end in spans]
        vectors = self.dense.embed_passages(texts)
        candidates = [
            SentenceCandidate(
                stored=stored,
                start=start,
                end=end,
                rank=rank,
                similarity=cosine(query, vector),
                terms=terms,
            )
            for (rank, stored, start, end), vector, terms in zip(
                spans, vectors, self._terms(spans, texts, wording.weights)
            )
        ]
        return tuple(map(_sentence, choose_excerpts(candidates, self.policy)))

    def _spans(self, passages: Sequence[Passage]) -> list[_Span]:
        """The sentences that can be quoted, each once, up to an order to a model; the title of a
        section is none.
        """
        first: dict[str, _Span] = {}
        for rank, passage in enumerate(passages[: self.policy.passages], start=1):
            chunk = passage.stored.chunk
            titles = set(map(letters_of, chunk.section_path))
            for start, end in self._sentences(chunk):
                letters = letters_of(chunk.text[start:end])
                if letters not in titles:
                    first.setdefault(letters, (rank, passage.stored, start, end))
        return list(first.values())

    def _sentences(self, chunk: Chunk) -> Iterator[tuple[int, int]]:
        """The sentences up to an order to a model; none that crosses the cells of a table."""
        trusted = trusted_length(chunk.text)
        for start, end in quotable_spans(chunk.text, self.policy):
            crosses = chunk.kind is ChunkKind.TABLE and _CELLS in chunk.text[start:end]
            if end <= trusted and not crosses:
                yield start, end

    def _terms(
        self, spans: Sequence[_Span], texts: Sequence[str], weights: Mapping[str, float]
    ) -> list[float]:
        """For each text its share of the weight of the question's words."""
        total = sum(weights.values())
        if self.sparse is None or not total:
            return [0.0] * len(texts)
        known = self.sparse.languages
        languages = [language_of_stored(stored, known) for _, stored, _, _ in spans]
        own = {
            (word, language): set(self.sparse.embed_query(word, language).indices)
            for word in weights
            for language in set(languages)
        }
        return [
            sum(weights[word] for word in weights if own[word, language] <= set(vector.indices))
            / total
            for vector, language in zip(embed_texts(self.sparse, texts, languages), languages)
        ]


def _sentence(excerpt: Excerpt) -> Sentence:
    citation = Citation(stored=excerpt.stored, start=excerpt.start, end=excerpt.end)
    return Sentence(text=inert(citation.quote), citations=(citation,), shown=True)


# The use case `ask`: an answer whose every sentence is tied to words of a passage.

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
        """The answer; `events` receives passages and sentences while it is made. A question that
        the library is not about gets no sentences. A cancellation ends the call of a model.

        Raises what `Query` raises, and `ModelUnavailable`, `PromptTooLong` and `IncompleteReply` of
        a model.
        """
        clock, receiver = self.query.clock, events or NoEvents()
        started, asked_at = clock.monotonic(), clock.now()
        answer = self._retrieved(request)
        about_library = asks_about_library(request.question)
        answered = not about_library and not refuses(
            answer.relevance, weak=self.wording.refuse_weak
        )
        if about_library:
            answer = replace(answer, overview=self._overview(), notes=())
        elif answered:
            answer = replace(answer, works=requested_works(request.question, answer.passages))
        receiver.found(answer)
        if answered:
            answer = self._written(answer, request, receiver, cancellation)
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

    def _retrieved(self, request: AskRequest) -> Answer:
        """The answer before anything is written."""
        project = self.query.project
        result = self.query(
            QueryRequest(
                text=request.question,
                filters=request.filters,
                top_k=request.top_k,
                explain=True,
                without=frozenset({StageName.WORKS}),
            )
        )
        relevance, notes = self.judge(request.question, result.passages, self.wording.language)
        return Answer(
            project=project.id,
            question=request.question,
            method=self.model.model_id if self.model else EXTRACTIVE,
            embedded_by=project.remote.host if project.remote else None,
            reranked_by=result.reranked_by,
            references_configured=project.has_references,
            relevance=relevance,
            passages=result.passages,
            wording=self.wording,
            notes=(*result.notes, *notes),
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
            embed=paraphrases_by(self.query.dense),
        )
        written = write(answer.question, answer.passages, events, cancellation)
        return _with(answer, written, self.model.destination if written.usage else None)


def _with(answer: Answer, written: WrittenAnswer, sent_to: str | None) -> Answer:
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
