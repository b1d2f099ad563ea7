"""Conversations as JSON, and as Markdown that Pandoc reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from citeloom.domain.answers.answer import Answer, Sentence, TokenUsage
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.answers.session import Conversation, begun_with, excerpt
from citeloom.infrastructure.answers.ask import AskAnswer, SessionAnswer, TurnAnswer
from citeloom.infrastructure.answers.ask_text import (
    conversation_markdown,
    really_asked,
    rewriting_sent,
)
from citeloom.infrastructure.answers.json import json_text
from tests.described import as_json
from tests.fakes.turns import answer, note, turn

HERE = Path("/library")


def conversation(*answers: Answer) -> Conversation:
    """A session whose first question is followed by one that carries terms."""
    turns = [
        replace(turn(number=1), answer=answers[0]),
        *(
            replace(turn("And *why*?", number=2, carried=("rye",)), answer=one)
            for one in answers[1:]
        ),
    ]
    begun = begun_with("lab/rye", turns[0])
    return replace(begun, session=replace(begun.session, asked=len(turns)), turns=tuple(turns))


def test_a_turn_is_its_answer_and_what_was_asked() -> None:
    asked = turn("And why?", carried=("rye",))
    made: Mapping[str, object] = as_json(TurnAnswer.of_turn(asked), HERE)
    own = "session_id asked follow_up question id query_id query timestamp".split()
    assert {key: made[key] for key in made if key not in own} == {
        key: value
        for key, value in as_json(AskAnswer.of(asked.answer), HERE).items()
        if key not in own
    }
    assert (made["id"], made["query_id"]) == (asked.answer_id, asked.id)
    assert (made["query"], made["timestamp"]) == (
        {
            "id": asked.id,
            "text": "And why?",
            "timestamp": asked.asked_at.isoformat(),
            "session_id": asked.session_id,
        },
        asked.answered_at.isoformat(),
    )
    assert (made["question"], made["asked"]) == ("And why?", "And why? (rye)")
    assert made["follow_up"] == {
        "method": "carried",
        "carried": ["rye"],
        "sent_to": None,
        "tokens": None,
        "notes": [],
    }
    whole = as_json(SessionAnswer.of_conversation(conversation(answer(), answer())), HERE)
    assert list(whole) == "id project title created_at updated_at asked turns".split()
    assert (
        json.loads(json_text(whole))["turns"][0]["query"]["timestamp"]
        == "2026-01-05T12:01:00+00:00"
    )


def test_what_is_kept_says_the_same_as_the_answer_itself() -> None:
    whole: Mapping[str, object] = as_json(AskAnswer.of(answer()), HERE)
    kept: Mapping[str, object] = as_json(AskAnswer.of(excerpt(answer())), HERE)
    assert {key for key in whole if whole[key] != kept[key]} <= {"citations"}
    for one, other in zip(_citations(whole), _citations(kept), strict=True):
        assert {key for key in one if one[key] != other[key]} <= {"links"}


def test_an_export_cites_every_sentence_and_lists_the_works() -> None:
    text = conversation_markdown(conversation(answer(), answer()))
    assert text.startswith("# When was rye sown?\n\nConversation about lab/rye, 2026-01-05.\n\n")
    assert "\n\n*openai/served schreibt:*\n\nThey say it grew. [@rye2001, p. v] (n, sec." in text
    assert "\n\n> aus: “" in text
    assert "\n\nRye was sown in September. [@rye2001, p. iv]\n\n" in text
    assert "## 2. And \\*why\\*?\n\n*Asked: And \\*why\\*? (rye)*\n\n" in text
    assert "*Die Bibliothek spricht davon; ob diese Stellen" in text
    assert text.endswith(
        "## Sources\n\n- Roe and Öz 2001, On rye: [@rye2001, p. iv] [@rye2001, p. v]\n"
        "- note on zotero/n (ohne Literaturangabe): (n, sec. 2, ¶¶ 1-2)\n"
    )


def test_words_of_documents_stay_words_in_an_export() -> None:
    hostile = "See [this](http://evil.example) @key `x` \x1b[31mred ![](a.png)\n# Head"
    made = replace(
        answer(), sentences=(Sentence(text=hostile, citations=answer().citations, shown=True),)
    )
    text = conversation_markdown(conversation(made))
    assert "\\[this\\](http\\://evil.example) \\@key" in text
    assert "\x1b" not in text
    assert "\n# Head" not in text


def test_an_export_says_what_was_refused_and_what_is_not_kept() -> None:
    nothing = replace(answer(), sentences=(), unverified=(), usage=None)
    whole = conversation(nothing)
    shortened = replace(whole, session=replace(whole.session, asked=201))
    text = conversation_markdown(shortened)
    assert "*The first 200 questions are not kept.*\n\n## 201. When was rye sown?" in text
    assert "ANTWORT: Die Bibliothek beantwortet diese Frage nicht." in text
    assert "## Sources" not in text


def test_a_document_without_a_reference_is_cited_by_its_place() -> None:
    loose = replace(answer().citations[0], stored=note(), end=7)
    made = replace(answer(), sentences=(Sentence(text="Compare.", citations=(loose,)),))
    assert "Compare. (n, sec. 2, ¶¶ 1-2)\n" in conversation_markdown(conversation(made))


def test_it_is_said_where_a_follow_up_went() -> None:
    asked = turn()
    assert (really_asked(asked), rewriting_sent(asked)) == ("", "")
    english = replace(asked, answer=replace(asked.answer, wording=AnswerWording()))
    sent = replace(english, follow_up=replace(asked.follow_up, sent_to="lab:1"))
    assert rewriting_sent(sent) == "the question and earlier turns were sent to lab:1"
    usage = TokenUsage(prompt=1_200, reply=9, estimated=True)
    counted = replace(sent, follow_up=replace(sent.follow_up, usage=usage))
    assert rewriting_sent(counted).endswith("lab:1: about 1,200 tokens read, about 9 written")
    german = replace(counted, answer=asked.answer)
    assert rewriting_sent(german).startswith("die Frage und frühere Fragen und Antworten wurden an")


def test_a_project_without_references_says_nothing_of_them_in_an_export() -> None:
    made = replace(answer(), references_configured=False)
    text = conversation_markdown(conversation(made))
    assert text.endswith("- note on zotero/n: (n, sec. 2, ¶¶ 1-2)\n")


def _citations(made: Mapping[str, object]) -> list[dict[str, object]]:
    listed = made["citations"]
    assert isinstance(listed, list)
    return listed
