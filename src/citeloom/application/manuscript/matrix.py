"""The use case `matrix`: works down, questions across, each cell the best passage of that work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.collection import selection_of
from citeloom.application.events import DocumentDone, ReadEvent, StageReached, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import MatrixRequest
from citeloom.domain.answers.messages import MESSAGES, AnswerLanguage
from citeloom.domain.answers.relevance import (
    COVERAGE_WEIGHT,
    Thresholds,
    Verdict,
    evidence,
    found_share,
    verdict_on,
)
from citeloom.domain.errors import NotFound, nearest_hint
from citeloom.domain.manuscript.sentence_support import nearest_sentences
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Hit, IndexQuery, Selection, StoredChunk, work_of
from citeloom.domain.retrieval.words import WordCoverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a work has on a question.

    `passage` is its best passage where the verdict reaches the threshold, else None, and `start`
    the offset there of the sentence that shares most words with the question; `evidence` is what
    the verdict rests on: 0 to 1.5.
    """

    verdict: Verdict
    evidence: float
    passage: StoredChunk | None = None
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """A work and its cell for each question. A document without a reference is a work of its own,
    named by its file.
    """

    name: str
    reference: CitationMeta | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The rows by year and name; `calibrated` says whether the thresholds are the project's own,
    `notes` what else is to be known of them.
    """

    project: str
    questions: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    calibrated: bool
    notes: tuple[str, ...] = ()

    @property
    def filled(self) -> int:
        return sum(cell.passage is not None for row in self.rows for cell in row.cells)


# Making it.

_PASSAGES_READ = 6
_TOGETHER = 32
"""How many documents are searched in one exchange with the store."""

Wording = Callable[[Sequence[StoredChunk]], WordCoverage]


def make_matrix(
    project: OpenProject, request: MatrixRequest, *, judge: JudgeRelevance, events: ReadEvent
) -> Matrix:
    """The matrix of the questions: every work of a project asked each, by the verdicts that `ask`
    gives.

    Raises `NotFound` for a work that the project does not have, and what `query` and the request's
    `cancellation` raise.
    """
    known = judge.thresholds(project.bound_collection(), MESSAGES[AnswerLanguage.ENGLISH])
    selections = _documents(project, request)
    works: dict[str, StoredChunk] = {}
    columns: list[dict[str, Cell]] = []
    with reported_run(len(request.questions), events):
        for question in request.questions:
            events(StageReached(document=question, stage="asking"))
            hits_by_work = _hits(project, question, selections, request.cancellation)
            works.update((work, hits[0].stored) for work, hits in hits_by_work.items())
            wording = judge.wording_of(question)
            columns.append(
                {
                    work: _cell(question, hits, wording, known.thresholds, strict=request.strict)
                    for work, hits in hits_by_work.items()
                }
            )
            events(DocumentDone(document=question, state="asked"))
    nothing = Cell(verdict=Verdict.NOTHING, evidence=0.0)
    rows = [
        MatrixRow(
            name=work if stored.citation else PurePath(stored.source_path).name,
            reference=stored.citation,
            cells=tuple(column.get(work, nothing) for column in columns),
        )
        for work, stored in works.items()
    ]
    return Matrix(
        project=project.id,
        questions=tuple(request.questions),
        rows=tuple(sorted(rows, key=_by_year)),
        calibrated=known.calibrated,
        notes=known.notes,
    )


def _by_year(row: MatrixRow) -> tuple[int, str]:
    year = row.reference.year if row.reference else None
    return (9999 if year is None else year, row.name)


def _documents(project: OpenProject, request: MatrixRequest) -> list[Selection]:
    """What each document, or each work that is named, is selected by."""
    selection = selection_of(project, request.filters)
    if not request.works:
        documents = project.facets("doc_id", selection)
        return [replace(selection, doc_id=doc_id) for doc_id in sorted(documents)]
    citekeys = project.facets("citekey")
    for work in request.works:
        if work not in citekeys:
            raise NotFound(
                f"the project has no work '@{work}'",
                nearest_hint(work, citekeys, "citeloom list shows them."),
            )
    return [replace(selection, citekey=work) for work in dict.fromkeys(request.works)]


def _hits(
    project: OpenProject,
    question: str,
    selections: Sequence[Selection],
    cancellation: Cancellation | None,
) -> dict[str, list[Hit]]:
    """The passages of each work that are nearest to a question."""
    dense = project.dense.embed_query(question)
    hits_by_work: dict[str, list[Hit]] = defaultdict(list)
    for at in range(0, len(selections), _TOGETHER):
        if cancellation is not None:
            cancellation.check()
        queries = [
            IndexQuery(selection=selection, mode=Mode.DENSE, limit=_PASSAGES_READ, dense=dense)
            for selection in selections[at : at + _TOGETHER]
        ]
        for hits in project.index.search_batch(project.collection, queries).hits:
            for hit in hits:
                hits_by_work[work_of(hit.stored)].append(hit)
    return {
        work: sorted(hits, key=lambda hit: -hit.score)[:_PASSAGES_READ]
        for work, hits in hits_by_work.items()
    }


def _cell(
    question: str, hits: Sequence[Hit], wording: Wording, thresholds: Thresholds, *, strict: bool
) -> Cell:
    """A work's cell, judged as `ask` judges a library; its best passage has most evidence itself. A
    work that is about words of the question, by its title, is related to it with less evidence.
    """
    whole = wording([hit.stored for hit in hits])
    verdict = verdict_on(hits[0].score, whole, thresholds)
    strength = evidence(hits[0].score, whole)
    score = round(strength, 4)
    if verdict is Verdict.NOTHING and strength + COVERAGE_WEIGHT >= thresholds.related:
        by_title = COVERAGE_WEIGHT * found_share(wording([_title_of(hits[0].stored)]))
        if by_title and strength + by_title >= thresholds.related:
            verdict = Verdict.RELATED
    if verdict is Verdict.NOTHING or (verdict is Verdict.RELATED and strict):
        return Cell(verdict=verdict, evidence=score)
    best = max(hits, key=lambda hit: evidence(hit.score, wording([hit.stored]))).stored
    sentences = nearest_sentences(question, best.chunk.text)
    start = sentences[0][0] if sentences else 0
    return Cell(verdict=verdict, evidence=score, passage=best, start=start)


def _title_of(stored: StoredChunk) -> StoredChunk:
    """The title of a passage's work, as a passage of it."""
    title = stored.citation.title if stored.citation else ""
    return replace(stored, chunk=replace(stored.chunk, text=title))
