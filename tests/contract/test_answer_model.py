"""What every model that writes answers promises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from citeloom.application.answering.prompt import CLAIM_SCHEMA
from citeloom.application.ports.answer_model import AnswerModel, ModelPrompt
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import TokenUsage
from citeloom.domain.errors import IncompleteReply, ModelUnavailable
from tests.fakes.answer_model import ObedientModel, ScriptedModel, claim, read_reply, reply
from tests.fakes.chat_server import chat_server

TEXT = "The buoy drifted for nine days. It was found on a beach."
PROMPT = ModelPrompt(
    system="Answer from the passages.",
    user=json.dumps({"question": "How long?", "passages": [{"id": "p1", "text": TEXT}]}),
    schema=CLAIM_SCHEMA,
)


@pytest.fixture(params=["ScriptedModel", "ObedientModel", "OpenAiAnswerModel"])
def model(request: pytest.FixtureRequest) -> Iterator[AnswerModel]:
    if request.param == "ObedientModel":
        yield ObedientModel()
    elif request.param == "ScriptedModel":
        yield ScriptedModel(
            reply(claim("Nine days.", ("p1", "drifted for nine days"))),
            usage=TokenUsage(prompt=90, reply=20),
        )
    else:
        with chat_server() as served:
            yield served.model()


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


def test_a_closed_reply_has_no_more_pieces(model: AnswerModel) -> None:
    pieces = model.stream(PROMPT)
    next(pieces)
    pieces.close()
    assert list(pieces) == []


def test_a_cancelled_reply_ends(model: AnswerModel) -> None:
    cancellation = Cancellation()
    pieces = model.stream(PROMPT, cancellation)
    next(pieces)
    cancellation.request()
    with suppress(IncompleteReply, ModelUnavailable):
        list(pieces)
    assert list(pieces) == []
    with pytest.raises((IncompleteReply, ModelUnavailable)):
        list(model.stream(PROMPT, cancellation))


def test_what_a_reply_cost_is_known_behind_it_if_at_all(model: AnswerModel) -> None:
    pieces = model.stream(PROMPT)
    assert "".join(pieces)
    usage = pieces.usage
    assert usage is None or (usage.prompt > 0 and not usage.estimated)
    assert model.stream(PROMPT).usage is None
