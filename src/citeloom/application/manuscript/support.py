"""The use case `support`: passages that support the sentences of a draft without a citation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.events import DocumentDone, ReadEvent, StageReached, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.manuscript import SupportRequest
from citeloom.application.requests.passages import LONGEST_QUERY
from citeloom.application.retrieval.query import query
from citeloom.domain.answers.claim_check import is_altered_copy
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.sentence_support import (
    SentenceSupport,
    Support,
    SupportReport,
    UncitedSentence,
    best_sentence,
    uncited_sentences,
)

PASSAGES_READ = 6
_PASSAGES = 3
_SUPPORT = {
    Verdict.ANSWERED: Support.LIKELY,
    Verdict.RELATED: Support.RELATED,
    Verdict.NOTHING: Support.NOTHING,
}


def check_lines(drafts: Sequence[Draft], lines: Sequence[int]) -> None:
    """Raise `InvalidFilter` where none of the drafts has any of the lines."""
    longest = max((draft.text.rstrip("\n").count("\n") + 1 for draft in drafts), default=0)
    if lines and min(lines) > longest:
        raise InvalidFilter(
            f"there is no line {min(lines)}: the longest draft has {longest}",
            "Name lines of the draft, such as --line 12-40.",
        )


def support_draft(
    project: OpenProject,
    draft: Draft,
    request: SupportRequest,
    *,
    judge: JudgeRelevance,
    events: ReadEvent,
) -> SupportReport:
    """The sentences without a citation and what a project has in support of them: those that claim
    something first, each group in the order of the draft.

    Raises what `query` and the request's `cancellation` raise.
    """
    chosen = [
        sentence
        for sentence in uncited_sentences(draft)
        if (
            sentence.place.line in request.lines
            if request.lines
            else request.every or sentence.is_claim
        )
    ]
    supported = []
    with reported_run(len(chosen), events):
        for sentence in chosen:
            if request.cancellation is not None:
                request.cancellation.check()
            place = f"{draft.name}:{sentence.place.line}:{sentence.place.column}"
            events(StageReached(document=place, stage="searching for"))
            supported.append(_support(project, sentence, request, judge))
            events(DocumentDone(document=place, state="searched"))
    return SupportReport(
        draft=draft.name,
        sentences=tuple(sorted(supported, key=lambda each: not each.sentence.is_claim)),
        warnings=(*draft.warnings, *_on_long(chosen, draft)),
    )


def _support(
    project: OpenProject, sentence: UncitedSentence, request: SupportRequest, judge: JudgeRelevance
) -> SentenceSupport:
    """A sentence is supported by a passage that says it, and likely to be where the judge of
    questions finds the passages as near as those that hold an answer; where it finds them related,
    or they have the sentence with a word that says otherwise, so is what they say.
    """
    text = sentence.text
    question = text[:LONGEST_QUERY]
    passages = query(project, request.query(question, top_k=PASSAGES_READ)).passages
    relevance, _ = judge(question, passages)
    read = [best_sentence(text, passage.stored) for passage in passages]
    supporting = [passage for passage in read if passage.supports]
    verdict = Support.SUPPORTED if supporting else _SUPPORT[relevance.verdict]
    if verdict is Support.LIKELY and any(is_altered_copy(text, one.quote) for one in read):
        verdict = Support.RELATED
    if verdict is not Support.NOTHING:
        supporting += [passage for passage in read if not passage.supports]
    return SentenceSupport(
        sentence=sentence,
        support=verdict,
        evidence=relevance.evidence or 0.0,
        passages=tuple(supporting[: request.top_k or _PASSAGES]),
    )


def _on_long(sentences: Sequence[UncitedSentence], draft: Draft) -> Iterator[str]:
    """Which sentences are not searched for whole, such as a table without full stops."""
    for sentence in sentences:
        if len(sentence.text) > LONGEST_QUERY:
            yield (
                f"{draft.name}:{sentence.place.line}: a sentence of {len(sentence.text):,} "
                f"characters, of which the first {LONGEST_QUERY:,} are searched for"
            )
