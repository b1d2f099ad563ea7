"""The use case `eval sweep`: compares other settings of chunking and fusion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean

from citeloom.application.evaluate.ranking import NDCG_CUTOFF, RankingMeasures, figures
from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.evaluation.comparison import SIGNIFICANT
from citeloom.domain.evaluation.measures import Question
from citeloom.domain.evaluation.significance import SEED, holm, randomisation_p
from citeloom.domain.policies import ChunkingPolicy, Mode, RetrievalPolicy
from citeloom.domain.retrieval.ordering import Fusion, FusionMethod
from citeloom.domain.retrieval.passage import StoredChunk

# What a sweep tries: one thing at a time changed against the present policies.

_RRF_CONSTANTS = (5, 10, 20, 40, 60, 100)
_WEIGHTS = ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0))
_DEPTHS = (20, 50, 100, 200)
_FEEDBACK = (0, 1, 3, 5)
_HEADINGS = (0, 1, 2, 4)
_QUARTERS = (4, 3, 2)
"""Chunks of so many quarters of the present size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A way to chunk and to search; without a `fusion` the project's own is used."""

    name: str
    """What is different."""
    chunking: ChunkingPolicy
    """How documents are divided."""
    retrieval: RetrievalPolicy
    """How passages are searched."""
    fusion: Fusion | None = None
    """How the two sides are merged."""


def fusion_variants(present: Variant) -> Iterator[Variant]:
    """Other constants, depths, weights and methods of fusion, and other ways to follow it up."""
    policy = present.retrieval
    by_page = "pages as they come" if policy.diversify_by_page else "pages in turn"
    changes = {
        **{f"rrf k={k}": replace(policy, rrf_k=k) for k in _RRF_CONSTANTS},
        **{f"{depth} candidates": replace(policy, candidates=depth) for depth in _DEPTHS},
        **{f"feedback of {count}": replace(policy, feedback=count) for count in _FEEDBACK},
        by_page: replace(policy, diversify_by_page=not policy.diversify_by_page),
    }
    for name, changed in changes.items():
        if changed != policy:
            yield replace(present, name=name, retrieval=changed)
    for method in FusionMethod:
        for dense, sparse in _WEIGHTS:
            fusion = Fusion(method=method, k=policy.rrf_k, dense_weight=dense, sparse_weight=sparse)
            if fusion != Fusion(k=policy.rrf_k):
                yield replace(present, name=str(fusion), fusion=fusion)


def chunking_variants(present: Variant) -> Iterator[Variant]:
    """Other heading contexts and other sizes."""
    policy = present.chunking
    for headings in _HEADINGS:
        if headings != policy.heading_context:
            name = f"title and {headings} headings" if headings else "no headings"
            changed = replace(policy, heading_context=headings)
            yield replace(present, name=name, chunking=changed)
    for quarters in _QUARTERS:
        size = policy.size * quarters // 4
        if size != policy.size and size > policy.overlap_tokens:
            least = min(policy.min_chunk_tokens, size)
            changed = replace(
                policy,
                max_tokens=size,
                min_chunk_tokens=least,
                sections=policy.sections.within(least, size),
            )
            yield replace(present, name=f"chunks of {size} tokens", chunking=changed)


MEASURE = f"nDCG@{NDCG_CUTOFF}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSet:
    """Questions and where to ask them: `opened` gives a project of its texts under a policy.

    `by_document` counts each work once.
    """

    name: str
    questions: tuple[Question, ...]
    by_document: bool
    opened: Callable[[ChunkingPolicy], AbstractContextManager[OpenProject]]


class VariantVerdict(StrEnum):
    """The verdict on a variant: `unclear` where the difference may be chance."""

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
    """Of the measure."""
    difference: float
    """To the present."""
    p: float
    """By a randomisation test."""
    corrected_p: float
    """Corrected for the number of variants."""

    @property
    def verdict(self) -> VariantVerdict:
        """Better or worse only where that is more than chance."""
        if self.corrected_p >= SIGNIFICANT:
            return VariantVerdict.UNCLEAR
        return VariantVerdict.BETTER if self.difference > 0 else VariantVerdict.WORSE


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantResult:
    """A variant over all sets together, and over each by its name."""

    variant: Variant
    """What was tried."""
    overall: Trial
    """Over all sets."""
    by_set: Mapping[str, Trial]
    """By set of questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """Every variant, the best first, beside how many questions each set has and
    the mean of the present way over them.
    """

    measure: str
    """What is compared."""
    seed: int
    """Of the tests."""
    questions: Mapping[str, int]
    """How many, by set."""
    present: Mapping[str, float]
    """The mean, by set."""
    results: tuple[VariantResult, ...]
    """Best first."""


def run_sweep(
    sets: Sequence[TrialSet],
    present: Variant,
    variants: Sequence[Variant],
    *,
    measures: RankingMeasures,
    events: ReadEvent,
    seed: int = SEED,
) -> SweepReport:
    """Ask every question in every way through the query itself, over an index of its own where a
    variant chunks in another way.
    """
    scores = {one.name: _scores(one, [present, *variants], measures, events) for one in sets}
    base = {name: by_variant[present.name] for name, by_variant in scores.items()}
    means = {name: fmean(values.values()) for name, values in base.items()}
    rows = [
        {
            name: [by_variant[variant.name][key] - value for key, value in base[name].items()]
            for name, by_variant in scores.items()
        }
        for variant in variants
    ]
    by_set = {name: _trials([row[name] for row in rows], means[name], seed) for name in means}
    overall = _trials([_pooled(row) for row in rows], fmean(means.values()), seed)
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
        seed=seed,
        questions={name: len(values) for name, values in base.items()},
        present=means,
        results=tuple(sorted(results, key=lambda result: -result.overall.difference)),
    )


def _scores(
    trial_set: TrialSet,
    variants: Sequence[Variant],
    measures: RankingMeasures,
    events: ReadEvent,
) -> dict[str, dict[str, float]]:
    """By variant, the measure of each answerable question of a set."""
    questions = [question for question in trial_set.questions if question.answerable]
    policies = list(dict.fromkeys(variant.chunking for variant in variants))
    scores: dict[str, dict[str, float]] = {}
    with reported_run(len(questions) * len(policies), events):
        for policy in policies:
            alike = [variant for variant in variants if variant.chunking == policy]
            results: dict[str, dict[str, list[StoredChunk]]] = {v.name: {} for v in alike}
            with trial_set.opened(policy) as project:
                for question in questions:
                    request = QueryRequest(
                        text=question.text,
                        mode=Mode.HYBRID,
                        top_k=NDCG_CUTOFF,
                        by_document=trial_set.by_document,
                    )
                    for variant in alike:
                        settings = replace(project.settings, retrieval=variant.retrieval)
                        varied = replace(project, settings=settings, fusion=variant.fusion)
                        passages = query(varied, request).passages
                        stored = [passage.stored for passage in passages]
                        results[variant.name][question.id] = stored
                    events(DocumentDone(document=question.id, state="asked"))
            for name, by_question in results.items():
                values = figures(measures, questions, by_question, NDCG_CUTOFF)
                scores[name] = {key: value[MEASURE] for key, value in values.items()}
    return scores


def _trials(columns: Sequence[Sequence[float]], present: float, seed: int) -> list[Trial]:
    """By variant, what its differences from the present mean amount to."""
    p_values = [randomisation_p(column, seed=seed) for column in columns]
    return [
        Trial(mean=present + fmean(column), difference=fmean(column), p=p, corrected_p=corrected)
        for column, p, corrected in zip(columns, p_values, holm(p_values))
    ]


def _pooled(row: Mapping[str, Sequence[float]]) -> list[float]:
    """The differences of all sets, weighted so that each set counts alike in their mean."""
    total = sum(map(len, row.values()))
    return [value * total / (len(row) * len(column)) for column in row.values() for value in column]
