"""The request of a query."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from citeloom.application.retrieval.candidates import ESSENTIAL, StageName
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.filters import Filters, check_text
from citeloom.domain.policies import MAX_TOP_K, Mode

MAX_CONTEXT = 100
"""The maximum number of neighbours on each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRequest:
    """A question and its options; None means the project's retrieval policy.

    `filters` select the chunks; reference lists are excluded unless `kinds` includes them or the
    text quotes one. `context` is the number of neighbours on each side; `explain` adds each
    passage's rank in the dense and the sparse search; stages in `without` are switched off.
    Raises `InvalidFilter` for an empty, impossible or out-of-range value.
    """

    text: str
    filters: Filters = field(default_factory=Filters)
    mode: Mode | None = None
    top_k: int | None = None
    min_score: float | None = None
    by_document: bool = False
    context: int = 0
    explain: bool = False
    full_text: bool = False
    without: frozenset[StageName] = frozenset()

    def __post_init__(self) -> None:
        check_text("question", self.text)
        if self.top_k is not None:
            _check_within("number of passages", self.top_k, 1, MAX_TOP_K)
        _check_within("number of neighbours", self.context, 0, MAX_CONTEXT)
        if self.min_score is not None and not isfinite(self.min_score):
            raise InvalidFilter(
                f"the least score must be a number, not {self.min_score}",
                "Leave it out to see every passage with its score.",
            )
        if self.without & ESSENTIAL:
            names = ", ".join(sorted(stage.value for stage in self.without & ESSENTIAL))
            raise InvalidFilter(
                f"there is no answer without the stages {names}", "Leave out others only."
            )


def _check_within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidFilter(
            f"the {what} must lie in {least}..{most}, not {value}",
            "Give one of these, or leave it out.",
        )
