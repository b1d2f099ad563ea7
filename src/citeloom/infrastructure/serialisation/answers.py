"""The documented JSON of answers, calibrations and evaluations of both, and answers as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path, PurePath
from re import escape, finditer
from typing import TYPE_CHECKING

from citeloom.domain.answers.answer import (
    EXTRACTIVE,
    Answer,
    Citation,
    Entailment,
    NoAnswer,
    Sentence,
    SentenceKind,
    TokenUsage,
    all_faults,
)
from citeloom.domain.answers.calibration import Calibration, Verdicts
from citeloom.domain.answers.evaluation import AnswerEvaluation, ClaimEvaluation
from citeloom.domain.answers.messages import MESSAGES, Messages
from citeloom.domain.answers.overview import LibraryOverview
from citeloom.domain.answers.relevance import Relevance, Verdict, found_share
from citeloom.domain.answers.untrusted import inert
from citeloom.domain.documents.text import has_unsegmented
from citeloom.domain.evaluation.significance import Rate
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.markdown import code, escaped_markdown
from citeloom.infrastructure.serialisation.passages import (
    headline,
    passage_json,
    stored_json,
    work_json,
)
from citeloom.infrastructure.serialisation.text import link_to_file, links_of, one_line

if TYPE_CHECKING:
    from citeloom.infrastructure.serialisation.schemas.answers import (
        AnswerCitation,
        AnswerSentence,
        AskAnswer,
        FoundAnswer,
        JudgedRelevance,
        NumberedSentence,
        Overview,
        Tokens,
    )
    from citeloom.infrastructure.serialisation.schemas.evaluation import (
        AnswerEvaluationAnswer,
        CalibrationAnswer,
        ClaimEvaluationAnswer,
        RateWithInterval,
        VerdictRates,
    )

_NEAREST = 3


def answer_json(answer: Answer, base_dir: Path, session_id: str | None = None) -> AskAnswer:
    """The documented JSON of an answer, of a session if it was given in one."""
    numbers = _numbers(answer)
    passages = passages_by_id(answer.passages)
    return {
        "project": answer.project,
        "question": answer.question,
        "status": answer.status,
        "verdict": answer.relevance.verdict,
        "method": answer.method,
        "sent_to": ", ".join(answer.destinations) or None,
        **UNTRUSTED,
        "reply": answer.reply,
        "text": answer.text,
        "sentences": [_sentence_json(sentence, numbers) for sentence in answer.sentences],
        "overview": _overview(answer.overview),
        "works": [work_json(work) for work in answer.works],
        "written_by": written_by(answer),
        "no_answer": answer.no_answer,
        "share_verified": answer.share_verified,
        "share_shown": answer.share_shown,
        "left_out": {fault.value: n for fault, n in all_faults(answer.unverified).items()},
        "citations": [citation_json(one, n, base_dir, passages) for one, n in numbers.items()],
        "relevance": relevance_json(answer.relevance),
        "nearest": [
            {"chunk_id": passage.stored.chunk.id, "citation": passage.citation}
            for passage in answer.passages[:_NEAREST]
        ],
        "retrieved_chunks": [passage.stored.chunk.id for passage in answer.passages],
        "notes": list(answer.notes),
        "tokens": tokens_json(answer.usage),
        "duration_ms": answer.duration_ms,
        "correlation_id": answer.correlation_id,
        "id": answer.id,
        "query_id": answer.query_id,
        "query": {
            "id": answer.query_id,
            "text": answer.question,
            "timestamp": answer.asked_at,
            "session_id": session_id,
        },
        "timestamp": answer.answered_at,
    }


def tokens_json(usage: TokenUsage | None) -> Tokens | None:
    """The documented JSON of what a model read and wrote."""
    if usage is None:
        return None
    return {"prompt": usage.prompt, "reply": usage.reply, "estimated": usage.estimated}


def _overview(overview: LibraryOverview | None) -> Overview | None:
    if overview is None:
        return None
    return {
        "documents": overview.documents,
        "works": overview.works,
        "years": list(overview.years) if overview.years else None,
        "terms": list(overview.terms),
        "sections": list(overview.sections),
    }


def found_json(answer: Answer, base: Path) -> FoundAnswer:
    """What an answer is made from, as it is told before it has a sentence."""
    return {
        "project": answer.project,
        "verdict": answer.relevance.verdict,
        "relevance": relevance_json(answer.relevance),
        "count": len(answer.passages),
        "items": [passage_json(passage, base) for passage in answer.passages],
    }


class SentencesInTurn:
    """Numbers the citations of sentences that come one by one, as the whole answer will."""

    def __init__(self, passages: Sequence[Passage], base_dir: Path) -> None:
        self._passages = passages_by_id(passages)
        self._base_dir = base_dir
        self._numbers: dict[Citation, int] = {}
        self._count = 0

    def json_of(self, sentence: Sentence) -> NumberedSentence:
        """The next sentence, with those of its citations that are new."""
        new = [citation for citation in sentence.citations if citation not in self._numbers]
        self._numbers |= {one: n for n, one in enumerate(new, start=len(self._numbers) + 1)}
        self._count += 1
        return {
            "number": self._count,
            **UNTRUSTED,
            **_sentence_json(sentence, self._numbers),
            "new_citations": [
                citation_json(one, self._numbers[one], self._base_dir, self._passages)
                for one in new
            ],
        }


def passages_by_id(passages: Sequence[Passage]) -> Mapping[str, Passage]:
    """The passages that an answer was made from, by chunk id."""
    return {passage.stored.chunk.id: passage for passage in passages}


def citation_json(
    citation: Citation, index: int, base_dir: Path, passages: Mapping[str, Passage]
) -> AnswerCitation:
    """The documented JSON of a citation: the quote, the place of the quote itself, the work."""
    place = citation.locator
    passage = passages.get(citation.passage_id)
    similarity = passage.dense.score if passage and passage.dense else None
    return {
        **stored_json(citation.stored, base_dir),
        "links": links_of(citation.place, base_dir),
        "title": _title(citation.stored),
        "index": index,
        "chunk_id": citation.passage_id,
        **UNTRUSTED,
        "quote": citation.quote,
        "match": citation.match,
        "share": citation.share,
        "citation": citation.cited,
        "citation_label": passage.citation_label if passage else None,
        "locator": str(place),
        "page_span": _page_span(place),
        "page": place.page_start,
        "page_index": place.page_start - 1 if place.page_start else None,
        "page_labels": list(place.page_labels),
        "source": citation.stored.source_path,
        "section": place.section or None,
        "relevance_score": None if similarity is None else min(max(similarity, 0.0), 1.0),
    }


def _page_span(place: Locator) -> list[int] | None:
    if place.page_start is None or place.page_end is None:
        return None
    return [place.page_start, place.page_end]


def calibration_json(calibration: Calibration) -> CalibrationAnswer:
    """The documented JSON of `calibrate`."""
    return {
        "collection": calibration.collection,
        "generation": calibration.generation,
        "model": calibration.model,
        "chunks": calibration.chunks,
        "thresholds": calibration.thresholds,
        "verdicts": {kind: _verdicts_json(each) for kind, each in calibration.verdicts.items()},
        "related_fields": list(calibration.related_fields),
        "created_at": calibration.created_at,
    }


def evaluation_json(made: AnswerEvaluation) -> AnswerEvaluationAnswer:
    """The documented JSON of `eval answers`."""
    return {
        "name": made.name,
        "project": made.project,
        "method": made.method,
        "sent_to": made.sent_to,
        "calibrated": made.calibrated,
        "answers": list(made.answers),
        "means": dict(made.means),
        "intervals": dict(made.intervals),
        "answerable": _verdicts_json(made.answerable),
        "unanswerable": _verdicts_json(made.unanswerable),
        "by_kind": {kind: _verdicts_json(verdicts) for kind, verdicts in made.by_kind.items()},
        "latency": made.latency,
    }


def claim_evaluation_json(made: ClaimEvaluation) -> ClaimEvaluationAnswer:
    """The documented JSON of `eval claims`."""
    return {
        "claims": list(made.claims),
        "counts": {
            "supported": made.supported,
            "unsupported": made.unsupported,
            "by_kind": dict(made.by_kind),
        },
    }


def rate_json(rate: Rate) -> RateWithInterval:
    """A rate with its interval."""
    return {
        "count": rate.count,
        "of": rate.of,
        "share": rate.share,
        "low": rate.interval.low,
        "high": rate.interval.high,
    }


def answer_markdown(answer: Answer, base_dir: Path) -> str:
    """The answer with numbered sources; a document's words stay words."""
    unknown = f"*{escaped_markdown(said)}*" if (said := unknown_words(answer)) else ""
    if not answer.sentences:
        said = escaped_markdown(one_line(answer.reply))
        if answer.from_references or refuses_alone(answer):
            return said
        why = f"*{reason}*" if (reason := refusal(answer)) else ""
        return "\n\n".join(filter(None, (said, why, unknown, _nearest(answer, base_dir))))
    numbers = _numbers(answer)
    facts = (escaped_markdown(one_line(fact)) for fact in answer.from_references)
    said = "\n\n".join(filter(None, (*facts, *_paragraphs(answer, numbers))))
    sources = "\n".join(
        f"{number}. {_source(one, base_dir, answer)}" for one, number in numbers.items()
    )
    open_ = f"*{refusal(answer)}*\n\n" if answer.relevance.verdict is Verdict.RELATED else ""
    prefix = escaped_markdown(one_line(answer.wording.prefix)).strip()
    begun = f"{prefix} " if prefix else ""
    return "\n\n".join(filter(None, (f"{open_}{begun}{said}", unknown, sources)))


def by_author(answer: Answer) -> Iterator[tuple[SentenceKind, list[Sentence]]]:
    """The sentences of an answer in order, those of one kind that follow one another together."""
    for kind, sentences in groupby(answer.sentences, key=lambda one: one.kind):
        yield kind, list(sentences)


def whose_words(answer: Answer, kind: SentenceKind) -> str:
    """What stands above sentences of a kind."""
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


def written_by(answer: Answer) -> str | None:
    """The model that wrote sentences of the answer, if one did."""
    written = any(sentence.kind is SentenceKind.WRITTEN for sentence in answer.sentences)
    return answer.method if written else None


def shown_sentence(sentence: Sentence) -> str:
    """A sentence as it is printed: a quotation in quotation marks that none of its words closes, so
    that nothing in it passes for the program's own.
    """
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


def judged(sentence: Sentence, answer: Answer) -> str:
    """What a model said of whether the quotes entail the sentence; empty where none was asked."""
    if sentence.entailment is None or sentence.judged_by is None:
        return ""
    messages, yes = messages_of(answer), sentence.entailment is Entailment.YES
    said = messages.entailed if yes else messages.entailment_unclear
    return said.format(model=one_line(sentence.judged_by))


def refusal(answer: Answer) -> str:
    """Why the library does not answer the question, or hardly; one line, empty if it does."""
    relevance, messages = answer.relevance, messages_of(answer)
    if relevance.verdict is Verdict.NOTHING:
        begun = messages.nothing
    elif relevance.verdict is Verdict.RELATED:
        begun = messages.related
    else:
        return _why_nothing(answer)
    return one_line(f"{begun}: {'; '.join(relevance.reasons)}.")


def _why_nothing(answer: Answer) -> str:
    """Why there is no answer although the passages are near, unless the reply itself says so."""
    messages, missing = messages_of(answer), answer.no_answer
    if missing is NoAnswer.LIBRARY:
        return messages.no_sentence
    if missing is None or answer.wording.refusal is None:
        return ""
    return messages.model_found_none if missing is NoAnswer.MODEL else messages.unsupported


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
    """What a model read and wrote."""
    said = messages.about_tokens if usage.estimated else messages.tokens
    return said.format(read=usage.prompt, written=usage.reply)


def absent(answer: Answer, most: int = 8) -> str:
    """A line on the question's words that the nearest passages lack but the library has, names
    first; empty without such.
    """
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


def joined_pairs(words: Sequence[str], question: str) -> list[str]:
    """The words, those of two letters without spaces between words joined where they overlap in the
    question, as it has them.
    """
    pairs = [word for word in words if has_unsegmented(word)]
    spans = sorted(match.span() for pair in pairs for match in finditer(escape(pair), question))
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    stretches = dict.fromkeys(question[start:end] for start, end in joined)
    return [*(word for word in words if word not in pairs), *stretches]


def _title(stored: StoredChunk) -> str:
    """What a source is called: by its reference, its front matter, or its file's name."""
    named = stored.citation.title if stored.citation else stored.metadata.get("title")
    return str(named or PurePath(stored.source_path).name)


def _numbers(answer: Answer) -> dict[Citation, int]:
    return {one: number for number, one in enumerate(answer.citations, start=1)}


def _sentence_json(sentence: Sentence, numbers: dict[Citation, int]) -> AnswerSentence:
    return {
        "text": sentence.text,
        "lead": sentence.lead,
        "citations": [numbers[citation] for citation in sentence.citations],
        "kind": sentence.kind,
        "verified": sentence.verified,
        "entailment": sentence.entailment,
        "judged_by": sentence.judged_by,
    }


def relevance_json(relevance: Relevance) -> JudgedRelevance:
    """What the verdict rests on."""
    wording = relevance.wording
    return {
        "similarity": relevance.similarity,
        "evidence": None if relevance.evidence is None else round(relevance.evidence, 4),
        "related": relevance.thresholds.related,
        "answered": relevance.thresholds.answered,
        "calibrated": relevance.calibrated,
        "coverage": round(found_share(wording), 4),
        "unknown_share": round(wording.unknown_share, 4),
        "unknown": sorted(wording.unknown),
        "missing": list(wording.absent()),
        "reasons": list(relevance.reasons),
    }


def _verdicts_json(verdicts: Verdicts) -> VerdictRates:
    return {
        "nothing": rate_json(verdicts.nothing),
        "related": rate_json(verdicts.related),
        "answered": rate_json(verdicts.answered),
    }


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
            yield _paragraph(sentence, numbers)
            if written:
                yield "\n".join(
                    _quote(citation, numbers[citation], answer) for citation in sentence.citations
                )
                yield f"*{escaped_markdown(said)}*" if (said := judged(sentence, answer)) else ""
        if answer.wording.prefix and written:
            said = messages_of(answer).written_by.format(model=one_line(answer.method))
            yield f"*{escaped_markdown(said)}*"


def _paragraph(sentence: Sentence, numbers: dict[Citation, int]) -> str:
    marks = "".join(f"\\[{numbers[citation]}\\]" for citation in sentence.citations)
    return f"{escaped_markdown(one_line(shown_sentence(sentence)))} {marks}"


def _quote(citation: Citation, number: int, answer: Answer) -> str:
    """The words that a sentence was written from, as a quotation."""
    place = code(citation.cited or f"{citation.stored.source_path}, {citation.locator}")
    return f"> {escaped_markdown(written_from(citation, answer))} \\[{number}\\] {place}"


def _source(citation: Citation, base_dir: Path, answer: Answer) -> str:
    stored, label = citation.stored, answer.label_of(citation)
    named = escaped_markdown(one_line(headline(stored, without_reference(answer))))
    place = code(citation.cited or f"{stored.source_path}, {citation.locator}")
    target = link_to_file(citation.place, base_dir)
    linked = f", [{escaped_markdown(str(citation.locator)) or 'file'}]({target})" if target else ""
    labelled = f" {escaped_markdown(one_line(label))}" if label else ""
    doubts = f" ({stored.doubts})" if stored.doubts else ""
    return f"{named}{linked} {place}{doubts}{labelled}"


def _nearest(answer: Answer, base_dir: Path) -> str:
    citations = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:_NEAREST]
    ]
    listed = "\n".join(f"- {_source(citation, base_dir, answer)}" for citation in citations)
    return f"{messages_of(answer).nearest}\n\n{listed}" if listed else ""
