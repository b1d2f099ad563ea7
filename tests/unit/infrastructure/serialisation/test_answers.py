"""Answers as JSON and in words: where text went, what is missing, and sentences one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from citeloom.domain.answers.answer import EXTRACTIVE, Sentence
from citeloom.infrastructure.serialisation.answers import (
    SentencesInTurn,
    absent,
    answer_json,
    sent,
)
from tests.fakes.turns import answer, note, stored

HERE = Path("/lab")


def test_it_is_said_where_question_passages_and_sentences_went() -> None:
    written = answer()
    assert sent(written) == (
        "the question and passages were sent to localhost:11434 (openai/served): "
        "about 100 tokens read, about 20 written",
    )
    both = replace(written, embedded_by="embed.example")
    assert sent(both)[0] == "the question was sent to embed.example to be embedded"
    assert len(sent(both)) == 2
    assert answer_json(both, HERE)["sent_to"] == "localhost:11434, embed.example"
    extracted = replace(both, method=EXTRACTIVE, sent_to=None, usage=None)
    assert sent(extracted) == (
        "the question and sentences of passages were sent to embed.example to be embedded",
    )
    refused = replace(extracted, sentences=())
    assert sent(refused) == ("the question was sent to embed.example to be embedded",)
    assert sent(replace(refused, embedded_by=None)) == ()
    assert answer_json(replace(refused, embedded_by=None), HERE)["sent_to"] is None


def test_words_that_a_refusal_names_are_not_said_twice() -> None:
    made = answer()
    assert absent(made) == ""
    wording = replace(made.relevance.wording, missing=frozenset({"rye"}))
    lacking = replace(made, relevance=replace(made.relevance, wording=wording))
    assert absent(lacking) == "rye"
    seldom = replace(
        lacking.relevance, thresholds=replace(made.relevance.thresholds, unknown_share=1.0)
    )
    assert absent(replace(lacking, relevance=seldom)) == "rye, sown"


def test_sentences_one_by_one_have_the_numbers_of_the_whole_answer() -> None:
    made = answer()
    repeated = Sentence(text="Again.", citations=made.citations[:2], verified=True)
    whole: Any = answer_json(replace(made, sentences=(*made.sentences, repeated)), HERE)
    turns = SentencesInTurn(made.passages, HERE)
    told: list[Any] = [turns.json_of(one) for one in (*made.sentences, repeated)]
    assert [one["citations"] for one in told] == [[1], [2, 3], [1, 2]]
    assert [new for one in told for new in one["new_citations"]] == whole["citations"]
    assert [one["number"] for one in told] == [1, 2, 3]
    assert [one["relevance_score"] for one in whole["citations"]] == [0.6, 0.6, None]


def test_a_citation_has_a_title_whatever_is_known_of_its_source() -> None:
    (first, _, last) = answer().citations
    named = replace(stored(), citation=None, metadata={"title": "Rye, again"})
    sources = [first, replace(first, stored=named), replace(last, stored=note())]
    sentence = Sentence(text="Rye.", citations=tuple(sources), verified=True)
    made: Any = answer_json(replace(answer(), sentences=(sentence,)), HERE)
    assert [one["title"] for one in made["citations"]] == ["On rye", "Rye, again", "n"]
