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

FOUND_NONE = {
    AnswerLanguage.ENGLISH: "The model finds no answer to this question in the passages.",
    AnswerLanguage.GERMAN: "Das Modell findet in den Textstellen keine Antwort auf diese Frage.",
    AnswerLanguage.PORTUGUESE: "O modelo não encontra resposta a esta pergunta nos trechos.",
}
"""Said where a model read passages and replied that they hold no answer."""
UNSUPPORTED = {
    AnswerLanguage.ENGLISH: "The model wrote an answer that its quotes do not support.",
    AnswerLanguage.GERMAN: "Das Modell schrieb eine Antwort, die seine Zitate nicht stützen.",
    AnswerLanguage.PORTUGUESE: "O modelo escreveu uma resposta que suas citações não sustentam.",
}
"""Said where no sentence that a model wrote passed the check."""


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
