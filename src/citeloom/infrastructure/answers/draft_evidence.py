"""The evidence for one place of a draft: what it says, what the work has, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.manuscript.corrections import corrections_of
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict
from citeloom.domain.text.near import AlignedWords, aligned_words
from citeloom.infrastructure.answers.draft_checks import explained


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftEvidence:
    """A check with what it says in words, and the quotation beside the work's words.

    `corrections` are words of the draft and what should stand there instead; `citation` is that of
    where the quotation stands, in the draft's own notation, empty where that has no citekey.
    """

    check: CitationCheck
    message: str
    beside: Sequence[AlignedWords]
    corrections: Sequence[tuple[str, str]]
    citation: str

    @classmethod
    def of(cls, draft: Draft, check: CitationCheck) -> Self:
        quote, found = check.quote or "", check.found
        work = found.text if found else quote
        if check.verdict is CitationVerdict.EXACT:
            beside = [AlignedWords(quote, work, same=True)]
        else:
            beside = [*aligned_words(quote, work)]
        corrections = corrections_of(draft, check) if draft.is_plain_text else ()
        citation = ""
        if found and found.citekey:
            citation = CitedPlace.of(found.citekey, found.locator).in_file(draft.name)
        return cls(
            check=check,
            message=explained(check),
            beside=beside,
            corrections=[(draft.text[one.start : one.end], one.text) for one in corrections],
            citation=citation,
        )
