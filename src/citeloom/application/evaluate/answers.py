"""The use case `eval answers`: what answers cite, what they refuse, how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.application.answering.ask import Ask, AskRequest
from citeloom.application.ports.progress import Progress
from citeloom.domain.answers.answer import Answer
from citeloom.domain.answers.evaluation import (
    AnswerEvaluation,
    answered_question,
    evaluation_of,
)
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation import Question
from citeloom.domain.significance import SEED

__all__ = ["AnswerEvaluation", "EvaluateAnswers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateAnswers:
    """Asks questions as a user would, and measures the answers."""

    ask: Ask
    progress: Progress

    def __call__(
        self, name: str, questions: Sequence[Question], *, seed: int = SEED
    ) -> AnswerEvaluation:
        """Answer every question; those without evidence should be refused.

        Raises what `Ask` raises, and `InvalidQrels` without a question.
        """
        if not questions:
            raise InvalidQrels("there is no question to answer", "Give at least one.")
        self.progress.start(len(questions))
        try:
            answers = [self._answer(question) for question in questions]
        finally:
            self.progress.finish()
        done = [answered_question(q, answer) for q, answer in zip(questions, answers)]
        return evaluation_of(name, answers, done, seed=seed)

    def _answer(self, question: Question) -> Answer:
        answer = self.ask(AskRequest(question=question.text))
        self.progress.advance(question.id, "answered")
        return answer
