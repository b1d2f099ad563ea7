"""Models of any kind by name, downloaded when that is asked for."""

from __future__ import annotations

from pathlib import Path

from citeloom.application.available import ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.hub import descriptions
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache


def fetch_model(name: str, *, cache_dir: Path | None = None) -> None:
    """Download one of FastEmbed's models into the cache, unless it is there.

    Raises `ModelUnavailable` for an unknown name, and where it cannot be downloaded.
    """
    for kind in ModelKind:
        if name.lower() in {one.model.lower() for one in descriptions(kind)}:
            ModelCache(cache_dir).folder(name, kind)
            return
    raise ModelUnavailable(
        f"FastEmbed has no model named '{name}'", "citeloom models --all lists them."
    )
