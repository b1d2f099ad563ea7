"""The use case `eval claims`: how often the check of written sentences errs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.application.answering.entailment import EntailmentCheck
from citeloom.application.answering.verification import Verification
from citeloom.application.ports.progress import Progress
from citeloom.application.retrieval.candidates import StageName
from citeloom.application.retrieval.query import Query
from citeloom.application.retrieval.request import QueryRequest
from citeloom.domain.answers.answer import SentenceKind
from citeloom.domain.answers.claim_evaluation import CheckedClaim, ClaimEvaluation, LabelledClaim
from citeloom.domain.answers.claims import Claim, ClaimedQuote
from citeloom.domain.answers.quotes import find_quote
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.passage import StoredChunk

_PASSAGES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateClaims:
    """Looks the quotes of claims up in a project, and checks the claims as those of a model, by
    the rules and by the model of `entailment` if there is one.
    """

    query: Query
    progress: Progress
    entailment: EntailmentCheck | None = None

    def __call__(self, claims: Sequence[LabelledClaim]) -> ClaimEvaluation:
        """The outcome of every claim.

        Raises what `Query` and the model raise, and `InvalidQrels` without a claim.
        """
        if not claims:
            raise InvalidQrels("there is no claim to check", "Give at least one.")
        self.progress.start(len(claims))
        try:
            return ClaimEvaluation(claims=tuple(map(self._checked, claims)))
        finally:
            self.progress.finish()

    def _checked(self, labelled: LabelledClaim) -> CheckedClaim:
        passages: dict[str, StoredChunk] = {}
        quotes = []
        for number, quote in enumerate(labelled.quotes, start=1):
            if (stored := self._passage(quote)) is not None:
                passages[f"p{number}"] = stored
            quotes.append(ClaimedQuote(f"p{number}", quote))
        found = Verification(passages=passages)(Claim(labelled.claim, tuple(quotes)))
        if self.entailment and found.shown and found.kind is SentenceKind.WRITTEN:
            found, _ = self.entailment.judged(found)
        self.progress.advance(labelled.claim, "checked")
        return CheckedClaim(
            claim=labelled.claim,
            kind=labelled.kind,
            supported=labelled.supported,
            shown=found.shown,
            reason=", ".join(found.faults) if not found.shown else None,
        )

    def _passage(self, quote: str) -> StoredChunk | None:
        """The first passage of the project that has a quote."""
        found = self.query(
            QueryRequest(text=quote, top_k=_PASSAGES, without=frozenset({StageName.WORKS}))
        ).passages
        stored = (passage.stored for passage in found)
        return next((one for one in stored if find_quote(quote, one.chunk.text)), None)
