"""What is said of an answer, and answers and conversations as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from citeloom.domain.answers.answer import (
    EXTRACTIVE,
    Agreement,
    Answer,
    Citation,
    Entailment,
    NoAnswer,
    Sentence,
    SentenceKind,
    TokenUsage,
)
from citeloom.domain.answers.messages import MESSAGES, Messages
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.answers.session import Conversation, FollowUpMethod, Turn
from citeloom.domain.answers.untrusted import inert
from citeloom.domain.retrieval.passage import Passage
from citeloom.domain.text.tokens import joined_pairs
from citeloom.infrastructure.answers.ask import NEAREST, numbered
from citeloom.infrastructure.answers.headlines import doubts_on, headline, place
from citeloom.infrastructure.answers.markdown import (
    code,
    escaped_markdown,
    escaped_pandoc,
    listing,
)
from citeloom.infrastructure.answers.text import link_to_file, one_line


def answer_markdown(answer: Answer, base_dir: Path) -> str:
    """The answer with numbered sources; a document's words stay words."""
    unknown = f"*{escaped_markdown(line)}*" if (line := unknown_words(answer)) else ""
    if not answer.sentences:
        reply = escaped_markdown(one_line(answer.reply))
        if answer.from_references or refuses_alone(answer):
            return reply
        why = f"*{reason}*" if (reason := refusal(answer)) else ""
        nearest = "\n".join(
            f"- {_source(_whole(passage), base_dir, answer)}"
            for passage in answer.passages[:NEAREST]
        )
        nearest = nearest and f"{messages_of(answer).nearest}\n\n{nearest}"
        return "\n\n".join(filter(None, (reply, why, unknown, nearest)))
    numbers = numbered(answer)
    facts = (escaped_markdown(one_line(fact)) for fact in answer.from_references)
    text = "\n\n".join(filter(None, (*facts, *_paragraphs(answer, numbers))))
    sources = "\n".join(
        f"{number}. {_source(citation, base_dir, answer)}" for citation, number in numbers.items()
    )
    doubt = f"*{refusal(answer)}*\n\n" if answer.relevance.verdict is Verdict.RELATED else ""
    if prefix := escaped_markdown(one_line(answer.wording.prefix)).strip():
        prefix += " "
    return "\n\n".join(filter(None, (f"{doubt}{prefix}{text}", unknown, sources)))


def by_author(answer: Answer) -> Iterator[tuple[SentenceKind, list[Sentence]]]:
    """The sentences of an answer in order, those of one kind that follow one another together."""
    for kind, sentences in groupby(answer.sentences, key=lambda sentence: sentence.kind):
        yield kind, list(sentences)


def whose_words(answer: Answer, kind: SentenceKind) -> str:
    messages = messages_of(answer)
    if kind is SentenceKind.WRITTEN:
        return messages.writes.format(model=one_line(answer.method))
    connected = any(sentence.lead for sentence in answer.sentences)
    they_say = messages.they_say
    return f"{they_say[:-1]} ([…]: {one_line(answer.method)}):" if connected else they_say


def messages_of(answer: Answer) -> Messages:
    """What is said beside the answer, in its project's language."""
    return MESSAGES[answer.wording.language]


def without_reference(answer: Answer) -> str:
    """What is said beside a source without a reference; nothing where the project has none."""
    return messages_of(answer).no_reference if answer.references_configured else ""


def shown_sentence(sentence: Sentence) -> str:
    """A sentence as it is printed, a quotation in marks that none of its words closes."""
    if not sentence.verified:
        return sentence.connected
    words = sentence.text.replace("\u201c", "\u2018").replace("\u201d", "\u2019")
    return replace(sentence, text=f"\u201c{words}\u201d").connected


def in_quotation_marks(citation: Citation) -> str:
    """The words that are cited, on one line, in quotation marks that none of them closes."""
    words = one_line(" ".join(inert(citation.quote).split()))
    return "\u201c" + words.replace("\u201c", "'").replace("\u201d", "'") + "\u201d"


def written_from(citation: Citation, answer: Answer) -> str:
    """The words that a sentence of the answer was written from: `from: “…”`."""
    return messages_of(answer).written_from.format(quote=in_quotation_marks(citation))


def remark(sentence: Sentence, answer: Answer) -> str:
    """That a sentence should be compared with its quotes; what a model says of their entailment."""
    messages = messages_of(answer)
    remarks = [messages.compare] if sentence.agreement is Agreement.COMPARE else []
    if sentence.entailment is not None and sentence.judged_by is not None:
        entailed = sentence.entailment is Entailment.YES
        judgement = messages.entailed if entailed else messages.entailment_unclear
        remarks.append(judgement.format(model=one_line(sentence.judged_by)))
    return "; ".join(remarks)


def refusal(answer: Answer) -> str:
    """Why the library does not answer the question, or hardly; one line, empty if it does."""
    relevance, messages = answer.relevance, messages_of(answer)
    if relevance.verdict is not Verdict.ANSWERED:
        is_nothing = relevance.verdict is Verdict.NOTHING
        verdict = messages.nothing if is_nothing else messages.related
        return one_line(f"{verdict}: {'; '.join(relevance.reasons)}.")
    if answer.no_answer is NoAnswer.LIBRARY:
        return messages.no_sentence
    if answer.no_answer is None or answer.wording.refusal is None:
        return ""  # the reply itself says so
    is_models = answer.no_answer is NoAnswer.MODEL
    return messages.model_found_none if is_models else messages.unsupported


def refuses_alone(answer: Answer) -> bool:
    """Whether the refusal is a sentence of the project's own, which stands alone."""
    return not answer.sentences and answer.wording.refusal is not None


def sent(answer: Answer) -> tuple[str, ...]:
    """Where the question and its passages went, and what that cost; a line for each service."""
    messages, lines = messages_of(answer), []
    if answer.embedded_by is not None:
        compares = answer.method == EXTRACTIVE and answer.sentences
        said = messages.sentences_embedded if compares else messages.question_embedded
        lines.append(said.format(host=answer.embedded_by))
    if answer.reranked_by is not None:
        lines.append(messages.put_in_order.format(host=answer.reranked_by))
    if answer.judged_at is not None:
        lines.append(messages.sentences_judged.format(host=answer.judged_at))
    if answer.sent_to is not None and answer.usage is not None:
        went = messages.passages_sent.format(host=answer.sent_to, model=answer.method)
        lines.append(f"{went}: {tokens_text(answer.usage, messages)}")
    return tuple(map(one_line, lines))


def tokens_text(usage: TokenUsage, messages: Messages) -> str:
    said = messages.about_tokens if usage.estimated else messages.tokens
    return said.format(read=usage.prompt, written=usage.reply)


def absent(answer: Answer, most: int = 8) -> str:
    """A line on the question's words that the passages lack but the library has, names first."""
    wording = answer.relevance.wording
    missing = [word for word in wording.absent() if word not in wording.unknown]
    listed = ", ".join(joined_pairs(missing, answer.question)[:most])
    return one_line(messages_of(answer).missing.format(words=listed)) if missing else ""


def unknown_words(answer: Answer) -> str:
    """A line on the question's words that are nowhere in the library; empty without such."""
    wording = answer.relevance.wording
    unknown = [word for word in wording.absent() if word in wording.unknown]
    listed = ", ".join(joined_pairs(unknown, answer.question))
    return one_line(messages_of(answer).unknown.format(words=listed)) if unknown else ""


def _paragraphs(answer: Answer, numbers: dict[Citation, int]) -> Iterator[str]:
    """The sentences below whose words they are, what a model wrote above its quotes; where the
    project has a prefix, which comes first, it is said below the text.
    """
    for kind, sentences in by_author(answer):
        heading = whose_words(answer, kind)
        written = kind is SentenceKind.WRITTEN
        heading = f"*{escaped_markdown(heading)}*" if written else escaped_markdown(heading)
        if not answer.wording.prefix:
            yield heading
        for sentence in sentences:
            marks = "".join(f"\\[{numbers[citation]}\\]" for citation in sentence.citations)
            if sentence.is_code:
                yield f"{listing(sentence.text)}\n\n{marks}"
            else:
                yield f"{escaped_markdown(one_line(shown_sentence(sentence)))} {marks}"
            if written:
                yield "\n".join(
                    f"> {escaped_markdown(written_from(citation, answer))} "
                    f"\\[{numbers[citation]}\\] {_place(citation)}"
                    for citation in sentence.citations
                )
                yield f"*{escaped_markdown(note)}*" if (note := remark(sentence, answer)) else ""
        if answer.wording.prefix and written:
            writer = messages_of(answer).written_by.format(model=one_line(answer.method))
            yield f"*{escaped_markdown(writer)}*"


def _place(citation: Citation) -> str:
    return code(citation.citation or f"{citation.stored.source_path}, {citation.locator}")


def _source(citation: Citation, base_dir: Path, answer: Answer) -> str:
    stored, label = citation.stored, answer.label_of(citation)
    named = escaped_markdown(one_line(headline(stored, without_reference(answer))))
    target = link_to_file(citation.place, base_dir)
    linked = f", [{escaped_markdown(str(citation.locator)) or 'file'}]({target})" if target else ""
    labelled = f" {escaped_markdown(one_line(label))}" if label else ""
    return f"{named}{linked} {_place(citation)}{doubts_on(stored)}{labelled}"


def _whole(passage: Passage) -> Citation:
    """A passage as a citation of all its words."""
    return Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))


# A conversation as Markdown with citations for Pandoc.


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
    """The conversation with a Pandoc citation behind each sentence, and the works cited below."""
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
    places: dict[str, dict[str, None]] = {}  # of each work, in the order of first citation
    for turn in turns:
        for citation in turn.answer.citations:
            work = _line(headline(citation.stored, without_reference(turn.answer)))
            places.setdefault(work, {})[_mark(citation)] = None
    if places:
        yield "## Sources"
        yield "\n".join(f"- {work}: {' '.join(marks)}" for work, marks in places.items())


def _sentences(answer: Answer) -> Iterator[str]:
    """The sentences, those with words of a model below its name and above their quotes."""
    for kind, sentences in by_author(answer):
        written = kind is SentenceKind.WRITTEN
        if written or any(sentence.lead for sentence in sentences):
            yield f"*{_line(whose_words(answer, kind))}*"
        for sentence in sentences:
            marks = dict.fromkeys(map(_mark, sentence.citations))
            if sentence.is_code:
                yield f"{listing(sentence.text)}\n\n{' '.join(marks)}"
            else:
                yield " ".join((_line(sentence.connected), *marks))
            if written:
                yield "\n".join(
                    f"> {_line(written_from(citation, answer))} {_mark(citation)}"
                    for citation in sentence.citations
                )
                if note := remark(sentence, answer):
                    yield f"*{_line(note)}*"


def _mark(citation: Citation) -> str:
    """The citation of the quote itself, or the place of a document that has none."""
    cited = citation.citation
    return f"({_line(place(citation.stored))})" if cited is None else one_line(cited)


def _line(text: str) -> str:
    return escaped_pandoc(one_line(text))
