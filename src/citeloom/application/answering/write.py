"""Answering with sentences that a language model writes and the program verifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from citeloom.application.answering.prompt import LONGEST_REPLY, ReplyReader, prompt_of
from citeloom.application.answering.verification import EntailmentCheck, EntailmentRun, Verification
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.answer import Answer, Sentence, estimated_usage
from citeloom.domain.answers.claim_check import Claim
from citeloom.domain.answers.untrusted import addresses_a_model
from citeloom.domain.documents.language import clear_language
from citeloom.domain.errors import IncompleteReply, InvalidReply, PromptTooLong
from citeloom.domain.retrieval.passage import StoredChunk


def write_answer(
    answer: Answer,
    request: AskRequest,
    model: AnswerModel,
    entailment: EntailmentCheck | None = None,
) -> Answer:
    """The answer with the sentences that a model writes from its passages and that its quotes
    support, each passed to the events of the request as soon as it is checked; with `quote_first`
    it chooses, orders and connects quotations, and writes nothing else. With `entailment` a second
    model narrows what is kept. Passages that give orders to a model are not sent; where the model
    does not read all, it is given half of them.

    Raises `PromptTooLong` if the model does not even read one passage, `ModelUnavailable`, and
    `IncompleteReply` for a reply cut off before its first sentence, and `InvalidReply` for one that
    is empty, not in the form asked for, or in another language than its quotes.
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
            return _read(replace(answer, notes=notes), named, request, model, entailment)
        except PromptTooLong:
            if count == 1:
                raise
            count //= 2
    return answer


def _read(
    answer: Answer,
    named: Mapping[str, StoredChunk],
    request: AskRequest,
    model: AnswerModel,
    entailment: EntailmentCheck | None,
) -> Answer:
    """The answer with the model's reply to these passages, read up to its maximum length."""
    prompt = prompt_of(answer.question, named, answer.wording, quote_first=request.quote_first)
    reader = ReplyReader(bare=request.quote_first)
    verify = Verification(passages=named, quote_first=request.quote_first)
    judge = EntailmentRun(entailment, request.cancellation)
    sentences: list[Sentence] = []
    written, cut = "", None

    def take(claims: Iterable[Claim]) -> None:
        for sentence in (judged for claim in claims for judged in judge(verify(claim))):
            alone = request.quote_first or judge.failure is not None
            if alone and any(sentence.text == other.text for other in sentences):
                continue
            sentences.append(sentence)
            if sentence.shown and request.events is not None:
                request.events.shown(sentence)

    with closing(model.stream(prompt, request.cancellation)) as reply:
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
            f"the reply of {model.model_id} cannot be used: {reader.fault}{begun}",
            "Ask again, or name a model that keeps to a JSON schema: model under [answers].",
        )
    _check_language(model, sentences)
    usage = reply.usage or estimated_usage(prompt.system + prompt.user, written)
    return replace(
        answer,
        sent_to=model.destination,
        sentences=tuple(sentence for sentence in sentences if sentence.shown),
        unverified=tuple(sentence for sentence in sentences if not sentence.shown),
        claimed_quotes=sum(len(claim.quotes) for claim in reader.claims),
        notes=(*answer.notes, *((cut.message,) if cut else ()), *notes, *judge.notes),
        usage=sum(judge.usages, usage),
        judged_at=judge.destination,
        complete=cut is None,
    )


def _check_language(model: AnswerModel, sentences: Sequence[Sentence]) -> None:
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
            f"{model.model_id} wrote in another language ({written}) than the passages "
            f"that it quotes ({quoted}), so that nothing it wrote can be checked",
            "Ask in the language of the passages, or have it quote alone: --quote-first.",
        )
