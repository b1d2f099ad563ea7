"""Answering with sentences that a language model writes and the program verifies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from citeloom.application.answering.prompt import LONGEST_REPLY, ReplyReader, prompt_of
from citeloom.application.answering.verification import EntailmentCheck, EntailmentRun, Verification
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import Answer, Sentence, TokenUsage, estimated_usage
from citeloom.domain.answers.claim_check import Embed
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.documents.language import clear_language
from citeloom.domain.errors import IncompleteReply, InvalidReply, PromptTooLong
from citeloom.domain.retrieval.passage import Passage, StoredChunk

# The events of an answer while it is made.


class AnswerEvents(Protocol):
    """Receives an answer while it is made, in the thread that makes it."""

    @abstractmethod
    def found(self, answer: Answer) -> None:
        """The answer before its first sentence: its passages and its verdict."""
        ...

    @abstractmethod
    def shown(self, sentence: Sentence) -> None:
        """The next sentence of the answer, once it is checked."""
        ...


class NoEvents(AnswerEvents):
    """Ignores all events."""

    def found(self, answer: Answer) -> None: ...

    def shown(self, sentence: Sentence) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """The sentences a model wrote, shown and left out, and notes on them.

    `usage` is None where nothing was sent; `judged_at` is where sentences were sent to be judged,
    None if nowhere; `complete` tells whether the reply was read to its end.
    """

    sentences: tuple[Sentence, ...] = ()
    unverified: tuple[Sentence, ...] = ()
    claimed_quotes: int = 0
    notes: tuple[str, ...] = ()
    usage: TokenUsage | None = None
    judged_at: str | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    """What a model claims, shown and not; `cut` says what cut it short."""

    sentences: tuple[Sentence, ...]
    claimed_quotes: int
    notes: tuple[str, ...]
    usage: TokenUsage
    judged_at: str | None
    cut: IncompleteReply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAnswer:
    """Has a model write an answer in a project's wording, and keeps what its quotes support; with
    `quote_first` it chooses, orders and connects quotations, and writes nothing else. With
    `entailment` a second model narrows what is kept. `embed` is that of `Verification`.
    """

    model: AnswerModel
    wording: AnswerWording = field(default_factory=AnswerWording)
    quote_first: bool = False
    entailment: EntailmentCheck | None = None
    embed: Embed | None = None

    def __call__(
        self,
        question: str,
        passages: Sequence[Passage],
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
    ) -> WrittenAnswer:
        """The answer's sentences, each passed to `events` as soon as it is checked. Passages that
        give orders to a model are not sent.

        Raises `PromptTooLong` if the model does not even read one passage, `ModelUnavailable`, and
        `IncompleteReply` for a reply cut off before its first sentence, and `InvalidReply` for one
        that is empty, not in the form asked for, or in another language than its quotes.
        """
        chunks = [passage.stored for passage in passages]
        given = [stored for stored in chunks if not addresses_a_model(stored.chunk.text)]
        withheld = _withheld(len(chunks) - len(given))
        if not given:
            return WrittenAnswer(notes=withheld)
        made = _Reading(self, question, events or NoEvents(), cancellation)
        read, reply = made.reply(given)
        if reply.cut and not reply.sentences:
            raise reply.cut
        self._check_language(reply.sentences)
        return WrittenAnswer(
            sentences=tuple(sentence for sentence in reply.sentences if sentence.shown),
            unverified=tuple(sentence for sentence in reply.sentences if not sentence.shown),
            claimed_quotes=reply.claimed_quotes,
            notes=(*withheld, *_fewer(read, len(given)), *reply.notes),
            usage=reply.usage,
            judged_at=reply.judged_at,
            complete=reply.cut is None,
        )

    def _check_language(self, sentences: Sequence[Sentence]) -> None:
        """Raise `InvalidReply` where no sentence is shown, since all are in another language than
        what they quote.
        """
        if not sentences or any(sentence.shown for sentence in sentences):
            return
        quotes = " ".join(citation.quote for each in sentences for citation in each.citations)
        written, quoted = map(
            clear_language, (" ".join(sentence.text for sentence in sentences), quotes)
        )
        if written is not None and quoted is not None and written != quoted:
            raise InvalidReply(
                f"{self.model.model_id} wrote in another language ({written}) than the passages "
                f"that it quotes ({quoted}), so that nothing it wrote can be checked",
                "Ask in the language of the passages, or have it quote alone: --quote-first.",
            )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A reply to one question as it is read; no quotation is `quoted` twice."""

    write: WriteAnswer
    question: str
    events: AnswerEvents
    cancellation: Cancellation | None
    quoted: set[str] = field(default_factory=set)

    def reply(self, given: Sequence[StoredChunk]) -> tuple[int, _Reply]:
        """How many of the passages the model reads, and its reply to these."""
        count = len(given)
        while True:
            named = {f"p{n}": stored for n, stored in enumerate(given[:count], start=1)}
            try:
                return count, self._read(named)
            except PromptTooLong:
                if count == 1:
                    raise
                count //= 2

    def _read(self, named: Mapping[str, StoredChunk]) -> _Reply:
        """The reply up to its maximum length, each sentence emitted once it is checked."""
        first = self.write.quote_first
        prompt = prompt_of(self.question, named, self.write.wording, quote_first=first)
        reader = ReplyReader(bare=first)
        verify = Verification(passages=named, quote_first=first, embed=self.write.embed)
        judge = EntailmentRun(self.write.entailment, self.cancellation)
        sentences: list[Sentence] = []
        written, cut = "", None
        with closing(self.write.model.stream(prompt, self.cancellation)) as reply:
            try:
                for piece in reply:
                    written += piece
                    sentences += self._emitted(map(verify, reader.read(piece)), judge)
                    if len(written) > LONGEST_REPLY:
                        cut = IncompleteReply(
                            "the model's reply was too long and was cut", "Ask for less at a time."
                        )
                        break
            except IncompleteReply as error:
                cut = error
        left, notes = reader.finish()
        sentences += self._emitted(map(verify, left), judge)
        if reader.fault and cut is None:
            raise self._invalid(reader)
        usage = reply.usage or estimated_usage(prompt.system + prompt.user, written)
        return _Reply(
            sentences=tuple(sentences),
            claimed_quotes=sum(len(claim.quotes) for claim in reader.claims),
            notes=((cut.message,) if cut else ()) + notes + judge.notes,
            usage=sum(judge.usages, usage),
            judged_at=judge.destination,
            cut=cut,
        )

    def _invalid(self, reader: ReplyReader) -> InvalidReply:
        begun = f': "{reader.beginning}"' if reader.beginning else ""
        return InvalidReply(
            f"the reply of {self.write.model.model_id} cannot be used: {reader.fault}{begun}",
            "Ask again, or name a model that keeps to a JSON schema: model under [answers].",
        )

    def _emitted(self, verified: Iterable[Sentence], judge: EntailmentRun) -> Iterator[Sentence]:
        for sentence in (sentence for each in verified for sentence in judge(each)):
            alone = self.write.quote_first or judge.failure is not None
            if alone and sentence.text in self.quoted:
                continue
            self.quoted.add(sentence.text)
            if sentence.shown:
                self.events.shown(sentence)
            yield sentence


def _fewer(read: int, given: int) -> tuple[str, ...]:
    """A note where the model read fewer passages than were given."""
    return (f"only {read} of {given} passages fit the model",) if read < given else ()


def _withheld(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (f"passages not given to the model, for they hold orders to a language model: {count}",)
