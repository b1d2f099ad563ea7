"""Answering with sentences that a language model writes and the program verifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.answering.claim_format import LONGEST_REPLY, ReadReply, read_reply
from citeloom.application.answering.prompt import prompt_of
from citeloom.application.answering.verification import Verification
from citeloom.application.ports.answer_model import AnswerModel, Prompt
from citeloom.domain.answers.answer import Sentence
from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.errors import IncompleteReply, PromptTooLong
from citeloom.domain.passage import Passage, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The sentences a model wrote, verified and not, and what is to be said of them."""

    sentences: tuple[Sentence, ...]
    unverified: tuple[Sentence, ...]
    claimed_quotes: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAnswer:
    """Has a model write an answer, and keeps what can be verified."""

    model: AnswerModel

    def __call__(self, question: str, passages: Sequence[Passage]) -> Written:
        """The answer's sentences. Passages that give orders to a model are not sent.

        Raises `PromptTooLong` if the model does not even read one passage, and `ModelUnavailable`.
        """
        chunks = [passage.stored for passage in passages]
        given = [stored for stored in chunks if not addresses_a_model(stored.chunk.text)]
        notes = _withheld(len(chunks) - len(given))
        if not given:
            return Written(sentences=(), unverified=(), claimed_quotes=0, notes=notes)
        named, reply, told = self._reply(question, given)
        verify = Verification(passages=named)
        sentences = [verify(claim) for claim in reply.claims]
        return Written(
            sentences=tuple(one for one in sentences if one.verified),
            unverified=tuple(one for one in sentences if not one.verified),
            claimed_quotes=sum(len(claim.quotes) for claim in reply.claims),
            notes=(*notes, *told, *reply.notes),
        )

    def _reply(
        self, question: str, given: Sequence[StoredChunk]
    ) -> tuple[Mapping[str, StoredChunk], ReadReply, tuple[str, ...]]:
        """The reply to as many of the passages as the model reads."""
        count = len(given)
        while True:
            named = {f"p{n}": stored for n, stored in enumerate(given[:count], start=1)}
            try:
                text, notes = self._text(prompt_of(question, named))
            except PromptTooLong:
                if count == 1:
                    raise
                count //= 2
                continue
            if count < len(given):
                notes = (*notes, f"only {count} of {len(given)} passages fit the model")
            return named, read_reply(text), notes

    def _text(self, prompt: Prompt) -> tuple[str, tuple[str, ...]]:
        """The reply up to the longest that is read, and what cut it short."""
        pieces: list[str] = []
        length = 0
        try:
            for piece in self.model.stream(prompt):
                pieces.append(piece)
                length += len(piece)
                if length > LONGEST_REPLY:
                    return "".join(pieces), ("the model's reply was too long and was cut",)
        except IncompleteReply as error:
            return "".join(pieces), (error.message,)
        return "".join(pieces), ()


def _withheld(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{count} passages were not given to the model: they hold orders to a language model",)
