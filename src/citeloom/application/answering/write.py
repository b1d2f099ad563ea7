"""Answering with sentences that a language model writes and the program verifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from citeloom.application.answering.prompt import LONGEST_REPLY, ReplyReader, prompt_of
from citeloom.application.answering.verification import EntailmentCheck, EntailmentRun, Verification
from citeloom.application.events import AnswerEvents
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.answers.answer import Answer, Sentence, estimated_usage
from citeloom.domain.answers.claim_check import Claim
from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.documents.language import clear_language
from citeloom.domain.errors import IncompleteReply, InvalidReply, PromptTooLong
from citeloom.domain.retrieval.passage import StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteAnswer:
    """Has a model write an answer in a project's wording, and keeps what its quotes support; with
    `quote_first` it chooses, orders and connects quotations, and writes nothing else. With
    `entailment` a second model narrows what is kept.
    """

    model: AnswerModel
    quote_first: bool = False
    entailment: EntailmentCheck | None = None

    def __call__(
        self,
        answer: Answer,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """The answer with the sentences that a model writes from its passages, each passed to
        `events` as soon as it is checked. Passages that give orders to a model are not sent; where
        the model does not read all, it is given half of them.

        Raises `PromptTooLong` if the model does not even read one passage, `ModelUnavailable`, and
        `IncompleteReply` for a reply cut off before its first sentence, and `InvalidReply` for one
        that is empty, not in the form asked for, or in another language than its quotes.
        """
        chunks = [passage.stored for passage in answer.passages]
        given = [stored for stored in chunks if not addresses_a_model(stored.chunk.text)]
        if withheld := len(chunks) - len(given):
            note = "passages not given to the model, for they hold orders to a language model"
            answer = replace(answer, notes=(*answer.notes, f"{note}: {withheld}"))
        count = len(given)
        while count:
            named = {f"p{n}": stored for n, stored in enumerate(given[:count], start=1)}
            fewer = f"only {count} of {len(given)} passages fit the model"
            notes = answer.notes if count == len(given) else (*answer.notes, fewer)
            try:
                return self._read(replace(answer, notes=notes), named, events, cancellation)
            except PromptTooLong:
                if count == 1:
                    raise
                count //= 2
        return answer

    def _read(
        self,
        answer: Answer,
        named: Mapping[str, StoredChunk],
        events: AnswerEvents | None,
        cancellation: Cancellation | None,
    ) -> Answer:
        """The answer with the model's reply to these passages, read up to its maximum length."""
        prompt = prompt_of(answer.question, named, answer.wording, quote_first=self.quote_first)
        reader = ReplyReader(bare=self.quote_first)
        verify = Verification(passages=named, quote_first=self.quote_first)
        judge = EntailmentRun(self.entailment, cancellation)
        sentences: list[Sentence] = []
        written, cut = "", None

        def take(claims: Iterable[Claim]) -> None:
            for sentence in (judged for claim in claims for judged in judge(verify(claim))):
                alone = self.quote_first or judge.failure is not None
                if alone and any(sentence.text == other.text for other in sentences):
                    continue
                sentences.append(sentence)
                if sentence.shown and events is not None:
                    events.shown(sentence)

        with closing(self.model.stream(prompt, cancellation)) as reply:
            try:
                for piece in reply:
                    written += piece
                    take(reader.read(piece))
                    if len(written) > LONGEST_REPLY:
                        cut = IncompleteReply(
                            "the model's reply was too long and was cut", "Ask for less at a time."
                        )
                        break
            except IncompleteReply as error:
                cut = error
        left, notes = reader.finish()
        take(left)
        if cut is not None and not sentences:
            raise cut
        if reader.fault and cut is None:
            begun = f': "{reader.beginning}"' if reader.beginning else ""
            raise InvalidReply(
                f"the reply of {self.model.model_id} cannot be used: {reader.fault}{begun}",
                "Ask again, or name a model that keeps to a JSON schema: model under [answers].",
            )
        self._check_language(sentences)
        usage = reply.usage or estimated_usage(prompt.system + prompt.user, written)
        return replace(
            answer,
            sent_to=self.model.destination,
            sentences=tuple(sentence for sentence in sentences if sentence.shown),
            unverified=tuple(sentence for sentence in sentences if not sentence.shown),
            claimed_quotes=sum(len(claim.quotes) for claim in reader.claims),
            notes=(*answer.notes, *((cut.message,) if cut else ()), *notes, *judge.notes),
            usage=sum(judge.usages, usage),
            judged_at=judge.destination,
            complete=cut is None,
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
