"""The choices a project can make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import ConfigError
from citeloom.domain.policies import (
    ChunkingPolicy,
    OcrOptions,
    OcrSource,
    RetrievalPolicy,
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
