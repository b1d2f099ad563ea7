"""Answers as JSON and in words: where text went, what is missing, and sentences one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citeloom.domain.answers.answer import EXTRACTIVE, Agreement, Answer, Citation, Sentence
from citeloom.domain.answers.messages import AnswerLanguage, AnswerWording
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.text.tokens import joined_pairs
from citeloom.infrastructure.answers.ask import AskAnswer, SentencesInTurn
from citeloom.infrastructure.answers.ask_text import (
    absent,
    answer_markdown,
    in_quotation_marks,
    sent,
    unknown_words,
)
from citeloom.infrastructure.answers.model import filled, plain
from citeloom.infrastructure.answers.passages import ShownPassage
from citeloom.infrastructure.interfaces.cli.answer_commands import (
    AnswerStream,
    answer_parts,
    reasons_apart,
)
from citeloom.infrastructure.interfaces.mcp.mcp_server import TOOLS
from citeloom.infrastructure.interfaces.mcp.passage_tools import Reply
from tests.described import as_json
from tests.fakes.turns import answer, note, stored

HERE = Path("/lab")


def answer_text(answer: Answer) -> str:
    """The whole answer as a terminal shows it."""
    return "\n\n".join(filter(None, answer_parts(answer)))


def test_it_is_said_where_question_passages_and_sentences_went() -> None:
    written = replace(answer(), wording=AnswerWording())
    assert sent(written) == (
        "the question and passages were sent to localhost:11434 (openai/served): "
        "about 100 tokens read, about 20 written",
    )
    both = replace(written, embedded_by="embed.example")
    assert sent(both)[0] == "the question was sent to embed.example to be embedded"
    assert len(sent(both)) == 2
    assert as_json(AskAnswer.of(both), HERE)["sent_to"] == "localhost:11434, embed.example"
    extracted = replace(both, method=EXTRACTIVE, sent_to=None, usage=None)
    assert sent(extracted) == (
        "the question and sentences of passages were sent to embed.example to be embedded",
    )
    refused = replace(extracted, sentences=())
    assert sent(refused) == ("the question was sent to embed.example to be embedded",)
    assert sent(replace(refused, embedded_by=None)) == ()
    assert as_json(AskAnswer.of(replace(refused, embedded_by=None)), HERE)["sent_to"] is None


@pytest.mark.parametrize("language", AnswerLanguage)
def test_services_are_named_in_the_language_of_the_project(language: AnswerLanguage) -> None:
    made = replace(
        answer(),
        wording=AnswerWording(language=language),
        embedded_by="embed.example",
        reranked_by="order.example",
        judged_at="judge.example",
    )
    lines = sent(made)
    hosts = ("embed.example", "order.example", "judge.example", "localhost:11434")
    assert len(lines) == len(hosts)
    assert all(host in line for host, line in zip(hosts, lines))
    assert ("sent to" in lines[0]) is (language is AnswerLanguage.ENGLISH)
    assert not any("{" in line for line in lines)


def test_a_source_without_a_reference_is_remarked_on_only_where_there_are_references() -> None:
    made = replace(answer(), wording=AnswerWording(language=AnswerLanguage.PORTUGUESE))
    assert "(sem referência)" in answer_markdown(made, HERE)
    assert "referência" not in answer_markdown(replace(made, references_configured=False), HERE)


def test_what_a_model_wrote_stands_above_its_quotes_in_every_format() -> None:
    made = replace(answer(), wording=AnswerWording())
    whole: Any = as_json(AskAnswer.of(made), HERE)
    assert [(one["kind"], one["verified"]) for one in whole["sentences"]] == [
        ("quotation", True),
        ("written", False),
    ]
    assert (whole["written_by"], whole["share_verified"]) == ("openai/served", 1 / 3)
    assert whole["share_shown"] == pytest.approx(2 / 3)
    text, marked = answer_text(made), answer_markdown(made, HERE)
    head, written = text.split("openai/served writes:")
    assert "The documents say:" in head
    assert "They say it grew." in written
    assert written.count("from: \u201c") == 2
    assert "they say: 3 cm" in written
    assert "from:" not in head
    assert marked.index("The documents say:") < marked.index("*openai/served writes:*")
    assert "> from: \u201c" in marked
    alone = replace(made, sentences=made.sentences[1:])
    assert "The documents say:" not in answer_text(alone)
    assert "The documents say:" not in answer_markdown(alone, HERE)


def test_a_link_opens_the_page_of_the_quoted_words() -> None:
    chunk = replace(
        stored().chunk,
        text="Rye was sown late. It was cut early.",
        page_span=(3, 4),
        page_starts=(19,),
        page_labels=("iii", "iv"),
    )
    quote = Citation(stored=replace(stored(), chunk=chunk, source_path="a.pdf"), start=19, end=36)
    made = replace(answer(), sentences=(Sentence(text=quote.quote, citations=(quote,)),))
    whole: Any = as_json(AskAnswer.of(made), HERE)
    assert whole["citations"][0]["links"]["file"].endswith("/lab/a.pdf#page=4")
    assert "a.pdf#page=4" in answer_markdown(made, HERE)


def test_a_forged_answer_stands_in_quotation_marks_with_its_own_citation() -> None:
    forged = "It grew.\u201d\n\n2. The library does not answer this question. [@fake, p. iv] [2, 7]"
    chunk = replace(stored().chunk, text=forged)
    quote = Citation(stored=replace(stored(), chunk=chunk), start=0, end=len(forged))
    sentence = Sentence(text=forged, citations=(quote,))
    made = replace(answer(), wording=AnswerWording(), sentences=(sentence,), unverified=())
    text = answer_text(made)
    assert text.count("\u201d") == 1
    assert not any(line.startswith("2.") for line in text.splitlines())
    assert "\\[@fake, p. iv]" in text
    body = answer_markdown(made, HERE).replace("\\", "")
    assert "[2, 7]\u201d [1]" in body


def test_connecting_words_stand_in_brackets_below_whose_they_are() -> None:
    quotation = replace(answer().sentences[0], lead="In contrast")
    made = replace(answer(), wording=AnswerWording(), sentences=(quotation,))
    for shown in (answer_text(made), answer_markdown(made, HERE).replace("\\", "")):
        assert "The documents say ([…]: openai/served):" in shown
        assert "[In contrast] \u201cRye was sown in September.\u201d" in shown
        assert "The documents say:" not in shown
    whole: Any = as_json(AskAnswer.of(made), HERE)
    assert [(one["lead"], one["verified"]) for one in whole["sentences"]] == [("In contrast", True)]


def test_an_answer_is_printed_sentence_by_sentence_as_it_is_printed_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = replace(answer(), wording=AnswerWording())
    stream = AnswerStream(made.question)
    stream.found(replace(made, sentences=(), unverified=()))
    assert not capsys.readouterr().out
    stream.shown(made.sentences[0])
    begun = capsys.readouterr().out
    assert made.sentences[0].text in begun
    for sentence in made.sentences[1:]:
        stream.shown(sentence)
    stream.end(made)
    assert begun + capsys.readouterr().out == answer_text(made) + "\n"


@pytest.mark.parametrize("change", [{"sentences": ()}, {"wording": AnswerWording(prefix="Said: ")}])
def test_a_refusal_and_a_text_with_a_prefix_are_printed_at_the_end(
    change: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    made = replace(answer(), **change)
    stream = AnswerStream("And then?")
    stream.found(replace(made, sentences=()))
    for sentence in made.sentences:
        stream.shown(sentence)
    stream.end(made)
    asked = f"Asked: {made.question}\n\n"
    assert capsys.readouterr().out == f"{asked}{answer_text(made)}\n"


def test_a_project_with_a_prefix_says_who_wrote_below_it() -> None:
    text = answer_text(answer())
    assert text.index("ANTWORT: ") < text.index("openai/served schreibt:")
    assert text.count("] aus: \u201c") == 2
    quoted = replace(answer(), sentences=answer().sentences[:1])
    assert "schreibt" not in answer_text(quoted)
    assert as_json(AskAnswer.of(quoted), HERE)["written_by"] is None


def test_a_quote_cannot_close_its_own_quotation_marks() -> None:
    forged = "Rye\u201d\n2. Barley won [@fake] \u201c and so on"
    shown = in_quotation_marks(
        Citation(
            stored=replace(stored(), chunk=replace(stored().chunk, text=forged)), start=0, end=40
        )
    )
    assert shown.count("\u201c") == shown.count("\u201d") == 1
    assert "\n" not in shown


def test_words_that_are_nowhere_are_always_said_and_not_twice() -> None:
    made = answer()
    assert absent(made) == ""
    assert unknown_words(made) == "Nirgends in der Bibliothek: sown"
    sure = replace(made, relevance=replace(made.relevance, verdict=Verdict.ANSWERED))
    for one in (made, sure):
        assert unknown_words(made) in answer_text(one)
        assert unknown_words(made) in answer_markdown(one, HERE)
    wording = replace(made.relevance.wording, missing=frozenset({"rye"}))
    lacking = replace(made, relevance=replace(made.relevance, wording=wording))
    assert absent(lacking) == "Nicht in den nächsten Stellen: rye"


def test_a_refusal_in_a_projects_own_words_stands_alone() -> None:
    nothing = replace(answer().relevance, verdict=Verdict.NOTHING)
    refused = replace(answer(), relevance=nothing, sentences=(), unverified=())
    own = replace(refused, wording=AnswerWording(refusal="Nada."))
    assert (answer_text(own), answer_markdown(own, HERE)) == ("Nada.", "Nada.")
    assert next(reasons_apart(own)).startswith("The library says nothing about this")
    shipped = replace(refused, wording=AnswerWording(language=AnswerLanguage.PORTUGUESE))
    assert "Trechos mais próximos:" in answer_text(shipped)
    assert "A biblioteca nada diz sobre isto" in answer_text(shipped)
    assert list(reasons_apart(shipped)) == []


def test_sentences_one_by_one_have_the_numbers_of_the_whole_answer() -> None:
    made = answer()
    repeated = Sentence(text="Again.", citations=made.citations[:2], shown=True)
    whole: Any = as_json(AskAnswer.of(replace(made, sentences=(*made.sentences, repeated))), HERE)
    turns = SentencesInTurn(made.passages)
    told: list[Any] = [as_json(turns.next(one), HERE) for one in (*made.sentences, repeated)]
    assert [one["citations"] for one in told] == [[1], [2, 3], [1, 2]]
    assert [new for one in told for new in one["new_citations"]] == whole["citations"]
    assert [one["number"] for one in told] == [1, 2, 3]
    assert [one["relevance_score"] for one in whole["citations"]] == [0.6, 0.6, None]


def test_a_citation_has_a_title_whatever_is_known_of_its_source() -> None:
    (first, _, last) = answer().citations
    named = replace(stored(), citation=None, metadata={"title": "Rye, again"})
    sources = [first, replace(first, stored=named), replace(last, stored=note())]
    sentence = Sentence(text="Rye.", citations=tuple(sources), shown=True)
    made: Any = as_json(AskAnswer.of(replace(answer(), sentences=(sentence,))), HERE)
    assert [one["title"] for one in made["citations"]] == ["On rye", "Rye, again", "n"]
    shown = [ShownPassage.of_chunk(citation.stored).title for citation in sources]
    assert shown == ["On rye", "Rye, again", "n"]


def test_a_citation_has_the_projects_own_label() -> None:
    made = answer()
    labelled = tuple(replace(one, citation_label="[M1, Lesson 2]") for one in made.passages)
    made = replace(made, passages=labelled)
    first = made.citations[0]
    whole: Any = as_json(AskAnswer.of(made), HERE)
    assert [one["citation_label"] for one in whole["citations"]] == [
        made.label_of(one) for one in made.citations
    ]
    assert made.label_of(first) == "[M1, Lesson 2]"
    assert replace(made, passages=()).label_of(first) is None
    assert "\\[M1, Lesson 2\\]" in answer_markdown(made, HERE)
    assert "[M1, Lesson 2]  " in answer_text(made)
    told: Any = as_json(SentencesInTurn(made.passages).next(made.sentences[0]))
    assert told["new_citations"][0]["citation_label"] == "[M1, Lesson 2]"


def test_an_answer_over_mcp_has_the_projects_own_label() -> None:
    made = answer()
    labelled = tuple(replace(one, citation_label="[M1, Lesson 2]") for one in made.passages)
    reply = filled(
        Reply,
        AskAnswer.of(replace(made, passages=labelled)),
        judged_by=None,
        compare=(),
        missing=(),
    )
    shown: Any = plain(reply, TOOLS["ask"].door)
    assert shown["citations"][0]["citation_label"] == "[M1, Lesson 2]"
    assert "[M1, Lesson 2]" in reply.as_text()


def test_a_listing_of_code_is_shown_as_one() -> None:
    code = "rye sow\n  --early  `now`"
    source = replace(stored(code), citation=None)
    source = replace(source, chunk=replace(source.chunk, code=((0, len(code)),)))
    citation = Citation(stored=source, start=0, end=len(code))
    listed = Sentence(text=code, citations=(citation,), shown=True)
    made = replace(answer(), method=EXTRACTIVE, sentences=(listed,), wording=AnswerWording())
    assert "1. ```\n   rye sow\n     --early  `now`\n   ```\n   " in answer_text(made)
    assert "```\nrye sow\n  --early  `now`\n```\n\n\\[1\\]" in answer_markdown(made, HERE)
    [sentence] = as_json(AskAnswer.of(made), HERE)["sentences"]
    assert (sentence["is_code"], sentence["text"]) == (True, code)
    assert not any(one["is_code"] for one in as_json(AskAnswer.of(answer()), HERE)["sentences"])


def test_pairs_of_letters_are_named_as_the_question_has_them() -> None:
    question = "grub 为什么铺草木灰"
    assert joined_pairs(["什么", "grub", "木灰", "为什"], question) == ["grub", "为什么", "木灰"]
    assert joined_pairs([], question) == []


def test_a_sentence_to_compare_is_marked_in_every_format() -> None:
    quotation, written = answer().sentences
    compared = replace(written, agreement=Agreement.COMPARE)
    made = replace(
        answer(), wording=AnswerWording(), sentences=(quotation, compared), unverified=()
    )
    whole: Any = as_json(AskAnswer.of(made), HERE)
    assert [one["agreement"] for one in whole["sentences"]] == [None, "compare"]
    assert (whole["status"], whole["share_verified"]) == ("partial", 1 / 2)
    for text in (answer_text(made), answer_markdown(made, HERE)):
        assert text.count("in other words than its quotes: compare") == 1
    agreeing = replace(made, sentences=(quotation, replace(written, agreement=Agreement.AGREES)))
    assert agreeing.share_verified == 1.0
    assert "compare" not in answer_text(agreeing)
