"""Judging whether a project's passages answer a question, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from citeloom.application.collection import selection_of
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.records import CalibrationStore
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.application.retrieval.question import question_words, vectors_of_chunks
from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.search import search_in
from citeloom.application.retrieval.terms import words_alone
from citeloom.domain.answers.calibration import DRIFT
from citeloom.domain.answers.counts import asked_to_count, say_how_many, unsaid_figures
from citeloom.domain.answers.messages import MESSAGES, AnswerLanguage, Messages
from citeloom.domain.answers.relevance import (
    COVERAGE_WEIGHT,
    UNCALIBRATED,
    Relevance,
    Thresholds,
    Verdict,
    found_share_in_one,
    judge,
)
from citeloom.domain.policies import Mode
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.coverage import wording_by_letters
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.domain.retrieval.words import PASSAGES_READ, WordCoverage


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdsInForce:
    """The thresholds in force, whether they are the collection's own, and notes on them."""

    thresholds: Thresholds
    calibrated: bool
    notes: tuple[str, ...] = ()


def _beside(stored: StoredChunk) -> str:
    """The headings of a passage, and the title and year of its work."""
    work = stored.citation
    cited = (work.title, str(work.year)) if work else ()
    return " ".join((stored.chunk.heading_chain, *cited))


def works_of(stored: Sequence[StoredChunk]) -> list[str | None]:
    """The citekey of the work of each passage; None for a document without a reference, which may
    be a page of a manual.
    """
    return [each.citation.citekey if each.citation else None for each in stored]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRelevance:
    """Judges questions by the nearest passage of the whole project, and by their words."""

    project: OpenProject
    calibrations: CalibrationStore

    def __call__(
        self,
        question: str,
        passages: Sequence[Passage],
        language: AnswerLanguage = AnswerLanguage.ENGLISH,
    ) -> tuple[Relevance, tuple[str, ...]]:
        """The verdict on a question for which `passages` were found, with reasons in a language,
        and notes on the thresholds.

        Of a question in a script that the dense model does not read, its cosine says nothing: half
        the share of the words' weight that one passage has stands in its place, and the default
        thresholds hold (ADR 62). Raises what `query` raises.
        """
        messages = MESSAGES[language]
        wording = self.wording(question, [passage.stored for passage in passages[:PASSAGES_READ]])
        if words_alone(question, self.project.dense.model_id):
            similarity: float | None = COVERAGE_WEIGHT * found_share_in_one(wording)
            in_force = ThresholdsInForce(thresholds=UNCALIBRATED, calibrated=False)
        else:
            similarity = self.similarity(question)
            in_force = self.thresholds(self.project.bound_collection(), messages)
        relevance = judge(
            similarity,
            wording,
            in_force.thresholds,
            calibrated=in_force.calibrated,
            language=language,
        )
        return relevance, in_force.notes

    def wording(self, question: str, stored: Sequence[StoredChunk]) -> WordCoverage:
        """How the question's words stand in the project and in the passages found."""
        return self.wording_of(question)(stored)

    def wording_of(self, question: str) -> Callable[[Sequence[StoredChunk]], WordCoverage]:
        """The same for any passages, with the words looked up once."""
        wording_in, counted = self._words_of(question), asked_to_count(question)

        def with_numbers(stored: Sequence[StoredChunk]) -> WordCoverage:
            wording, texts = wording_in(stored), [each.chunk.text for each in stored]
            lacking = wording.missing if wording.lacking is None else wording.lacking
            return replace(
                wording,
                uncounted=() if not counted or say_how_many(texts, counted) else counted,
                figures=unsaid_figures(lacking, texts, map(_beside, stored)),
            )

        return with_numbers

    def _words_of(self, question: str) -> Callable[[Sequence[StoredChunk]], WordCoverage]:
        project = self.project
        words = question_words(project, search_in(project, project.bound_collection()))
        if words is None:
            return lambda stored: wording_by_letters(
                question, [each.chunk.text for each in stored], works_of(stored)
            )
        weighed, terms = words(question, selection_of(project, Filters())), words.terms
        return lambda stored: weighed.wording(
            [frozenset(vector.indices) for vector in vectors_of_chunks(stored, terms)],
            works_of(stored),
        )

    def similarity(self, question: str) -> float | None:
        """The cosine of the question and the project's nearest passage; None without passages."""
        without = frozenset({StageName.RERANK})
        request = QueryRequest(text=question, mode=Mode.DENSE, top_k=1, without=without)
        result = query(self.project, request)
        return result.passages[0].score if result.passages else None

    def thresholds(self, collection: Collection, messages: Messages) -> ThresholdsInForce:
        """The thresholds of the collection's calibration, or the defaults."""
        calibration = self.calibrations.get(collection.name)
        advice = f"citeloom calibrate --project {self.project.id}"
        if calibration is None or not calibration.fits(collection):
            note = messages.rebuilt if calibration else messages.not_calibrated
            notes = (note.format(advice=advice),)
            return ThresholdsInForce(thresholds=UNCALIBRATED, calibrated=False, notes=notes)
        chunks = self.project.index.count(self.project.collection, self.project.everything)
        grown = messages.grown.format(chunks=chunks, calibrated=calibration.chunks, advice=advice)
        return ThresholdsInForce(
            thresholds=calibration.thresholds,
            calibrated=True,
            notes=(grown,) if calibration.drift(chunks) > DRIFT else (),
        )


_REORDERING = frozenset(
    {
        StageName.RERANK,
        StageName.DIVERSIFY,
        StageName.FLOOR,
        StageName.WORKS,
        StageName.GROUP,
    }
)
"""The stages that reorder passages or leave some out, which change no verdict."""


def query_above_floor(
    project: OpenProject, judge_relevance: JudgeRelevance, request: QueryRequest
) -> QueryResult:
    """The result of a query, without passages where the verdict is `nothing`. Raises what `query`
    raises.

    What is quoted word for word is always returned. The verdict rests on the nearest passages as
    the search finds them, however many are asked for and in whatever order.
    """
    result = query(project, request)
    if any(passage.verbatim for passage in result.passages):
        return result
    as_searched = request.query(request.text, top_k=PASSAGES_READ, without=_REORDERING)
    relevance, notes = judge_relevance(request.text, query(project, as_searched).passages)
    if relevance.verdict is not Verdict.NOTHING:
        return replace(result, notes=(*result.notes, *notes))
    why = f"the library says nothing about this: {'; '.join(relevance.reasons)}"
    return replace(result, passages=(), notes=(*result.notes, why, *notes))
