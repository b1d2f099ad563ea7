"""The use case `support`: passages that support the sentences of a draft without a citation."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.events import DocumentDone, ReadEvent, StageReached, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import SupportRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.answers.relevance import Verdict
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportDraft:
    """Finds what a project has in support of a draft's sentences."""

    project: OpenProject
    judge: JudgeRelevance
    events: ReadEvent

    def __call__(
        self, draft: Draft, request: SupportRequest, cancellation: Cancellation | None = None
    ) -> SupportReport:
        """The sentences without a citation and what supports them: those that claim something
        first, each group in the order of the draft.

        Raises what `query` and `cancellation` raise.
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
        with reported_run(len(chosen), self.events):
            for sentence in chosen:
                if cancellation is not None:
                    cancellation.check()
                place = f"{draft.name}:{sentence.place.line}:{sentence.place.column}"
                self.events(StageReached(document=place, stage="searching for"))
                supported.append(self._support(sentence, request))
                self.events(DocumentDone(document=place, state="searched"))
        return SupportReport(
            draft=draft.name,
            sentences=tuple(sorted(supported, key=lambda one: not one.sentence.is_claim)),
            warnings=draft.warnings,
        )

    def _support(self, sentence: UncitedSentence, request: SupportRequest) -> SentenceSupport:
        """A sentence is supported by a passage that says it, and likely to be where the judge of
        questions finds the passages as near as those that hold an answer.
        """
        text = sentence.text
        passages = query(self.project, request.query(text, top_k=PASSAGES_READ)).passages
        relevance, _ = self.judge(text, passages)
        read = [best_sentence(text, passage.stored) for passage in passages]
        supporting = [one for one in read if one.supports]
        support = Support.NOTHING
        if supporting:
            support = Support.SUPPORTED
        elif relevance.verdict is Verdict.ANSWERED:
            support = Support.LIKELY
        others = [one for one in read if not one.supports] if support is not Support.NOTHING else []
        return SentenceSupport(
            sentence=sentence,
            support=support,
            evidence=relevance.evidence or 0.0,
            passages=(*supporting, *others)[: request.top_k or _PASSAGES],
        )
