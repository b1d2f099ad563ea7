"""What a model that judges entailment changes of an answer: it only narrows what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.answering.verification import EntailmentCheck
from citeloom.application.ports.answer_model import EntailmentJudgement, EntailmentModel
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.answer import Answer, Entailment, Fault, SentenceKind, TokenUsage
from citeloom.domain.errors import CiteloomError, InvalidReply, ModelUnavailable
from tests.fakes.answer_model import ScriptedModel, claim, reply
from tests.unit.application.answering.project import ask_of, project

QUESTION = "When was winter rye sown on plot nine?"
SOWN = "Winter rye was sown in the last week of September on plot nine."
GAUGES = "Rainfall before sowing was measured with two gauges on each plot."
WRITTEN = "On plot nine winter rye was sown in September."
MEASURED = "Two gauges on each plot measured rainfall before sowing."


class Judging(EntailmentModel):
    """Says of each sentence what a test says, and raises what it says."""

    model_id = "fake/judge"
    destination = "judge.example"

    def __init__(self, *said: Entailment | CiteloomError) -> None:
        self._said = list(said)
        self.judged: list[tuple[str, tuple[str, ...]]] = []

    def judge(
        self, sentence: str, quotes: Sequence[str], cancellation: Cancellation | None = None
    ) -> EntailmentJudgement:
        self.judged.append((sentence, tuple(quotes)))
        said = self._said.pop(0)
        if isinstance(said, CiteloomError):
            raise said
        return EntailmentJudgement(entailment=said, usage=TokenUsage(prompt=10, reply=1))


def answered(judge: Judging, *texts: tuple[str, str], keep_unclear: bool = False) -> Answer:
    """The answer of a model that writes these sentences from these quotes."""
    library = project()
    found = ask_of(library)(AskRequest(text=QUESTION)).passages
    named = {f"p{n}": one.stored.chunk.text for n, one in enumerate(found, start=1)}
    claims = [
        claim(text, (next(name for name, held in named.items() if quote in held), quote))
        for text, quote in texts
    ]
    model = ScriptedModel(reply(*claims), usage=TokenUsage(prompt=100, reply=20))
    check = EntailmentCheck(model=judge, keep_unclear=keep_unclear)
    ask = replace(ask_of(library, model=model), entailment=check)
    return ask(AskRequest(text=QUESTION))


def test_what_is_entailed_says_by_whom_and_what_it_cost() -> None:
    judge = Judging(Entailment.YES)
    answer = answered(judge, (WRITTEN, SOWN))
    (sentence,) = answer.sentences
    assert (sentence.entailment, sentence.judged_by) == (Entailment.YES, "fake/judge")
    assert judge.judged == [(WRITTEN, (SOWN,))]
    assert answer.judged_at == "judge.example"
    assert "judge.example" in answer.destinations
    assert answer.usage == TokenUsage(prompt=110, reply=21)


@pytest.mark.parametrize(
    ("said", "keep_unclear", "fault"),
    [
        (Entailment.NO, False, Fault.NOT_ENTAILED),
        (Entailment.NO, True, Fault.NOT_ENTAILED),
        (Entailment.UNCLEAR, False, Fault.ENTAILMENT_UNCLEAR),
        (Entailment.UNCLEAR, True, None),
    ],
)
def test_no_leaves_out_and_unclear_where_the_project_says_so(
    said: Entailment, keep_unclear: bool, fault: Fault | None
) -> None:
    answer = answered(Judging(said), (WRITTEN, SOWN), keep_unclear=keep_unclear)
    sentences = answer.unverified if fault else answer.sentences
    assert [one.text for one in sentences] == [WRITTEN]
    assert sentences[0].faults == ((fault,) if fault else ())
    assert sentences[0].entailment is said


def test_what_the_rules_leave_out_and_quotations_are_not_judged() -> None:
    judge = Judging()
    answer = answered(judge, ("Winter rye was sown in May on plot nine.", SOWN), (SOWN, SOWN))
    assert judge.judged == []
    assert [one.kind for one in answer.sentences] == [SentenceKind.QUOTATION]
    assert len(answer.unverified) == 1
    assert answer.judged_at is None


@pytest.mark.parametrize(
    "error",
    [ModelUnavailable("judge.example is away", "Start it."), InvalidReply("it said perhaps")],
)
def test_after_a_failure_the_answer_goes_on_with_quotations(error: CiteloomError) -> None:
    judge = Judging(error)
    false = "Three gauges on each plot measured rainfall before sowing."
    written = ((WRITTEN, SOWN), (MEASURED, GAUGES), (false, GAUGES))
    answer = answered(judge, *written, (WRITTEN, SOWN))
    assert [one.text for one in answer.sentences] == [SOWN, GAUGES]
    assert {one.kind for one in answer.sentences} == {SentenceKind.QUOTATION}
    assert [one.text for one in answer.unverified] == [false]
    assert len(judge.judged) == 1
    (note,) = answer.notes
    assert "fake/judge could not judge" in note
    assert error.message in note


def test_what_was_judged_before_a_failure_stays() -> None:
    judge = Judging(Entailment.YES, ModelUnavailable("away"))
    answer = answered(judge, (WRITTEN, SOWN), (MEASURED, GAUGES))
    assert [one.text for one in answer.sentences] == [WRITTEN, GAUGES]
