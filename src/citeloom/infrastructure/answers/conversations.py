"""A conversation as Markdown with citations for Pandoc."""

from __future__ import annotations

from collections.abc import Iterator

from citeloom.domain.answers.answer import Answer, Citation, SentenceKind
from citeloom.domain.answers.session import Conversation, FollowUpMethod, Turn
from citeloom.infrastructure.answers.ask_text import (
    by_author,
    messages_of,
    refusal,
    remark,
    tokens_text,
    whose_words,
    without_reference,
    written_from,
)
from citeloom.infrastructure.answers.headlines import headline, place
from citeloom.infrastructure.answers.markdown import escaped_pandoc
from citeloom.infrastructure.answers.text import one_line


def really_asked(turn: Turn) -> str:
    """What was really asked, where that is not the question as it stands; one line."""
    if turn.follow_up.method is FollowUpMethod.NONE:
        return ""
    return f"Asked: {one_line(turn.asked)}"


def rewriting_sent(turn: Turn) -> str:
    """Where question and earlier turns went to be written anew, and what that cost."""
    follow_up, messages = turn.follow_up, messages_of(turn.answer)
    if follow_up.sent_to is None:
        return ""
    went = messages.turns_sent.format(host=follow_up.sent_to)
    if follow_up.usage is None:
        return one_line(went)
    return one_line(f"{went}: {tokens_text(follow_up.usage, messages)}")


def conversation_markdown(conversation: Conversation) -> str:
    """The conversation with a Pandoc citation behind each sentence, and the works cited below.

    A document's words stay words.
    """
    return "\n\n".join(_parts(conversation)) + "\n"


def _parts(conversation: Conversation) -> Iterator[str]:
    session, turns = conversation.session, conversation.turns
    yield f"# {_line(session.title)}"
    days = " to ".join(
        dict.fromkeys(f"{at:%Y-%m-%d}" for at in (session.created_at, session.updated_at))
    )
    yield f"Conversation about {_line(session.project_id)}, {days}."
    first = session.asked - len(turns) + 1
    if first > 1:
        yield f"*The first {first - 1} questions are not kept.*"
    for number, turn in enumerate(turns, start=first):
        yield f"## {number}. {_line(turn.question)}"
        if rewritten := really_asked(turn):
            yield f"*{_line(rewritten)}*"
        answer = turn.answer
        if not answer.sentences:
            yield _line(answer.reply)
        if sentence := refusal(answer):
            yield f"*{_line(sentence)}*"
        if prefix := _line(answer.wording.prefix).strip():
            yield prefix
        yield from _sentences(answer)
    if listed := _sources(turns):
        yield "## Sources"
        yield "\n".join(listed)


def _sentences(answer: Answer) -> Iterator[str]:
    """The sentences, those with words of a model below its name and above their quotes."""
    for kind, sentences in by_author(answer):
        written = kind is SentenceKind.WRITTEN
        if written or any(one.lead for one in sentences):
            yield f"*{_line(whose_words(answer, kind))}*"
        for sentence in sentences:
            marks = dict.fromkeys(map(_mark, sentence.citations))
            yield " ".join((_line(sentence.connected), *marks))
            if written:
                yield "\n".join(_quote(citation, answer) for citation in sentence.citations)
                if said := remark(sentence, answer):
                    yield f"*{_line(said)}*"


def _quote(citation: Citation, answer: Answer) -> str:
    """The words that a sentence was written from, as a quotation."""
    return f"> {_line(written_from(citation, answer))} {_mark(citation)}"


def _mark(citation: Citation) -> str:
    """The citation of the quote itself, or the place of a document that has none."""
    cited = citation.cited
    return f"({_line(place(citation.stored))})" if cited is None else one_line(cited)


def _sources(turns: tuple[Turn, ...]) -> list[str]:
    """The works cited, in the order of their first citation, each with its places."""
    places: dict[str, dict[str, None]] = {}
    for turn in turns:
        for citation in turn.answer.citations:
            work = _line(headline(citation.stored, without_reference(turn.answer)))
            places.setdefault(work, {})[_mark(citation)] = None
    return [f"- {work}: {' '.join(marks)}" for work, marks in places.items()]


def _line(text: str) -> str:
    return escaped_pandoc(one_line(text))
