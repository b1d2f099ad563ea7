"""The use case `eval sweep`: other ways to cut and to fuse, held against the present one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from citeloom.application.evaluate.judging import NDCG_CUTOFF, figures
from citeloom.application.evaluate.variants import DEEPEST, Variant
from citeloom.application.ports.progress import Progress
from citeloom.application.ports.ranking_measures import RankingMeasures
from citeloom.application.query import Query, QueryRequest
from citeloom.domain.comparison import SIGNIFICANT
from citeloom.domain.evaluation import Question
from citeloom.domain.fusion import Fusion
from citeloom.domain.passage import Passage, Selection, StoredChunk
from citeloom.domain.policies import ChunkingPolicy, Mode
from citeloom.domain.significance import SEED, holm, randomisation_p

MEASURE = f"nDCG@{NDCG_CUTOFF}"
Found = dict[str, list[StoredChunk]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSet:
    """Questions and where to ask them: `opened` gives the query over its texts cut by a policy.

    `by_document` counts each work once.
    """

    name: str
    questions: tuple[Question, ...]
    by_document: bool
    opened: Callable[[ChunkingPolicy], AbstractContextManager[Query]]


class Verdict(str, Enum):
    """What can be said of a variant: `unclear` where the difference may be chance."""

    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A variant over one set, or over all sets with the same weight each.

    `difference` is that of the mean from the present one's, `corrected_p` of a paired
    randomisation test, by Holm for all variants.
    """

    mean: float
    difference: float
    p: float
    corrected_p: float

    @property
    def verdict(self) -> Verdict:
        """Better or worse only where that is more than chance."""
        if self.corrected_p >= SIGNIFICANT:
            return Verdict.UNCLEAR
        return Verdict.BETTER if self.difference > 0 else Verdict.WORSE


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantResult:
    """A variant over all sets together, and over each by its name."""

    variant: Variant
    overall: Trial
    by_set: Mapping[str, Trial]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """Every variant, the best first, beside how many questions each set has and
    the mean of the present way over them.
    """

    measure: str
    seed: int
    questions: Mapping[str, int]
    present: Mapping[str, float]
    results: tuple[VariantResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Asks every question once a side and fuses what came in every way; cuts anew where a
    variant cuts otherwise.
    """

    measures: RankingMeasures
    progress: Progress
    seed: int = SEED

    def __call__(
        self, sets: Sequence[TrialSet], chunking: ChunkingPolicy, variants: Sequence[Variant]
    ) -> SweepReport:
        """Hold the variants against the query as it is under `chunking`."""
        present = Variant(name="present", chunking=chunking)
        scores = {one.name: self._scores(one, [present, *variants]) for one in sets}
        base = {name: by_variant[present.name] for name, by_variant in scores.items()}
        rows = [
            {name: _differences(base[name], scores[name][variant.name]) for name in scores}
            for variant in variants
        ]
        means = {name: fmean(values.values()) for name, values in base.items()}
        by_set = {name: self._trials([row[name] for row in rows], means[name]) for name in scores}
        overall = self._trials([_pooled(row) for row in rows], fmean(means.values()))
        results = [
            VariantResult(
                variant=variant,
                overall=overall[place],
                by_set={name: trials[place] for name, trials in by_set.items()},
            )
            for place, variant in enumerate(variants)
        ]
        return SweepReport(
            measure=MEASURE,
            seed=self.seed,
            questions={name: len(values) for name, values in base.items()},
            present=means,
            results=tuple(sorted(results, key=lambda result: -result.overall.difference)),
        )

    def _scores(self, one: TrialSet, variants: Sequence[Variant]) -> dict[str, dict[str, float]]:
        """By variant, the measure of each answerable question of a set."""
        asked = [question for question in one.questions if question.answerable]
        cuts = list(dict.fromkeys(variant.chunking for variant in variants))
        self.progress.start(len(asked) * len(cuts))
        scores: dict[str, dict[str, float]] = {}
        try:
            for cut in cuts:
                alike = [variant for variant in variants if variant.chunking == cut]
                with one.opened(cut) as query:
                    found = self._found(query, one, asked, alike)
                for name, by_question in found.items():
                    values = figures(self.measures, asked, by_question, NDCG_CUTOFF)
                    scores[name] = {key: value[MEASURE] for key, value in values.items()}
        finally:
            self.progress.finish()
        return scores

    def _found(
        self, query: Query, one: TrialSet, asked: Sequence[Question], variants: Sequence[Variant]
    ) -> dict[str, Found]:
        found: dict[str, Found] = {variant.name: {} for variant in variants}
        for question in asked:
            for variant in variants:
                if variant.fusion is None:
                    passages = _ask(query, question, Mode.HYBRID, NDCG_CUTOFF, one.by_document)
                    found[variant.name][question.id] = [passage.stored for passage in passages]
            fusing = [variant for variant in variants if variant.fusion]
            sides = _sides(query, question) if fusing else ((), ())
            for variant in fusing:
                found[variant.name][question.id] = _fused(variant, sides, one.by_document)
            self.progress.advance(question.id, "asked")
        return found

    def _trials(self, columns: Sequence[Sequence[float]], present: float) -> list[Trial]:
        """By variant, what its differences from the present mean amount to."""
        p_values = [randomisation_p(column, seed=self.seed) for column in columns]
        return [
            Trial(
                mean=present + fmean(column), difference=fmean(column), p=p, corrected_p=corrected
            )
            for column, p, corrected in zip(columns, p_values, holm(p_values))
        ]


def _differences(base: Mapping[str, float], other: Mapping[str, float]) -> list[float]:
    return [other[name] - value for name, value in base.items()]


def _pooled(row: Mapping[str, Sequence[float]]) -> list[float]:
    """The differences of all sets, weighted so that each set counts alike in their mean."""
    total = sum(map(len, row.values()))
    return [value * total / (len(row) * len(column)) for column in row.values() for value in column]


Sides = tuple[Sequence[Passage], Sequence[Passage]]


def _ask(
    query: Query, question: Question, mode: Mode, top_k: int, by_document: bool
) -> tuple[Passage, ...]:
    selection = Selection(project_id=query.project.id)
    request = QueryRequest(
        text=question.text, selection=selection, mode=mode, top_k=top_k, by_document=by_document
    )
    return query(request).passages


def _sides(query: Query, question: Question) -> Sides:
    """What each side finds by itself, as deep as any variant looks."""
    dense, sparse = (
        _ask(query, question, mode, DEEPEST, by_document=False)
        for mode in (Mode.DENSE, Mode.SPARSE)
    )
    return dense, sparse


def _fused(variant: Variant, sides: Sides, by_document: bool) -> list[StoredChunk]:
    """The first places of the sides fused as the variant does."""
    dense, sparse = (
        {passage.stored.chunk.id: passage for passage in side[: variant.candidates]}
        for side in sides
    )
    known = {**dense, **sparse}
    merged = (variant.fusion or Fusion()).merge(
        [(name, passage.score) for name, passage in dense.items()],
        [(name, passage.score) for name, passage in sparse.items()],
    )
    best: dict[str, StoredChunk] = {}
    for name, _ in merged:
        stored = known[name].stored
        best.setdefault(stored.chunk.doc_id if by_document else name, stored)
    return list(best.values())[:NDCG_CUTOFF]
