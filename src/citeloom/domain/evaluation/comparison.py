"""Two evaluation runs compared question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean

from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.measures import EvaluationRun, ModeResult
from citeloom.domain.evaluation.significance import (
    SEED,
    Interval,
    bootstrap_interval,
    holm,
    randomisation_p,
)
from citeloom.domain.policies import Mode

SIGNIFICANT = 0.05
"""A difference with a corrected p-value below this is significant."""
_OF_THE_MOMENT = ("created_at", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionChange:
    """A question that is answered better or worse in the second run."""

    id: str
    """The question."""
    kind: str
    """Its kind."""
    question: str
    """What was asked."""
    before: float
    """Its figure in the first run."""
    after: float
    """Its figure in the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A measure in both runs over the questions they share.

    `interval` is that of the mean difference, `p` that of a paired randomisation test and
    `corrected_p` its Holm correction over all measures of the mode. `changes` go from the
    greatest gain to the greatest loss.
    """

    measure: str
    """The measure."""
    questions: int
    """How many."""
    before: float
    """The mean of the first run."""
    after: float
    """The mean of the second."""
    interval: Interval
    """Of the mean difference."""
    p: float
    """By a randomisation test."""
    corrected_p: float
    """Corrected for the number of measures."""
    wins: int
    """Questions that gained."""
    losses: int
    """Questions that lost."""
    changes: tuple[QuestionChange, ...]
    """From the greatest gain to the greatest loss."""

    @property
    def difference(self) -> float:
        """By how much the second run is better."""
        return self.after - self.before

    @property
    def significant(self) -> bool:
        return self.corrected_p < SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeComparison:
    """All measures of one mode."""

    mode: Mode
    """The mode."""
    differences: tuple[Difference, ...]
    """By measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """The second run against the first.

    `conditions` are those that differ, with both values; `unpaired` the questions that only one
    of the runs has, or whose text differs.
    """

    modes: tuple[ModeComparison, ...]
    """Those of both runs."""
    conditions: Mapping[str, tuple[str, str]]
    """Those that differ, each with both values."""
    unpaired: tuple[str, ...]
    """Questions of one run alone."""
    seed: int
    """Of the tests."""


def compare(before: EvaluationRun, after: EvaluationRun, *, seed: int = SEED) -> RunComparison:
    """Compare two runs, mode by mode.

    Raises `InvalidQrels` when they share no question in any mode.
    """
    earlier = {result.mode: result for result in before.modes}
    pairs = [(earlier[later.mode], later) for later in after.modes if later.mode in earlier]
    modes = [
        ModeComparison(mode=later.mode, differences=tuple(_differences(former, later, seed)))
        for former, later in pairs
    ]
    compared = tuple(mode for mode in modes if mode.differences)
    if not compared:
        raise InvalidQrels(
            "the two runs have no question and mode in common",
            "Compare runs over the same file of questions.",
        )
    unpaired = {
        name
        for former, later in pairs
        for name, _ in {(answer.id, answer.question) for answer in former.answers}
        ^ {(answer.id, answer.question) for answer in later.answers}
    }
    first, second = dict(_flat(asdict(before.provenance))), dict(_flat(asdict(after.provenance)))
    return RunComparison(
        modes=compared,
        conditions={
            name: (first.get(name, "-"), second.get(name, "-"))
            for name in sorted(first.keys() | second.keys())
            if name not in _OF_THE_MOMENT and first.get(name) != second.get(name)
        },
        unpaired=tuple(sorted(unpaired)),
        seed=seed,
    )


def gain(run: EvaluationRun, *, seed: int = SEED) -> tuple[ModeComparison, ...]:
    """What the reranker of a run changes, by mode; empty without one."""
    earlier = {result.mode: result for result in run.reranked.without} if run.reranked else {}
    return tuple(
        ModeComparison(
            mode=later.mode,
            differences=tuple(_differences(earlier[later.mode], later, seed)),
        )
        for later in run.modes
        if later.mode in earlier
    )


def _differences(before: ModeResult, after: ModeResult, seed: int) -> list[Difference]:
    """The measures that both runs have, over the questions that both have."""
    former = {(answer.id, answer.question): answer for answer in before.answers}
    pairs = [
        (former[key], answer)
        for answer in after.answers
        if (key := (answer.id, answer.question)) in former
    ]
    columns: dict[str, list[QuestionChange]] = {}
    for measure in before.overall.means:
        changes = [
            QuestionChange(
                id=first.id,
                kind=first.kind,
                question=first.question,
                before=first.figures[measure],
                after=second.figures[measure],
            )
            for first, second in pairs
            if measure in first.figures and measure in second.figures
        ]
        if changes and measure in after.overall.means:
            columns[measure] = changes
    gains = {name: [each.after - each.before for each in columns[name]] for name in columns}
    p_values = [randomisation_p(values, seed=seed) for values in gains.values()]
    return [
        Difference(
            measure=name,
            questions=len(changes),
            before=fmean(change.before for change in changes),
            after=fmean(change.after for change in changes),
            interval=bootstrap_interval(gains[name], seed=seed),
            p=p,
            corrected_p=corrected,
            wins=sum(value > 0 for value in gains[name]),
            losses=sum(value < 0 for value in gains[name]),
            changes=tuple(
                sorted(
                    (change for change in changes if change.after != change.before),
                    key=lambda change: (change.before - change.after, change.id),
                )
            ),
        )
        for (name, changes), p, corrected in zip(columns.items(), p_values, holm(p_values))
    ]


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)
