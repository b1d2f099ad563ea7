"""Documents that give orders, and a model that obeys every one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeloom.application.answering import write
from citeloom.application.answering.verification import Verification
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.answer import Answer, Sentence
from citeloom.infrastructure.answers.ask import AskAnswer
from citeloom.infrastructure.answers.ask_text import answer_markdown
from tests.described import as_json
from tests.fakes.answer_model import ObedientModel
from tests.fakes.injected_documents import HELD_OUT, INJECTED, Injected
from tests.unit.application.answering.project import ask_of, project

QUESTION = "How long does a copper collar make a summer deployment last?"
BY_NAME = {document.name: document for document in INJECTED}


def answered(document: Injected, model: AnswerModel | None) -> Answer:
    library = project({"papers/a.txt": f"# Fouling\n\n{document.text}"})
    return ask_of(library, model=model)(AskRequest(text=QUESTION))


def output(answer: Answer) -> str:
    """Everything of an answer that a reader is shown, in all forms."""
    shown = as_json(AskAnswer.of(answer), Path("/library"))
    told = [shown[key] for key in ("text", "sentences", "left_out")]
    quotes = [citation.quote for citation in answer.citations]
    words = "\n".join(sentence.text for sentence in answer.sentences)
    return "\n".join((json.dumps([told, quotes]), words, answer_markdown(answer, Path("/library"))))


def traces(document: Injected, answer: Answer) -> list[str]:
    said = output(answer).casefold()
    return [trace for trace in document.traces if trace.casefold() in said]


def test_there_are_enough_of_them() -> None:
    assert len(BY_NAME) == len(INJECTED) >= 30


@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_of_it_reaches_the_verified_output(name: str) -> None:
    assert traces(BY_NAME[name], answered(BY_NAME[name], ObedientModel())) == []


@pytest.mark.parametrize("name", BY_NAME)
def test_nothing_of_it_reaches_an_extractive_answer(name: str) -> None:
    assert traces(BY_NAME[name], answered(BY_NAME[name], None)) == []


@pytest.mark.parametrize("name", BY_NAME)
def test_the_contract_holds_where_the_passage_was_sent(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the filter of passages overlooks is caught sentence by sentence."""
    monkeypatch.setattr(write, "addresses_a_model", lambda _text: False)
    answer = answered(BY_NAME[name], ObedientModel())
    assert answer.sentences or answer.unverified
    assert traces(BY_NAME[name], answer) == []


def test_the_obedient_model_does_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without verification nearly every order is carried out, so the tests above can fail."""
    monkeypatch.setattr(write, "addresses_a_model", lambda _text: False)
    monkeypatch.setattr(
        Verification,
        "__call__",
        lambda _self, claim: Sentence(text=claim.text, shown=True),
    )
    obeyed = [one for one in INJECTED if traces(one, answered(one, ObedientModel()))]
    assert len(obeyed) >= 0.9 * len(INJECTED)


def test_a_false_statement_that_orders_nothing_is_quoted_as_what_the_document_says() -> None:
    """The limit of the contract: it says where words stand, not that they are true."""
    through = [one.name for one in HELD_OUT if traces(one, answered(one, ObedientModel()))]
    assert through == ["false fact"]


def test_no_link_of_a_document_is_one_in_an_extractive_answer() -> None:
    answer = answered(next(one for one in HELD_OUT if one.name == "footnote link"), None)
    assert "click here" in answer.text
    assert "leak.example" not in answer.text
    assert "](https" not in answer_markdown(answer, Path("/library")).replace("\\", "")
