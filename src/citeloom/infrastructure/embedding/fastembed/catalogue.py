"""The models a project can be bound to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.available import AvailableModel, ModelKind
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

if TYPE_CHECKING:
    from fastembed.common.model_description import BaseModelDescription


def available_models(
    *, cache_dir: Path | None = None, locate: WeightsLocator = packaged_weights
) -> list[AvailableModel]:
    """Every dense and sparse model FastEmbed knows, the usable ones first, then by name.

    Uses no network and builds nothing.
    """
    models = ModelCache(cache_dir, locate)
    listed = [
        _model(models, kind, described) for kind in ModelKind for described in descriptions(kind)
    ]
    return sorted(
        [_quantised(models), *listed],
        key=lambda model: (model.kind, not model.usable, model.name.lower()),
    )


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
        needs="" if usable else _need(described.model),
    )


def _is_packaged(models: ModelCache, name: str) -> bool:
    return is_bm25(name) or (is_minilm(name) and models.minilm.is_usable())


def _need(name: str) -> str:
    if is_minilm(name):
        return INSTALL_HINT
    if is_offline():
        return "a download, which HF_HUB_OFFLINE forbids"
    return "a download at first use"
