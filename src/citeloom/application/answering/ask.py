"""The use case `ask`: an answer whose every sentence is tied to words of a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from uuid import uuid4

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.answering.verification import EntailmentCheck
from citeloom.application.answering.write import write_answer
from citeloom.application.events import NoEvents
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.application.requests.passages import AskRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.terms import embed_texts, language_of_stored, words_alone
from citeloom.domain.answers.answer import EXTRACTIVE, Agreement, Answer, Citation, Sentence
from citeloom.domain.answers.extraction import (
    ExtractionPolicy,
    SentenceCandidate,
    choose_excerpts,
    cosine,
    quotable_sentences,
)
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.answers.overview import (
    asks_about_library,
    overview_of,
    requested_works,
)
from citeloom.domain.answers.untrusted import inert
from citeloom.domain.chunks.chunk import MARKS

_MOST_CHUNKS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Answers questions from a project's passages: with their own sentences, or with those of a
    `model` that can be verified, narrowed by `entailment` if there is one.
    """

    project: OpenProject
    judge: JudgeRelevance
    model: AnswerModel | None = None
    entailment: EntailmentCheck | None = None
    wording: AnswerWording = field(default_factory=AnswerWording)
    policy: ExtractionPolicy = field(default_factory=ExtractionPolicy)

    def __call__(self, request: AskRequest) -> Answer:
        """The answer. A question that the library is not about gets no sentences.

        Raises what `query` raises, and `ModelUnavailable`, `PromptTooLong` and `IncompleteReply` of
        a model.
        """
        clock, receiver = self.project.clock, request.events or NoEvents()
        started, asked_at = clock.monotonic(), clock.now()
        answer = self._with_verdict(request)
        about_library = asks_about_library(request.text)
        refused = answer.relevance.refused(weak=self.wording.refuse_weak)
        if about_library:
            everything = replace(self.project.everything, without_kinds=MARKS)
            firsts = self.project.chunks(replace(everything, chunks=(0, 0)))
            chunks = islice(self.project.chunks(everything), _MOST_CHUNKS)
            answer = replace(answer, overview=overview_of(firsts, chunks), notes=())
        elif not refused:
            answer = replace(answer, works=requested_works(request.text, answer.passages))
        receiver.found(answer)
        if self.model is None and not (about_library or refused):
            sentences = self._chosen(answer)
            for sentence in sentences:
                receiver.shown(sentence)
            answer = replace(answer, sentences=sentences, claimed_quotes=len(sentences))
        elif self.model is not None and not (about_library or refused):
            answer = write_answer(answer, request, self.model, self.entailment)
        return replace(
            answer,
            asked_at=asked_at,
            answered_at=clock.now(),
            duration_ms=round((clock.monotonic() - started) * 1000, 1),
        )

    def _with_verdict(self, request: AskRequest) -> Answer:
        """The passages found, and whether they are likely to answer: an answer without words."""
        project = self.project.settings
        result = query(self.project, request.for_passages())
        relevance, notes = self.judge(request.text, result.passages, self.wording.language)
        return Answer(
            project=project.id,
            question=request.text,
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

    def _chosen(self, answer: Answer) -> tuple[Sentence, ...]:
        """The passages' sentences that answer best, with those around them: each its own quote."""
        dense, candidates = self.project.dense, quotable_sentences(answer.passages, self.policy)
        if not candidates:
            return ()
        shares = word_shares(candidates, answer.relevance.wording.weights, self.project.sparse)
        similarities = shares
        if not words_alone(answer.question, dense.model_id):
            question = dense.embed_query(answer.question)
            vectors = dense.embed_passages([candidate.compared for candidate in candidates])
            similarities = [cosine(question, vector) for vector in vectors]
        scored = [
            replace(candidate, similarity=similarity, terms=share)
            for candidate, similarity, share in zip(candidates, similarities, shares)
        ]
        excerpts = choose_excerpts(scored, self.policy)
        citations = [Citation(stored=e.stored, start=e.start, end=e.end) for e in excerpts]
        return tuple(
            Sentence(
                text=inert(citation.quote),
                citations=(citation,),
                shown=True,
                agreement=Agreement.AGREES,
            )
            for citation in citations
        )


def word_shares(
    sentences: Sequence[SentenceCandidate],
    weights: Mapping[str, float],
    sparse: SparseEmbedder | None,
) -> list[float]:
    """For each sentence its share of the weight of a question's words, by the terms of both."""
    total = sum(weights.values())
    if sparse is None or not total:
        return [0.0] * len(sentences)
    languages = [language_of_stored(sentence.stored, sparse.languages) for sentence in sentences]
    terms = {
        (word, language): set(sparse.embed_query(word, language).indices)
        for word in weights
        for language in set(languages)
    }
    vectors = embed_texts(sparse, [sentence.compared for sentence in sentences], languages)
    return [
        sum(weights[word] for word in weights if terms[word, language] <= set(vector.indices))
        / total
        for vector, language in zip(vectors, languages)
    ]
