"""Labelled claims, checked against a project."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.answering.verification import (
    AnswerModelEntailment,
    EntailmentCheck,
)
from citeloom.application.evaluate.answers import evaluate_claims
from citeloom.application.events import no_reader
from citeloom.domain.answers.evaluation import ClaimEvaluation, LabelledClaim
from citeloom.domain.errors import InvalidQrels
from citeloom.infrastructure.answers.evaluations import ClaimEvaluationAnswer
from citeloom.infrastructure.evaluation.files import read_claims
from tests.described import as_json
from tests.fakes.answer_model import ScriptedModel
from tests.unit.application.answering.project import project
from tests.unit.application.library import open_project

SOWN = "Winter rye was sown in the last week of September on plot nine."


def labelled(claim: str, quote: str, *, supported: bool, kind: str) -> LabelledClaim:
    return LabelledClaim(
        question="When?", claim=claim, quotes=(quote,), supported=supported, kind=kind
    )


def written(made: ClaimEvaluation) -> Any:
    return as_json(ClaimEvaluationAnswer.of(made))


def test_quotes_are_looked_up_and_claims_checked_as_those_of_a_model() -> None:
    evaluate = partial(evaluate_claims, open_project(project()), events=no_reader)
    made: Any = written(
        evaluate(
            [
                labelled("Winter rye was sown in September.", SOWN, supported=True, kind="close"),
                labelled("Winter rye was sown in May.", SOWN, supported=False, kind="entity"),
                labelled("Rye is tall.", "Rye is a tall crop", supported=True, kind="gone"),
            ]
        )
    )
    assert [
        (one["kind"], one["shown"], one["agreement"], one["reason"]) for one in made["claims"]
    ] == [
        ("close", True, "agrees", None),
        ("entity", False, "contradicts", "other_names"),
        ("gone", False, None, "unknown_passage"),
    ]
    assert made["counts"] == {
        "supported": {"shown": 1, "agrees": 1, "of": 2},
        "unsupported": {"shown": 0, "agrees": 0, "of": 1},
        "by_kind": {
            "close": {"shown": 1, "agrees": 1, "of": 1},
            "gone": {"shown": 0, "agrees": 0, "of": 1},
            "entity": {"shown": 0, "agrees": 0, "of": 1},
        },
    }
    with pytest.raises(InvalidQrels):
        evaluate([])


def test_a_model_narrows_what_the_rules_let_pass() -> None:
    model = ScriptedModel('{"entailed": "no"}')
    check = EntailmentCheck(model=AnswerModelEntailment(model))
    claims = [
        labelled("Winter rye was sown in September.", SOWN, supported=True, kind="close"),
        labelled("Winter rye was sown in May.", SOWN, supported=False, kind="entity"),
        labelled(SOWN, SOWN, supported=True, kind="quotation"),
    ]
    opened = open_project(project())
    made = evaluate_claims(opened, claims, events=no_reader, entailment=check)
    assert [one.reason for one in made.claims] == ["not_entailed", "other_names", None]
    assert len(model.prompts) == 1


def test_a_line_that_is_no_claim_is_named(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    row = {"question": "", "claim": "Rye.", "quotes": ["Rye"], "supported": True, "kind": "k"}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    (read,) = read_claims(file)
    assert (read.claim, read.quotes, read.supported) == ("Rye.", ("Rye",), True)
    file.write_text(json.dumps(row) + '\n{"claim": "Rye."}\n', encoding="utf-8")
    with pytest.raises(InvalidQrels, match="line 2"):
        read_claims(file)
