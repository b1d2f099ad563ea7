"""The use cases `eval answers` and `eval claims`."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.verification import EntailmentCheck, Verification
from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import LONGEST_QUERY, AskRequest, QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.answers.answer import Answer, SentenceKind
from citeloom.domain.answers.claim_check import Claim, ClaimedQuote
from citeloom.domain.answers.evaluation import (
    AnswerEvaluation,
    CheckedClaim,
    ClaimEvaluation,
    LabelledClaim,
    answered_question,
    evaluation_of,
)
from citeloom.domain.answers.quotes import find_quote
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.measures import Question
from citeloom.domain.evaluation.significance import SEED
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.passage import StoredChunk

# The use case `eval answers`: what answers cite, what they refuse, how long they take.


def evaluate_answers(
    name: str, questions: Sequence[Question], *, ask: Ask, events: ReadEvent, seed: int = SEED
) -> AnswerEvaluation:
    """Ask questions as a user would, and measure the answers; those without evidence should be
    refused.

    Raises what `Ask` raises, and `InvalidQrels` without a question.
    """
    if not questions:
        raise InvalidQrels("there is no question to answer", "Give at least one.")
    answers: list[Answer] = []
    with reported_run(len(questions), events):
        for question in questions:
            answers.append(ask(AskRequest(text=question.text)))
            events(DocumentDone(document=question.id, state="answered"))
    done = [answered_question(q, answer) for q, answer in zip(questions, answers)]
    return evaluation_of(name, answers, done, seed=seed)


# The use case `eval claims`: how often the check of written sentences errs.

_PASSAGES = 10


def evaluate_claims(
    project: OpenProject,
    claims: Sequence[LabelledClaim],
    *,
    events: ReadEvent,
    entailment: EntailmentCheck | None = None,
) -> ClaimEvaluation:
    """Look the quotes of claims up in a project, and check the claims as those of a model, by the
    rules and by the model of `entailment` if there is one.

    Raises what `query` and the model raise, and `InvalidQrels` without a claim.
    """
    if not claims:
        raise InvalidQrels("there is no claim to check", "Give at least one.")
    checked = []
    with reported_run(len(claims), events):
        for claim in claims:
            checked.append(_checked(project, claim, entailment))
            events(DocumentDone(document=claim.claim, state="checked"))
    return ClaimEvaluation(claims=tuple(checked))


def _checked(
    project: OpenProject, labelled: LabelledClaim, entailment: EntailmentCheck | None
) -> CheckedClaim:
    passages: dict[str, StoredChunk] = {}
    quotes = []
    without = frozenset({StageName.WORKS})
    for number, quote in enumerate(labelled.quotes, start=1):
        request = QueryRequest(text=quote[:LONGEST_QUERY], top_k=_PASSAGES, without=without)
        for passage in query(project, request).passages:
            if find_quote(quote, passage.stored.chunk.text):
                passages[f"p{number}"] = passage.stored
                break
        quotes.append(ClaimedQuote(f"p{number}", quote))
    verify = Verification(passages=passages)
    sentence = verify(Claim(labelled.claim, tuple(quotes)))
    if entailment and sentence.shown and sentence.kind is SentenceKind.WRITTEN:
        sentence, _ = entailment.judged(sentence)
    return CheckedClaim(
        claim=labelled.claim,
        kind=labelled.kind,
        supported=labelled.supported,
        shown=sentence.shown,
        agreement=sentence.agreement,
        reason=", ".join(sentence.faults) if not sentence.shown else None,
    )
