"""Models and engines that are available, and which suit the languages of a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.application.retrieval.terms import LanguageCache
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.language import (
    DEFAULT_LANGUAGE,
    TERM_LANGUAGES,
    clear_language,
    name_of_guessed,
)
from citeloom.domain.policies import DEFAULT_SPARSE_MODEL, MULTILINGUAL_MODEL
from citeloom.domain.project import Collection, reads_english_alone
from citeloom.domain.retrieval.passage import StoredChunk

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject

# The supported models and OCR engines, and which of them are installed.


class ModelKind(StrEnum):
    """What a model is for: dense or sparse vectors, or putting passages in order."""

    DENSE = "dense"
    SPARSE = "sparse"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableModel:
    """A model, and whether it is usable without a download."""

    name: str
    """As it is configured."""
    kind: ModelKind
    """What it is for."""
    dimension: int | None
    """Null where it is not fixed."""
    size_gb: float
    """Of the download."""
    usable: bool
    """Whether it can be used without a download."""
    needs: str
    """What is missing; empty where nothing is."""
    sends_text_to: str | None = None
    """The address of the service that runs it; null for a model that runs here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AvailableEngine:
    """An OCR engine, and the languages installed for it."""

    name: str
    """As it is configured."""
    version: str
    """Empty where it is not installed."""
    usable: bool
    """Whether it reads any language here."""
    languages: tuple[str, ...]
    """Those that it reads here."""
    needs: str
    """What is missing to read the configured ones."""
    chosen: bool
    """Whether ingests use it."""


# The use case behind `models --project`: which models suit the languages of a project.

_SAMPLE = 300
_SHARE = 0.05
"""A language that fewer of the chunks are in decides nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A model and the reason for it."""

    kind: ModelKind
    """What it is for."""
    name: str
    """The model."""
    reason: str
    """Why."""
    rebuild: bool = False
    """Whether the project has the model already, and only its collection was made before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendedModels:
    """The languages of the chunks that were looked at, and what they recommend."""

    project: str
    """The project."""
    chunks: int = 0
    """How many were looked at."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """How many of them are clearly in each, by its code."""
    models: tuple[Recommendation, ...] = ()
    """What they recommend."""


def recommend_models(
    project: OpenProject, installed: Callable[[], str | None] = lambda: None
) -> RecommendedModels:
    """What the languages of some of a project's chunks recommend; nothing without chunks. Of models
    of many languages that is the `installed` one, if there is one.
    """
    bound = project.find_collection()
    if bound is None:
        return RecommendedModels(project=project.id)
    texts = replace(project.everything, kinds=(ChunkKind.TEXT,))
    sample = list(islice(project.chunks(texts), _SAMPLE))
    languages = languages_of(sample)
    others = {
        code: count
        for code, count in languages.items()
        if code != DEFAULT_LANGUAGE and count >= _SHARE * len(sample)
    }
    return RecommendedModels(
        project=project.id,
        chunks=len(sample),
        languages=languages,
        models=_recommended(project, bound, languages, others, installed) if others else (),
    )


def _recommended(
    project: OpenProject,
    bound: Collection,
    languages: Mapping[str, int],
    others: Mapping[str, int],
    installed: Callable[[], str | None],
) -> tuple[Recommendation, ...]:
    models, counts = list[Recommendation](), _passages_by_language(others)
    if reads_english_alone(bound.dense_model):
        reason = f"{counts}; {bound.dense_model} was trained on English"
        name = installed() or MULTILINGUAL_MODEL
        models.append(Recommendation(kind=ModelKind.DENSE, name=name, reason=reason))
    named, _, language = (bound.sparse_model or "").partition(":")
    if language and len(languages) > 1:
        every = _passages_by_language(languages)
        reason = f"{every}; {bound.sparse_model} takes every text for {language}"
        models.append(Recommendation(kind=ModelKind.SPARSE, name=named, reason=reason))
    search = Search(reader=project.index, collection=bound, statistics=TermStatisticsCache())
    is_default = bound.sparse_model == DEFAULT_SPARSE_MODEL
    if is_default and (others.keys() & TERM_LANGUAGES) - set(LanguageCache()(search)):
        reason = f"{counts}; some were ingested when every text was taken for English"
        models.append(
            Recommendation(
                kind=ModelKind.SPARSE, name=DEFAULT_SPARSE_MODEL, reason=reason, rebuild=True
            )
        )
    return tuple(models)


def languages_of(chunks: list[StoredChunk]) -> dict[str, int]:
    """How many of the chunks are clearly in each language, most frequent first."""
    counts = Counter(clear_language(stored.chunk.text) for stored in chunks)
    return {code: count for code, count in counts.most_common() if code is not None}


def _passages_by_language(languages: Mapping[str, int]) -> str:
    """`12 passages in German, 3 in French`."""
    (first, count), *rest = ((name_of_guessed(code), n) for code, n in languages.items())
    noun = "passage" if count == 1 else "passages"
    return ", ".join((f"{count} {noun} in {first}", *(f"{n} in {name}" for name, n in rest)))
