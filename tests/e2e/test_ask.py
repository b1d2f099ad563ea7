"""`citeloom ask`, `calibrate` and `eval answers`: what a user sees of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.application.answering import calibrate as calibrate_module
from citeloom.application.answering.calibrate import Calibrate
from citeloom.domain.answers.calibration import UNRELATED_QUESTIONS, Calibration
from citeloom.infrastructure.answers.evaluations import CalibrationAnswer
from tests.described import assert_described
from tests.e2e.command import Desk

QUESTION = "How much longer does a logger last with a copper collar?"
REFUSED = "The library does not answer this question."
FOREIGN = "Which soprano sang Tosca in Rome?"


@pytest.fixture(scope="module")
def answer(sample: Desk) -> dict[str, Any]:
    """The answer to the question, as JSON."""
    made: dict[str, Any] = sample.must("ask", QUESTION, "--format", "json").json
    return made


def test_the_json_has_the_documented_keys(answer: dict[str, Any]) -> None:
    assert list(answer) == (
        "project question status verdict method sent_to content reply text sentences "
        "overview works written_by no_answer share_verified share_shown left_out citations "
        "relevance nearest retrieved_chunks notes tokens "
        "duration_ms correlation_id id query_id query timestamp".split()
    )
    assert (answer["status"], answer["method"], answer["sent_to"]) == (
        "answered",
        "extractive",
        None,
    )
    assert answer["content"] == "untrusted"
    assert answer["share_verified"] == 1.0
    assert set(answer["relevance"]) == set(
        "similarity evidence evidence_in_one related answered calibrated coverage unknown_share "
        "unknown missing reasons".split()
    )
    assert [one["index"] for one in answer["citations"]] == list(
        range(1, len(answer["citations"]) + 1)
    )


def test_every_quote_stands_where_it_is_cited(sample: Desk, answer: dict[str, Any]) -> None:
    texts = {stored.chunk.id: stored.chunk.text for stored in sample.chunks("citeloom/demo")}
    for citation in answer["citations"]:
        assert citation["quote"] in texts[citation["chunk_id"]]
        assert citation["match"] == "exact"
        assert citation["page_span"][0] == citation["page_span"][1]
    quotes = [one["quote"] for one in answer["citations"]]
    assert [sentence["text"] for sentence in answer["sentences"]] == quotes
    assert any("copper collar" in quote for quote in quotes)


def test_the_text_has_sentences_and_their_places(sample: Desk) -> None:
    result = sample.must("ask", QUESTION)
    assert result.out.startswith("The documents say:\n\n1. ")
    assert "[@okaforTurbidityBudgetDrift2021, p. " in result.out
    assert "is not calibrated" in result.err
    marked = sample.must("ask", QUESTION, "--format", "markdown").out
    assert "\\[1\\]" in marked
    assert "\n1. " in marked


def test_filters_narrow_what_is_answered_from(sample: Desk) -> None:
    made = sample.must("ask", QUESTION, "--where", "word_count>0", "--format", "json").json
    assert made["citations"] == []
    assert sample.run("ask", QUESTION, "--where", "nothing=1").code != 0


def test_a_foreign_question_is_refused_with_the_nearest_passages(sample: Desk) -> None:
    answer = sample.must("ask", FOREIGN, "--format", "json").json
    assert answer["status"] == "nothing_relevant"
    assert answer["verdict"] == "nothing"
    assert (answer["text"], answer["sentences"], answer["citations"]) == ("", [], [])
    assert {"soprano", "Tosca"} <= set(answer["relevance"]["missing"])
    assert answer["nearest"]
    text = sample.must("ask", FOREIGN).out
    assert text.count("Tosca") == 1
    assert text.startswith(
        "The library does not answer this question.\n\nThe library says nothing about this: "
    )
    assert "Nearest passages:" in text
    assert "Tosca" in text
    marked = sample.must("ask", FOREIGN, "--format", "markdown").out
    assert marked.startswith(
        "The library does not answer this question.\n\n*The library says nothing about this"
    )


def test_answers_are_measured_and_refusals_counted(sample: Desk, tmp_path: Path) -> None:
    rows = [
        {
            "id": "collar",
            "question": QUESTION,
            "citekey": "okaforTurbidityBudgetDrift2021",
            "evidence": "The copper collar more than doubled the life of a summer deployment",
        },
        {"id": "opera", "kind": "foreign", "question": FOREIGN},
    ]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    output = sample.must("eval", "answers", "-q", questions).out
    assert "2 questions, 1 of them answerable; extractive answers, default thresholds" in output
    assert "evidence page recall" in output
    assert "quote-verified citation precision" in output
    made = sample.must("eval", "answers", "-q", questions, "--format", "json").json
    assert made["means"]["evidence page recall"] == 1.0
    assert made["unanswerable"]["nothing"]["count"] == 1
    assert made["answerable"]["nothing"]["count"] == 0


def test_a_calibration_is_used_by_ask_and_by_queries(small: Desk) -> None:
    found = small.run("calibrate")
    assert found.code == 10
    reason = small.must("ingest", "--calibrate", "--json").json["calibration"]["reason"]
    assert "sentences to calibrate" in reason
    assert "sentences to calibrate" in found.err
    small.must("query", FOREIGN, "--floor")


@pytest.fixture
def calibrated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the first command ask few questions, and each after it print what that found: asking
    hundreds of questions takes long.
    """
    few = {field: questions[:2] for field, questions in UNRELATED_QUESTIONS.items()}
    monkeypatch.setattr(calibrate_module, "UNRELATED_QUESTIONS", few)
    monkeypatch.setattr(calibrate_module, "OWN_SENTENCES", 30)
    calibrate, made = Calibrate.__call__, list[Calibration]()

    def once(self: Calibrate) -> Calibration:
        if not made:
            made.append(calibrate(self))
        return made[0]

    monkeypatch.setattr(Calibrate, "__call__", once)


@pytest.mark.usefixtures("calibrated_once")
def test_a_calibrated_library_says_so(sample: Desk) -> None:
    made = sample.must("calibrate", "--json").json
    assert_described(made, CalibrationAnswer)
    stored = sample.data / "calibrations" / f"{made['collection']}.json"
    try:
        assert 0 < made["thresholds"]["related"] <= made["thresholds"]["answered"] < 1.5
        assert made["verdicts"]["present"]["nothing"]["share"] <= 0.2
        output = sample.must("calibrate").out
        assert "questions of other fields" in output
        answered = sample.must("ask", QUESTION, "--format", "json").json
        assert answered["relevance"]["calibrated"]
        assert not answered["notes"]
        refused = sample.must("query", FOREIGN, "--floor")
        assert "says nothing about this" in refused.err
        assert refused.out.strip() == ""
        assert sample.must("query", FOREIGN).out.strip()
        assert sample.must("ingest", "--calibrate", "--json").json["calibration"] is None
        stored.unlink()
        again = sample.must("ingest", "--calibrate", "--json").json["calibration"]
        assert again["thresholds"] == made["thresholds"]
        assert again["reason"] == ""
    finally:
        stored.unlink(missing_ok=True)
