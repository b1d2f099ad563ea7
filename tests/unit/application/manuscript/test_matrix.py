"""Works down, questions across."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.events import no_reader
from citeloom.application.manuscript.matrix import Matrix, make_matrix
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import MatrixRequest
from citeloom.domain.answers.relevance import Thresholds, Verdict
from citeloom.domain.errors import DeadlineExceeded, InvalidFilter, NotFound
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.unit.application.answering.project import ALWAYS, NEVER, calibrated, project
from tests.unit.application.library import open_project

COPPER = "How long did the copper collar keep the window clean?"
RYE = "When was winter rye sown?"


def matrix_of(request: MatrixRequest, thresholds: Thresholds = ALWAYS) -> Matrix:
    library = project()
    calibrations = InMemoryCalibrations()
    calibrations.put(calibrated(library, thresholds))
    opened = open_project(library)
    judge = JudgeRelevance(project=opened, calibrations=calibrations)
    return make_matrix(opened, request, judge=judge, events=no_reader)


def test_each_work_has_its_best_passage_on_each_question() -> None:
    made = matrix_of(MatrixRequest(questions=(COPPER, RYE)))
    assert [row.name for row in made.rows] == ["rye2001", "b.txt"]
    assert made.filled == 4
    assert made.calibrated
    passage = made.rows[1].cells[0].passage
    assert passage is not None
    assert "copper collar" in passage.chunk.text


def test_cells_are_empty_where_no_passage_is_near() -> None:
    made = matrix_of(MatrixRequest(questions=(COPPER,)), NEVER)
    assert made.filled == 0
    assert {cell.verdict for row in made.rows for cell in row.cells} == {Verdict.NOTHING}


def test_what_may_or_may_not_answer_is_left_out_when_strict() -> None:
    related = Thresholds(related=-1.0, answered=2.0, unknown_share=1.0)
    assert matrix_of(MatrixRequest(questions=(COPPER,)), related).filled == 2
    assert matrix_of(MatrixRequest(questions=(COPPER,), strict=True), related).filled == 0


def test_a_work_whose_title_has_words_of_the_question_is_related_with_less_evidence() -> None:
    alone = matrix_of(MatrixRequest(questions=(RYE,), works=("rye2001",)), NEVER)
    strength = alone.rows[0].cells[0].evidence
    just_below = Thresholds(related=strength + 0.01, answered=1.5, unknown_share=1.0)
    [by_title] = matrix_of(MatrixRequest(questions=(RYE,), works=("rye2001",)), just_below).rows
    assert by_title.cells[0].verdict is Verdict.RELATED
    far_below = Thresholds(related=strength + 0.6, answered=2.0, unknown_share=1.0)
    [row] = matrix_of(MatrixRequest(questions=(RYE,), works=("rye2001",)), far_below).rows
    assert row.cells[0].verdict is Verdict.NOTHING


def test_works_and_filters_choose_the_rows() -> None:
    [row] = matrix_of(MatrixRequest(questions=(RYE,), works=("@rye2001",))).rows
    assert row.reference is not None
    assert row.cells[0].passage is not None
    filtered = matrix_of(MatrixRequest(questions=(RYE,), years=(2000, None)))
    assert [row.name for row in filtered.rows] == ["rye2001"]


def test_an_unknown_work_is_named_with_the_nearest() -> None:
    with pytest.raises(NotFound) as raised:
        matrix_of(MatrixRequest(questions=(RYE,), works=("rye2002",)))
    assert "rye2001" in raised.value.hint
    with pytest.raises(NotFound):
        matrix_of(MatrixRequest(questions=(RYE,), works=("zzz",)))


@pytest.mark.parametrize("questions", [(), (" ",), ("What?",) * 201])
def test_questions_that_cannot_be_asked_are_refused(questions: tuple[str, ...]) -> None:
    with pytest.raises(InvalidFilter):
        MatrixRequest(questions=questions)


def test_a_project_without_words_compares_letters() -> None:
    opened = open_project(project())
    dense_only = replace(opened, open_embedders=lambda: (opened.dense, None))
    judge = JudgeRelevance(project=dense_only, calibrations=InMemoryCalibrations())
    request = MatrixRequest(questions=(COPPER,))
    made = make_matrix(dense_only, request, judge=judge, events=no_reader)
    assert [len(row.cells) for row in made.rows] == [1, 1]
    assert not made.calibrated


def test_it_can_be_ended() -> None:
    ended = Cancellation()
    ended.request()
    with pytest.raises(DeadlineExceeded):
        matrix_of(MatrixRequest(questions=(RYE,), cancellation=ended))
