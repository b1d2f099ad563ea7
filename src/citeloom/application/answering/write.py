"""Answering with sentences that a language model writes and the program verifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from citeloom.application.answering.claim_format import LONGEST_REPLY, read_reply
from citeloom.application.answering.prompt import prompt_of
from citeloom.application.answering.verification import Verification
from citeloom.application.ports.answer_model import AnswerModel, Prompt
from citeloom.domain.answers.answer import Sentence
from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.answers.usage import TokenUsage, estimated_usage
from citeloom.domain.answers.wording import AnswerWording
from citeloom.domain.errors import IncompleteReply, PromptTooLong
from citeloom.domain.passage import Passage, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The sentences a model wrote, verified and not, and what is to be said of them.

    `usage` is None where nothing was sent; `complete` tells whether the reply was read to its end.
    """

    sentences: tuple[Sentence, ...] = ()
    unverified: tuple[Sentence, ...] = ()
    claimed_quotes: int = 0
    notes: tuple[str, ...] = ()
    usage: TokenUsage | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """What a model wrote; `cut` says what cut it short."""

    text: str
    usage: TokenUsage
    cut: IncompleteReply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAnswer:
    """Has a model write an answer in a project's wording, and keeps what can be verified."""

    model: AnswerModel
    wording: AnswerWording = field(default_factory=AnswerWording)

    def __call__(self, question: str, passages: Sequence[Passage]) -> Written:
        """The answer's sentences. Passages that give orders to a model are not sent.

        Raises `PromptTooLong` if the model does not even read one passage, `ModelUnavailable`, and
        `IncompleteReply` for a reply cut off before its first sentence.
        """
        chunks = [passage.stored for passage in passages]
        given = [stored for stored in chunks if not addresses_a_model(stored.chunk.text)]
        withheld = _withheld(len(chunks) - len(given))
        if not given:
            return Written(notes=withheld)
        named, text = self._reply(question, given)
        reply = read_reply(text.text)
        if text.cut and not reply.claims:
            raise text.cut
        verify = Verification(passages=named)
        sentences = [verify(claim) for claim in reply.claims]
        return Written(
            sentences=tuple(one for one in sentences if one.verified),
            unverified=tuple(one for one in sentences if not one.verified),
            claimed_quotes=sum(len(claim.quotes) for claim in reply.claims),
            notes=(*withheld, *_notes(text, len(named), len(given)), *reply.notes),
            usage=text.usage,
            complete=text.cut is None,
        )

    def _reply(
        self, question: str, given: Sequence[StoredChunk]
    ) -> tuple[Mapping[str, StoredChunk], _Text]:
        """The reply to as many of the passages as the model reads."""
        count = len(given)
        while True:
            named = {f"p{n}": stored for n, stored in enumerate(given[:count], start=1)}
            try:
                return named, self._text(prompt_of(question, named, self.wording))
            except PromptTooLong:
                if count == 1:
                    raise
                count //= 2

    def _text(self, prompt: Prompt) -> _Text:
        """The reply up to the longest that is read, and what it cost."""
        pieces: list[str] = []
        cut: IncompleteReply | None = None
        length = 0
        with closing(self.model.stream(prompt)) as reply:
            try:
                for piece in reply:
                    pieces.append(piece)
                    length += len(piece)
                    if length > LONGEST_REPLY:
                        cut = IncompleteReply("the model's reply was too long and was cut")
                        break
            except IncompleteReply as error:
                cut = error
        text = "".join(pieces)
        estimate = estimated_usage(prompt.system + prompt.user, text)
        return _Text(text=text, usage=reply.usage or estimate, cut=cut)


def _notes(text: _Text, read: int, given: int) -> tuple[str, ...]:
    """What is to be said of a reply to `read` of the passages `given`."""
    fewer = (f"only {read} of {given} passages fit the model",) if read < given else ()
    return (*fewer, *((text.cut.message,) if text.cut else ()))


def _withheld(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"{count} passages were not given to the model: they hold orders to a language model",)
