"""The documented JSON of answers, calibrations and evaluations of both, and answers as Markdown."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from citeloom.domain.answers.answer import Answer, Citation, Sentence, all_faults
from citeloom.domain.answers.calibration import Calibration
from citeloom.domain.answers.evaluation import AnswerEvaluation, Verdicts
from citeloom.domain.answers.relevance import Relevance, Verdict
from citeloom.domain.significance import Rate
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.links import link_to_file
from citeloom.infrastructure.serialisation.markdown import code, escaped_markdown
from citeloom.infrastructure.serialisation.passages import headline, stored_json
from citeloom.infrastructure.serialisation.text import one_line

Json = dict[str, object]
_NEAREST = 3


def answer_json(answer: Answer, base_dir: Path) -> Json:
    """The documented JSON of an answer."""
    numbers = _numbers(answer)
    return {
        "project": answer.project,
        "question": answer.question,
        "status": answer.status.value,
        "verdict": answer.relevance.verdict.value,
        "method": answer.method,
        "sent_to": answer.sent_to,
        **UNTRUSTED,
        "reply": answer.reply,
        "answer_text": answer.text,
        "sentences": [_sentence_json(sentence, numbers) for sentence in answer.sentences],
        "share_verified": answer.share_verified,
        "left_out": {fault.value: n for fault, n in all_faults(answer.unverified).items()},
        "citations": [citation_json(one, n, base_dir) for one, n in numbers.items()],
        "relevance": _relevance_json(answer.relevance),
        "nearest": [
            {"chunk_id": passage.stored.chunk.id, "citation": passage.citation}
            for passage in answer.passages[:_NEAREST]
        ],
        "retrieved_chunks": [passage.stored.chunk.id for passage in answer.passages],
        "notes": list(answer.notes),
        "tokens": asdict(answer.usage) if answer.usage else None,
        "duration_ms": answer.duration_ms,
        "correlation_id": answer.correlation_id,
    }


def citation_json(citation: Citation, index: int, base_dir: Path) -> Json:
    """The documented JSON of a citation: the quote, the place of the quote itself, the work."""
    place = citation.locator
    return {
        **stored_json(citation.stored, base_dir),
        "index": index,
        "chunk_id": citation.passage_id,
        **UNTRUSTED,
        "quote": citation.quote,
        "match": citation.match.value,
        "share": citation.share,
        "citation": citation.cited,
        "locator": str(place),
        "page_span": [place.page_start, place.page_end] if place.page_start else None,
        "page_labels": list(place.page_labels),
        "source": citation.stored.source_path,
        "section": place.section or None,
    }


def calibration_json(calibration: Calibration) -> Json:
    """The documented JSON of `calibrate`."""
    return {
        **asdict(calibration),
        **{name: rate_json(getattr(calibration, name)) for name in ("passed", "refused", "weak")},
    }


def evaluation_json(made: AnswerEvaluation) -> Json:
    """The documented JSON of `eval answers`."""
    return {
        **asdict(made),
        "answerable": _verdicts_json(made.answerable),
        "unanswerable": _verdicts_json(made.unanswerable),
        "by_kind": {kind: _verdicts_json(found) for kind, found in made.by_kind.items()},
    }


def rate_json(rate: Rate) -> Json:
    """A rate with its interval."""
    return {"count": rate.count, "of": rate.of, "share": rate.share, **asdict(rate.interval)}


def answer_markdown(answer: Answer, base_dir: Path) -> str:
    """The answer with numbered sources; a document's words stay words."""
    if not answer.sentences:
        said = escaped_markdown(one_line(answer.reply))
        return "\n\n".join(filter(None, (said, f"*{refusal(answer)}*", _nearest(answer, base_dir))))
    numbers = _numbers(answer)
    said = "\n\n".join(_paragraph(sentence, numbers) for sentence in answer.sentences)
    sources = "\n".join(f"{number}. {_source(one, base_dir)}" for one, number in numbers.items())
    weak = f"*{refusal(answer)}*\n\n" if answer.relevance.verdict is Verdict.WEAK else ""
    prefix = escaped_markdown(one_line(answer.wording.prefix)).strip()
    return f"{weak}{prefix}{' ' if prefix else ''}{said}\n\n{sources}"


def refusal(answer: Answer) -> str:
    """Why the library does not answer the question, or hardly; one line, empty if it does."""
    relevance = answer.relevance
    if relevance.verdict is Verdict.NOT_ABOUT:
        begun = "Not about this library"
    elif relevance.verdict is Verdict.WEAK:
        begun = "Weak evidence"
    else:
        return "" if answer.sentences else "Nothing that could be verified."
    return one_line(f"{begun}: {'; '.join(relevance.reasons)}.")


def sent(answer: Answer) -> str:
    """Where the question and its passages went, and what that cost; empty if nowhere."""
    if answer.sent_to is None or answer.usage is None:
        return ""
    usage = answer.usage
    about = "about " if usage.estimated else ""
    return one_line(
        f"the question and passages were sent to {answer.sent_to} ({answer.method}): "
        f"{about}{usage.prompt:,} tokens read, {about}{usage.reply:,} written"
    )


def absent(answer: Answer, most: int = 8) -> str:
    """The question's words that the nearest passages lack, the telling ones first."""
    return one_line(", ".join(answer.relevance.wording.absent()[:most]))


def _numbers(answer: Answer) -> dict[Citation, int]:
    return {one: number for number, one in enumerate(answer.citations, start=1)}


def _sentence_json(sentence: Sentence, numbers: dict[Citation, int]) -> Json:
    return {
        "text": sentence.text,
        "citations": [numbers[one] for one in sentence.citations],
        "verified": sentence.verified,
    }


def _relevance_json(relevance: Relevance) -> Json:
    wording = relevance.wording
    return {
        "similarity": relevance.similarity,
        "floor": relevance.thresholds.floor,
        "weak": relevance.thresholds.weak,
        "calibrated": relevance.calibrated,
        "coverage": round(wording.coverage, 4),
        "unknown_share": round(wording.unknown_share, 4),
        "unknown": sorted(wording.unknown),
        "missing": list(wording.absent()),
        "reasons": list(relevance.reasons),
    }


def _verdicts_json(verdicts: Verdicts) -> Json:
    return {name: rate_json(getattr(verdicts, name)) for name in ("not_about", "weak", "answered")}


def _paragraph(sentence: Sentence, numbers: dict[Citation, int]) -> str:
    marks = "".join(f"\\[{numbers[one]}\\]" for one in sentence.citations)
    return f"{escaped_markdown(one_line(sentence.text))} {marks}"


def _source(citation: Citation, base_dir: Path) -> str:
    stored = citation.stored
    named = escaped_markdown(one_line(headline(stored)))
    place = code(citation.cited or f"{stored.source_path}, {citation.locator}")
    target = link_to_file(stored, base_dir)
    linked = f", [{escaped_markdown(str(citation.locator)) or 'file'}]({target})" if target else ""
    return f"{named}{linked} {place}"


def _nearest(answer: Answer, base_dir: Path) -> str:
    citations = [
        Citation(stored=passage.stored, start=0, end=len(passage.stored.chunk.text))
        for passage in answer.passages[:_NEAREST]
    ]
    listed = "\n".join(f"- {_source(one, base_dir)}" for one in citations)
    return f"Nearest passages:\n\n{listed}" if listed else ""
