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


def available_models(
    *, cache_dir: Path | None = None, locate: WeightsLocator = packaged_weights
) -> list[AvailableModel]:
    """Every dense and sparse model FastEmbed knows, the usable ones first, then by name.

    Uses no network and builds nothing.
    """
    models = ModelCache(cache_dir, locate)
    kinds = (ModelKind.DENSE, ModelKind.SPARSE)
    listed = [_model(models, kind, described) for kind in kinds for described in descriptions(kind)]
    return _sorted([_quantised(models), *listed])


def available_rerankers(
    *, cache_dir: Path | None = None, locate: WeightsLocator = packaged_weights
) -> list[AvailableModel]:
    """Late interaction and every cross-encoder FastEmbed knows, the usable ones first.

    Uses no network and loads nothing.
    """
    models = ModelCache(cache_dir, locate)
    kind = ModelKind.RERANKER
    listed = [_model(models, kind, described) for described in descriptions(kind)]
    usable = models.minilm.is_usable()
    own = AvailableModel(
        name=LATE_INTERACTION,
        kind=kind,
        dimension=None,
        size_gb=0.0,
        usable=usable,
        needs="" if usable else INSTALL_HINT,
    )
    return [own, *_sorted(listed)]


def _sorted(models: Iterable[AvailableModel]) -> list[AvailableModel]:
    return sorted(models, key=lambda model: (model.kind, not model.usable, model.name.lower()))


def _quantised(models: ModelCache) -> AvailableModel:
    usable = models.minilm_int8.is_usable()
    return AvailableModel(
        name=INT8_ID,
        kind=ModelKind.DENSE,
        dimension=DIMENSION,
        size_gb=INT8_GB,
        usable=usable,
        needs="" if usable else INSTALL_HINT,
    )


def _model(models: ModelCache, kind: ModelKind, described: BaseModelDescription) -> AvailableModel:
    usable = _is_packaged(models, described.model) or models.hub.cached(described) is not None
    return AvailableModel(
        name=described.model,
        kind=kind,
        dimension=getattr(described, "dim", None),
        size_gb=described.size_in_GB,
        usable=usable,
        needs="" if usable else _need(described.model, kind),
    )


def _is_packaged(models: ModelCache, name: str) -> bool:
    return is_bm25(name) or (is_minilm(name) and models.minilm.is_usable())


def _need(name: str, kind: ModelKind) -> str:
    if is_minilm(name):
        return INSTALL_HINT
    if is_offline():
        return "a download, which HF_HUB_OFFLINE forbids"
    if kind is ModelKind.RERANKER:
        return "a download: citeloom models --fetch"
    return "a download at first use"
