"""Verifying what a model claims against the passages it was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from citeloom.domain.answers.answer import Citation, Sentence
from citeloom.domain.answers.claim_check import check_claim, only_connects
from citeloom.domain.answers.claims import Claim, ClaimedQuote
from citeloom.domain.answers.faults import Fault
from citeloom.domain.answers.quotes import find_quote
from citeloom.domain.answers.untrusted import (
    addresses_a_model,
    inert,
    trusted_length,
    without_markup,
)
from citeloom.domain.passage import StoredChunk
from citeloom.domain.sentences import sentence_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Verifies claims by the passages that a model was given, by their ids there."""

    passages: Mapping[str, StoredChunk]
    quote_first: bool = False

    def __call__(self, claim: Claim) -> Sentence:
        """The claim as a sentence without markup, with its verified citations.

        It is shown if a quote is in its passage, before anything there that gives orders to a
        model, and if it is a quotation or its quotes support it by every rule of `check_claim`.
        With `quote_first` the sentences of its first quote are shown instead, behind its text if
        that only connects.
        """
        checked = [self._citation(quote) for quote in claim.quotes]
        citations = tuple(one for one in checked if isinstance(one, Citation))
        faults = tuple(dict.fromkeys(one for one in checked if isinstance(one, Fault)))
        if self.quote_first:
            return _quotation(claim, citations, faults)
        text = without_markup(claim.text)
        own = self._faults(text, claim, citations)
        return Sentence(
            text=text,
            citations=tuple(dict.fromkeys(citations)),
            faults=(*faults, *own),
            shown=bool(citations) and not own,
        )

    def _citation(self, claimed: ClaimedQuote) -> Citation | Fault:
        stored = self.passages.get(claimed.passage)
        if stored is None:
            return Fault.UNKNOWN_PASSAGE
        found = find_quote(claimed.quote, stored.chunk.text)
        if found is None:
            return Fault.NOT_IN_PASSAGE
        citation = Citation(
            stored=stored, start=found.start, end=found.end, match=found.match, share=found.share
        )
        trusted = trusted_length(stored.chunk.text)
        return citation if citation.end <= trusted else Fault.INSTRUCTION

    def _faults(
        self, text: str, claim: Claim, citations: tuple[Citation, ...]
    ) -> tuple[Fault, ...]:
        """What is wrong with the sentence itself."""
        if not claim.quotes:
            return (Fault.NO_QUOTE,)
        if not citations:
            return ()
        if not text or addresses_a_model(claim.text):
            return (Fault.INSTRUCTION,)
        sources = dict.fromkeys(text for one in citations for text in _around(one))
        return check_claim(text, [one.quote for one in citations], list(sources))


def _quotation(
    claim: Claim, citations: tuple[Citation, ...], faults: tuple[Fault, ...]
) -> Sentence:
    """The sentences of the first quote in place of what the model wrote, of which only words that
    connect are left.
    """
    lead = without_markup(claim.text).strip(" ,.:;")
    if not citations:
        return Sentence(text=without_markup(claim.text), faults=faults or (Fault.NO_QUOTE,))
    return replace(quotation(citations[0]), lead=lead if only_connects(lead) else "", faults=faults)


def quotation(citation: Citation) -> Sentence:
    """The whole sentences that a quote is of, as a sentence that is shown."""
    whole = _whole(citation)
    return Sentence(text=inert(" ".join(whole.quote.split())), citations=(whole,), shown=True)


def _whole(citation: Citation) -> Citation:
    """The citation of the whole sentences that a quote is of, before any order to a model."""
    text = citation.stored.chunk.text
    spans = [
        (start, end)
        for start, end in sentence_spans(text)
        if start < citation.end and citation.start < end
    ]
    if not spans or spans[-1][1] > trusted_length(text):
        return citation
    return replace(citation, start=spans[0][0], end=spans[-1][1])


def _around(citation: Citation) -> Iterable[str]:
    """The sentences of the passage that the quote is part of."""
    text = citation.stored.chunk.text
    for start, end in sentence_spans(text.replace("\n", " ")):
        if start < citation.end and citation.start < end:
            yield text[start:end]
