"""How a project words its prompts, answers and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnswerLanguage(StrEnum):
    """A language that instructions and refusals are shipped in."""

    ENGLISH = "en"
    GERMAN = "de"
    PORTUGUESE = "pt"


REFUSALS = {
    AnswerLanguage.ENGLISH: "The library does not answer this question.",
    AnswerLanguage.GERMAN: "Die Bibliothek beantwortet diese Frage nicht.",
    AnswerLanguage.PORTUGUESE: "A biblioteca não responde a esta pergunta.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWording:
    """The language of instructions and refusals, and what replaces them.

    `prompt` takes the place of the first instruction to a model, `refusal` that of the sentence
    which says that there is no answer; `prefix` comes before either answer.
    """

    language: AnswerLanguage = AnswerLanguage.ENGLISH
    prompt: str | None = None
    refusal: str | None = None
    prefix: str = ""
    refuse_weak: bool = False

    @property
    def refusal_sentence(self) -> str:
        """What is said where there is no answer."""
        return REFUSALS[self.language] if self.refusal is None else self.refusal
