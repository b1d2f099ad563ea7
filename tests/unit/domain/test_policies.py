"""The choices a project can make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import ConfigError
from citeloom.domain.policies import (
    CharacterParameters,
    ChunkingPolicy,
    LessonParameters,
    OcrOptions,
    OcrSource,
    RetrievalPolicy,
    SectionParameters,
    StrategyName,
)


def policies() -> st.SearchStrategy[ChunkingPolicy]:
    return st.integers(1, 600).flatmap(
        lambda size: st.builds(
            ChunkingPolicy,
            max_tokens=st.sampled_from((size, None)) if size == 450 else st.just(size),
            overlap_tokens=st.integers(0, size - 1),
            min_chunk_tokens=st.integers(1, size),
        )
    )


def test_the_defaults_follow_the_model() -> None:
    policy = ChunkingPolicy()
    assert (policy.size, policy.min_chunk_tokens, policy.min_signal_to_noise) == (450, 50, 0.3)


@pytest.mark.parametrize(
    ("max_tokens", "overlap", "minimum", "complaint"),
    [
        (100, 10, 0, "min_chunk_tokens must be at least 1"),
        (49, 10, 50, "must not be less than min_chunk_tokens"),
        (100, 100, 50, "overlap_tokens"),
        (100, -1, 50, "overlap_tokens"),
        (None, 450, 50, "overlap_tokens"),
    ],
)
def test_sizes_fit_into_one_another(
    max_tokens: int | None, overlap: int, minimum: int, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        ChunkingPolicy(max_tokens=max_tokens, overlap_tokens=overlap, min_chunk_tokens=minimum)


def sections(low: int, high: int, *, least: int = 50, most: int | None = None) -> ChunkingPolicy:
    return ChunkingPolicy(
        strategy=StrategyName.SECTIONS,
        max_tokens=most,
        min_chunk_tokens=least,
        sections=SectionParameters(target_tokens=(low, high)),
    )


@pytest.mark.parametrize(
    ("strategy", "size"),
    [
        (StrategyName.HEADINGS, 450),
        (StrategyName.SECTIONS, 1000),
        (StrategyName.LESSONS, 1000),
        (StrategyName.CHARACTERS, 1000),
    ],
)
def test_the_largest_chunk_follows_the_strategy_and_the_model(
    strategy: StrategyName, size: int
) -> None:
    policy = ChunkingPolicy(strategy=strategy)
    assert (policy.size, policy.fitted(8192).size, policy.fitted(256).size) == (size, size, 256)


def test_a_target_may_be_exceeded_by_a_fifth_and_comes_down_to_the_window() -> None:
    policy = sections(300, 500, least=100)
    assert policy.size == 600
    fitted = policy.fitted(256)
    assert (fitted.size, fitted.sections.target_tokens) == (256, (153, 256))
    assert policy.fitted(550).sections.target_tokens == (300, 500)
    assert policy.fitted(8192) == policy


@pytest.mark.parametrize(
    ("low", "high", "least", "most"),
    [(40, 500, 50, None), (300, 500, 50, 499), (300, 200, 50, None), (0, 200, 1, None)],
)
def test_a_target_lies_between_the_smallest_and_the_largest_chunk(
    low: int, high: int, least: int, most: int | None
) -> None:
    with pytest.raises(ValueError, match="target_tokens"):
        sections(low, high, least=least, most=most)


def test_a_configured_size_above_the_window_is_refused_by_any_strategy() -> None:
    with pytest.raises(ConfigError, match="reads only 256"):
        ChunkingPolicy(strategy=StrategyName.LESSONS, max_tokens=700).fitted(256)


def test_marks_are_divided_along_headings_up_to_the_same_size() -> None:
    along = sections(300, 500).along_headings()
    assert (along.strategy, along.size, along.keeps_short) == (StrategyName.HEADINGS, 600, False)
    assert ChunkingPolicy().along_headings() == ChunkingPolicy()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: LessonParameters(enrich_below=-1),
        lambda: LessonParameters(split_code_above=0),
        lambda: CharacterParameters(chunk_characters=0),
        lambda: CharacterParameters(chunk_characters=100, overlap_characters=100),
    ],
)
def test_parameters_of_a_strategy_are_checked(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"enrich|split_code|characters"):
        wrong()


def test_heading_context_is_a_number_of_headings() -> None:
    assert ChunkingPolicy(heading_context=0).heading_context == 0
    with pytest.raises(ValueError, match="heading_context"):
        ChunkingPolicy(heading_context=-1)


@pytest.mark.parametrize("ratio", [-0.1, 1.1])
def test_the_least_signal_is_a_share(ratio: float) -> None:
    with pytest.raises(ValueError, match="min_signal_to_noise"):
        ChunkingPolicy(min_signal_to_noise=ratio)


@given(st.integers(1, 2000))
def test_a_policy_that_follows_the_model_fits_any_window(window: int) -> None:
    fitted = ChunkingPolicy().fitted(window)
    assert fitted.size == min(450, window)
    assert fitted.overlap_tokens < fitted.size
    assert fitted.min_chunk_tokens == min(50, max(window // 2, 1))


@given(policies(), st.integers(1, 700))
def test_a_size_asked_for_is_kept_or_refused_and_never_lowered(
    policy: ChunkingPolicy, window: int
) -> None:
    if policy.size <= window:
        assert policy.fitted(window) is policy
    elif policy.max_tokens is not None:
        with pytest.raises(ConfigError) as caught:
            policy.fitted(window)
        assert str(window) in caught.value.hint


def test_fitting_changes_nothing_but_sizes() -> None:
    policy = ChunkingPolicy(heading_context=5, min_signal_to_noise=0.1)
    assert policy.fitted(256) == replace(policy, max_tokens=256)


@pytest.mark.parametrize(
    ("name", "policy"),
    {
        "top_k": lambda: RetrievalPolicy(top_k=0),
        "rrf_k": lambda: RetrievalPolicy(rrf_k=0),
        "candidates": lambda: RetrievalPolicy(candidates=0),
        "max_chars_per_chunk": lambda: RetrievalPolicy(max_chars_per_chunk=0),
        "feedback": lambda: RetrievalPolicy(feedback=-1),
    }.items(),
)
def test_retrieval_counts_are_positive(name: str, policy: Callable[[], RetrievalPolicy]) -> None:
    with pytest.raises(ValueError, match=name):
        policy()


def test_a_query_may_be_asked_once_only() -> None:
    assert RetrievalPolicy(feedback=0).feedback == 0


def test_the_language_of_the_work_comes_before_the_configured_and_the_default() -> None:
    choose = OcrOptions.choose
    assert choose(zotero="fr", configured=("es",)) == OcrOptions(
        languages=("fr",), source=OcrSource.ZOTERO_METADATA
    )
    assert choose(zotero=None, configured=("es", "pt")) == OcrOptions(
        languages=("es", "pt"), source=OcrSource.EXPLICIT_CONFIG
    )
    assert choose(zotero="", configured=()) == OcrOptions(
        languages=("en", "de"), source=OcrSource.DEFAULT
    )


def test_ocr_reads_at_least_one_language_by_its_code() -> None:
    with pytest.raises(ValueError, match="at least one"):
        OcrOptions(languages=())
    with pytest.raises(ValueError, match="'german'"):
        OcrOptions(languages=("en", "german"))
