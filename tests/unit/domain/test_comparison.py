"""Two runs held against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.comparison import compare
from citeloom.domain.evaluation.measures import (
    EvaluationRun,
    Provenance,
    QuestionResult,
    mode_result,
)
from citeloom.domain.policies import ChunkingPolicy, Mode, RetrievalPolicy

PROVENANCE = Provenance(
    created_at=datetime(2026, 1, 2, tzinfo=UTC),
    questions_sha256="q",
    collection="c",
    chunks=2,
    chunks_sha256="d",
    models={"dense": "m", "sparse": None},
    chunking=ChunkingPolicy(),
    retrieval=RetrievalPolicy(),
    versions={"python": "3.10"},
    seed=1,
)


def run_of(values: Mapping[str, float], mode: Mode = Mode.HYBRID) -> EvaluationRun:
    answers = [
        QuestionResult(
            id=name, kind="k", question=f"{name}?", figures={"nDCG@10": value, "hit@1": 1.0}
        )
        for name, value in values.items()
    ]
    unanswerable = QuestionResult(id="none", kind="unanswerable", question="none?", figures={})
    result = mode_result(mode, None, [*answers, unanswerable], seed=1)
    return EvaluationRun(name="q", k=10, modes=(result,), provenance=PROVENANCE)


EVEN = {f"q{n:02}": 0.5 for n in range(20)}


def test_a_clear_gain_is_significant_and_says_where() -> None:
    better = {**EVEN, **{f"q{n:02}": 0.5 + n / 40 for n in range(1, 16)}, "q16": 0.25}
    (mode,) = compare(run_of(EVEN), run_of(better)).modes
    gain, still = mode.differences
    assert (gain.measure, gain.questions, gain.wins, gain.losses) == ("nDCG@10", 20, 15, 1)
    assert gain.difference == pytest.approx(sum(range(1, 16)) / 40 / 20 - 0.25 / 20)
    assert gain.interval.low < gain.difference < gain.interval.high
    assert gain.significant
    assert gain.p < gain.corrected_p == 2 * gain.p
    assert [change.id for change in gain.changes][:2] == ["q15", "q14"]
    assert (gain.changes[-1].id, gain.changes[-1].before, gain.changes[-1].after) == (
        "q16",
        0.5,
        0.25,
    )
    assert (still.measure, still.p, still.changes, still.significant) == ("hit@1", 1.0, (), False)


def test_a_run_does_not_differ_from_itself() -> None:
    comparison = compare(run_of(EVEN), run_of(EVEN))
    assert comparison.conditions == {}
    assert comparison.unpaired == ()
    assert {d.p for mode in comparison.modes for d in mode.differences} == {1.0}


def test_only_questions_of_both_runs_are_compared() -> None:
    other = run_of({**dict.fromkeys(list(EVEN)[1:], 0.5), "new": 1.0})
    comparison = compare(run_of(EVEN), other)
    assert comparison.unpaired == ("new", "q00")
    assert comparison.modes[0].differences[0].questions == 19


def test_conditions_that_differ_are_named() -> None:
    other = replace(
        PROVENANCE,
        retrieval=RetrievalPolicy(rrf_k=20),
        versions={"python": "3.11"},
        created_at=datetime(2027, 1, 2, tzinfo=UTC),
        chunks=3,
    )
    comparison = compare(run_of(EVEN), replace(run_of(EVEN), provenance=other))
    assert comparison.conditions == {
        "chunks": ("2", "3"),
        "retrieval.rrf_k": ("60", "20"),
        "versions.python": ("3.10", "3.11"),
    }


def test_runs_without_anything_in_common_cannot_be_compared() -> None:
    for other in (run_of({"x": 1.0}), run_of(EVEN, Mode.DENSE)):
        with pytest.raises(InvalidQrels, match="in common"):
            compare(run_of(EVEN), other)
