"""What every model that writes answers promises."""

from __future__ import annotations

import json

import pytest

from citeloom.application.answering.claim_format import CLAIM_SCHEMA, read_reply
from citeloom.application.ports.answer_model import AnswerModel, Prompt
from tests.fakes.answer_model import ObedientModel, ScriptedModel, claim, reply

TEXT = "The buoy drifted for nine days. It was found on a beach."
PROMPT = Prompt(
    system="Answer from the passages.",
    user=json.dumps({"question": "How long?", "passages": [{"id": "p1", "text": TEXT}]}),
    schema=CLAIM_SCHEMA,
)


@pytest.fixture(params=["ScriptedModel", "ObedientModel"])
def model(request: pytest.FixtureRequest) -> AnswerModel:
    if request.param == "ObedientModel":
        return ObedientModel()
    return ScriptedModel(reply(claim("Nine days.", ("p1", "drifted for nine days"))))


def test_the_pieces_are_a_whole_reply(model: AnswerModel) -> None:
    read = read_reply("".join(model.stream(PROMPT)))
    assert read.claims
    assert read.notes == ()


def test_a_reply_depends_on_the_prompt_alone(model: AnswerModel) -> None:
    assert list(model.stream(PROMPT)) == list(model.stream(PROMPT))


def test_a_reply_may_be_left_unread(model: AnswerModel) -> None:
    pieces = model.stream(PROMPT)
    first = next(iter(pieces))
    assert next(iter(model.stream(PROMPT))) == first


def test_a_model_has_a_name_and_says_where_prompts_go(model: AnswerModel) -> None:
    assert model.model_id
    assert model.destination is None or model.destination
