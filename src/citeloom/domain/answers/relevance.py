"""Whether a library is likely to answer a question, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.fit import Wording


class Verdict(StrEnum):
    """What the passages found say about the question."""

    ANSWERED = "answered"
    WEAK = "weak_evidence"
    NOT_ABOUT = "not_about_this_library"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where the verdicts part.

    Below `floor`, the cosine of the question and its nearest passage, the library is not about the
    question. Below `weak` the evidence is weak, and so it is where more than `unknown_share` of the
    weight of the question's words is on words that no passage of the library has. With both signs
    of weakness the library is not about the question.
    """

    floor: float
    weak: float
    unknown_share: float

    def __post_init__(self) -> None:
        if not -1.0 <= self.floor <= self.weak <= 1.0:
            raise ValueError("thresholds are cosines, the floor not above the weak one")
        if not 0.0 <= self.unknown_share <= 1.0:
            raise ValueError("unknown_share must lie in 0..1")


UNCALIBRATED = Thresholds(floor=0.2, weak=0.35, unknown_share=0.3)
"""Without a calibration: so low that little is refused that the library answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """The verdict on a question, and what it rests on.

    `similarity` is the cosine of the question and the nearest passage of the whole library, None
    where there is none. `calibrated` says whether the thresholds are the collection's own.
    """

    verdict: Verdict
    similarity: float | None
    thresholds: Thresholds
    calibrated: bool
    wording: Wording
    reasons: tuple[str, ...] = ()


def judge(
    similarity: float | None, wording: Wording, thresholds: Thresholds, *, calibrated: bool
) -> Relevance:
    """The verdict, with its reasons in plain words."""
    reasons = tuple(_reasons(similarity, wording, thresholds))
    verdict = (Verdict.ANSWERED, Verdict.WEAK, Verdict.NOT_ABOUT)[len(reasons)]
    if similarity is None or similarity < thresholds.floor:
        verdict = Verdict.NOT_ABOUT
    return Relevance(
        verdict=verdict,
        similarity=similarity,
        thresholds=thresholds,
        calibrated=calibrated,
        wording=wording,
        reasons=reasons,
    )


def _reasons(similarity: float | None, wording: Wording, thresholds: Thresholds) -> Sequence[str]:
    if similarity is None:
        return ["no passage was found"]
    reasons = []
    if similarity < thresholds.weak:
        named = "floor" if similarity < thresholds.floor else "limit of weak evidence"
        limit = thresholds.floor if similarity < thresholds.floor else thresholds.weak
        reasons.append(
            f"the nearest passage has a similarity of {similarity:.3f}, below the {named} of "
            f"{limit:.3f}"
        )
    if wording.unknown and wording.unknown_share > thresholds.unknown_share:
        unknown = ", ".join(word for word in wording.absent() if word in wording.unknown)
        reasons.append(f"nowhere in the library: {unknown}")
    return reasons
