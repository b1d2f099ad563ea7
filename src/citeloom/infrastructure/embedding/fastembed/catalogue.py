"""The embedding models that a project can be bound to, and the rerankers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.models import AvailableModel, ModelKind
from citeloom.infrastructure.embedding.fastembed.bm25 import is_bm25
from citeloom.infrastructure.embedding.fastembed.hub import descriptions, is_offline
from citeloom.infrastructure.embedding.fastembed.minilm import (
    DIMENSION,
    INSTALL_HINT,
    INT8_GB,
    INT8_ID,
    WeightsLocator,
    is_minilm,
    packaged_weights,
)
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache
from citeloom.infrastructure.embedding.fastembed.rerankers import (
    NAME as LATE_INTERACTION,
)

if TYPE_CHECKING:
    from fastembed.common.model_description import BaseModelDescription

_MULTILINGUAL = "multilingual"
"""FastEmbed says it of a model in its name alone."""


def available_models(
    *, cache_dir: Path | None = None, locate: WeightsLocator = packaged_weights
) -> list[AvailableModel]:
    """Every dense and sparse model FastEmbed knows, the usable ones first, then by name.

    Uses no network and builds nothing.
    """
    models = ModelCache(cache_dir, locate)
    kinds = (ModelKind.DENSE, ModelKind.SPARSE)
    listed = [_model(models, kind, described) for kind in kinds for described in descriptions(kind)]
    usable = models.minilm_int8.is_usable()
    return _sorted([_built_here(INT8_ID, ModelKind.DENSE, DIMENSION, INT8_GB, usable), *listed])


def installed_multilingual(cache_dir: Path | None = None) -> str | None:
    """The smallest dense model of many languages that was downloaded before; None without one. Uses
    no network and loads nothing.
    """
    hub = ModelCache(cache_dir).hub
    if not hub.cache.is_dir():
        return None
    named = (each for each in descriptions(ModelKind.DENSE) if _MULTILINGUAL in each.model.lower())
    here = [each for each in named if hub.cached(each) is not None]
    return min(here, key=lambda each: float(each.size_in_GB)).model if here else None


def available_rerankers(
    *, cache_dir: Path | None = None, locate: WeightsLocator = packaged_weights
) -> list[AvailableModel]:
    """Late interaction and every cross-encoder FastEmbed knows, the usable ones first.

    Uses no network and loads nothing.
    """
    models = ModelCache(cache_dir, locate)
    kind = ModelKind.RERANKER
    listed = [_model(models, kind, described) for described in descriptions(kind)]
    late_interaction = _built_here(LATE_INTERACTION, kind, None, 0.0, models.minilm.is_usable())
    return [late_interaction, *_sorted(listed)]


def _sorted(models: Iterable[AvailableModel]) -> list[AvailableModel]:
    return sorted(models, key=lambda model: (model.kind, not model.usable, model.name.lower()))


def _built_here(
    name: str, kind: ModelKind, dimension: int | None, size_gb: float, usable: bool
) -> AvailableModel:
    needs = "" if usable else INSTALL_HINT
    return AvailableModel(
        name=name, kind=kind, dimension=dimension, size_gb=size_gb, usable=usable, needs=needs
    )


def _model(models: ModelCache, kind: ModelKind, described: BaseModelDescription) -> AvailableModel:
    name = described.model
    is_packaged = is_bm25(name) or (is_minilm(name) and models.minilm.is_usable())
    needs = ""
    if not is_packaged and models.hub.cached(described) is None:
        needs = "a download at first use"
        if is_minilm(name):
            needs = INSTALL_HINT
        elif is_offline():
            needs = "a download, which HF_HUB_OFFLINE forbids"
        elif kind is ModelKind.RERANKER:
            needs = "a download: citeloom models --fetch"
    return AvailableModel(
        name=name,
        kind=kind,
        dimension=getattr(described, "dim", None),
        size_gb=described.size_in_GB,
        usable=not needs,
        needs=needs,
    )
