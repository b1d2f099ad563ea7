"""How often the check of written sentences errs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """A sentence with its quotes, and whether they support it; `kind` says how it was made."""

    question: str
    claim: str
    quotes: tuple[str, ...]
    supported: bool
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """Whether a labelled claim is shown, and the reason if it is not."""

    claim: str
    kind: str
    supported: bool
    shown: bool
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCount:
    """How many claims are shown, of how many."""

    shown: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvaluation:
    """Every claim with its outcome, in order."""

    claims: tuple[CheckedClaim, ...]

    @property
    def supported(self) -> ShownCount:
        """The claims that their quotes support."""
        return _count(one for one in self.claims if one.supported)

    @property
    def unsupported(self) -> ShownCount:
        """The claims that they do not support: none should be shown."""
        return _count(one for one in self.claims if not one.supported)

    @property
    def by_kind(self) -> Mapping[str, ShownCount]:
        """The claims of each kind, the supported kinds first."""
        kinds = dict.fromkeys(
            one.kind for one in sorted(self.claims, key=lambda one: (not one.supported, one.kind))
        )
        return {kind: _count(one for one in self.claims if one.kind == kind) for kind in kinds}


def _count(claims: Iterable[CheckedClaim]) -> ShownCount:
    listed = list(claims)
    return ShownCount(shown=sum(one.shown for one in listed), of=len(listed))
