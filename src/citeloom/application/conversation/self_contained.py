"""Making a follow-up question self-contained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citeloom.application.answering.ask import LONGEST_QUESTION
from citeloom.application.cancellation import Cancellation
from citeloom.application.conversation.rewrite import RewriteQuestion
from citeloom.domain.answers.follow_up import carried_terms, is_follow_up, with_terms
from citeloom.domain.answers.session import FollowUp, FollowUpMethod, Turn

_NOT_USED = "the question that the model wrote could not be used"


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSelfContained:
    """Says what a question really asks, given the turns before it."""

    rewrite: RewriteQuestion | None = None

    def __call__(
        self, question: str, earlier: Sequence[Turn], cancellation: Cancellation | None = None
    ) -> FollowUp:
        """What is to be asked: by the model, if there is one, or else with terms carried over.

        Raises `ModelUnavailable`.
        """
        if not earlier:
            return FollowUp(asked=question)
        if self.rewrite is None:
            return carry_over(question, earlier[-1])
        written = self.rewrite(question, earlier, cancellation)
        if written is not None:
            return written
        carried = carry_over(question, earlier[-1])
        return replace(carried, sent_to=self.rewrite.model.destination, notes=(_NOT_USED,))


def carry_over(question: str, before: Turn) -> FollowUp:
    """The question with the names and rarest terms of the one before, if it is a follow-up."""
    if not is_follow_up(question):
        return FollowUp(asked=question)
    terms = carried_terms(question, before.asked, before.answer.relevance.wording)
    asked = with_terms(question, terms)
    if not terms or len(asked) > LONGEST_QUESTION:
        return FollowUp(asked=question)
    return FollowUp(asked=asked, method=FollowUpMethod.CARRIED, carried=terms)
