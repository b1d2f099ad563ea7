"""What supports the sentences of a draft: in words, as JSON, and as comments in the draft."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.manuscript.support import Support
from citeloom.infrastructure.serialisation.json import UNTRUSTED
from citeloom.infrastructure.serialisation.passages import cited_place, work_json
from citeloom.infrastructure.serialisation.text import links_of, one_line, printable

if TYPE_CHECKING:
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.support import (
        SentenceSupport,
        SupportingPassage,
        SupportReport,
    )
    from citeloom.infrastructure.serialisation.schemas.review import (
        SupportAnswer,
        SupportedSentence,
        SupportingPassageAnswer,
    )

# In words.

_LONGEST_QUOTE = 400
_SAID = {
    Support.SUPPORTED: "supported",
    Support.LIKELY: "likely",
    Support.NOTHING: "nothing found",
}


def support_text(reports: Sequence[SupportReport]) -> Iterator[str]:
    """A line for each sentence, with its passages below it."""
    for report in reports:
        for supported in report.sentences:
            place = supported.sentence.place
            yield (
                f"{report.draft}:{place.line}:{place.column}: {_SAID[supported.support]}: "
                f"{one_line(supported.sentence.text)}"
            )
            suffix = Path(report.draft).suffix
            for passage in supported.passages:
                said = "says" if passage.supports else "near"
                yield f"    {_cited(passage, suffix)} {said}: “{_quote(passage)}”"


def citation_of(passage: SupportingPassage, suffix: str) -> str:
    """The citation ready to paste into a draft with this suffix; without a reference the place."""
    work = passage.stored.citation
    if work is None:
        return cited_place(passage.stored)
    return CitedPlace.of(work.citekey, passage.locator).in_file(suffix)


def _cited(passage: SupportingPassage, suffix: str) -> str:
    """Its citation, and what speaks against its words."""
    doubts = f" ({passage.stored.doubts})" if passage.stored.doubts else ""
    return f"{citation_of(passage, suffix)}{doubts}"


def _quote(passage: SupportingPassage) -> str:
    text = one_line(printable(passage.quote))
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE].rstrip()} …"


# As JSON.


def support_json(reports: Sequence[SupportReport], base_dir: Path) -> SupportAnswer:
    """The documented JSON of what supports the sentences of drafts."""
    counts = Counter(sentence.support for report in reports for sentence in report.sentences)
    return {
        "sentences": [
            _sentence_json(report.draft, supported, base_dir)
            for report in reports
            for supported in report.sentences
        ],
        "counts": {
            "supported": counts[Support.SUPPORTED],
            "likely": counts[Support.LIKELY],
            "nothing": counts[Support.NOTHING],
        },
        "warnings": [warning for report in reports for warning in report.warnings],
    }


def _sentence_json(draft: str, supported: SentenceSupport, base_dir: Path) -> SupportedSentence:
    place = supported.sentence.place
    return {
        **UNTRUSTED,
        "file": draft,
        "line": place.line,
        "column": place.column,
        "start": place.start,
        "end": place.end,
        "text": supported.sentence.text,
        "claims": supported.sentence.is_claim,
        "support": supported.support.value,
        "evidence": round(supported.evidence, 4),
        "passages": [_passage_json(draft, passage, base_dir) for passage in supported.passages],
    }


def _passage_json(
    draft: str, passage: SupportingPassage, base_dir: Path
) -> SupportingPassageAnswer:
    stored, locator = passage.stored, passage.locator
    first, last = locator.page_start, locator.page_end
    return {
        "chunk_id": stored.chunk.id,
        "doc_id": stored.chunk.doc_id,
        "supports": passage.supports,
        "quote": passage.quote,
        "citation": citation_of(passage, Path(draft).suffix),
        **work_json(stored.citation),
        "page_span": None if first is None or last is None else [first, last],
        "page_labels": list(locator.page_labels),
        "locator": str(locator),
        "doubts": list(stored.chunk.doubts),
        "source_path": stored.source_path,
        "links": links_of(stored, base_dir),
    }


# As comments in a copy of the draft.

_LINE_COMMENTS = {".tex": "%", ".latex": "%", ".ltx": "%", ".typ": "//"}
_AFTER_SENTENCE = re.compile(r"[.!?…\"'\u201d\u2019»)\]}*_]*(?:\[\^[^\]\n]+\])?")


def with_comments(draft: Draft, report: SupportReport) -> str:
    """The text of a draft with a comment behind each sentence that something supports. Nothing that
    is printed of the draft changes.
    """
    suffix, text = Path(draft.name).suffix.lower(), draft.text
    insertions = sorted(
        (
            _insertion(text, supported, suffix)
            for supported in report.sentences
            if supported.passages and supported.support is not Support.NOTHING
        ),
        reverse=True,
    )
    for at, comment in insertions:
        text = text[:at] + comment + text[at:]
    return text


def _insertion(text: str, supported: SentenceSupport, suffix: str) -> tuple[int, str]:
    """Where a comment goes, and its text: behind the sentence, or on a line of its own below."""
    passage = supported.passages[0]
    said = f"{_SAID[supported.support]}: {_cited(passage, suffix)} “{_quote(passage)}”"
    end = supported.sentence.place.end
    behind = _AFTER_SENTENCE.match(text, end)
    at = behind.end() if behind else end
    if suffix == ".org":
        return at, f" @@comment: {said.replace('@@', '@ @')}@@"
    mark = _LINE_COMMENTS.get(suffix)
    if mark is None:
        return at, f" <!-- {re.sub('-(?=-|>)', '- ', said)} -->"
    line_end = text.find("\n", at)
    if line_end < 0:
        return len(text), f"\n{mark} {said}\n"
    return line_end + 1, f"{mark} {said}\n"
