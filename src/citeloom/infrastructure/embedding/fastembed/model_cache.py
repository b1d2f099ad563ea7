"""The model cache of this machine, and the folder of each model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from platformdirs import user_cache_path

from citeloom.application.available import ModelKind
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.built_model import BuiltModel
from citeloom.infrastructure.embedding.fastembed.hub import HubModels
from citeloom.infrastructure.embedding.fastembed.minilm import (
    INSTALL_HINT,
    WeightsLocator,
    is_int8,
    is_minilm,
    packaged_weights,
)


class ModelCache:
    """The models of this machine.

    They are in `root`, by default the user's cache folder; FastEmbed's downloads are in
    `root/hub`, or in `FASTEMBED_CACHE_PATH`.
    """

    def __init__(self, root: Path | None = None, locate: WeightsLocator = packaged_weights) -> None:
        models = (root or _of_the_user()) / "models"
        self.minilm = BuiltModel(models, locate)
        self.minilm_int8 = BuiltModel(models, locate, int8=True)
        self.hub = HubModels(Path(os.environ.get("FASTEMBED_CACHE_PATH") or models / "hub"))

    def folder(self, model_id: str, kind: ModelKind) -> Path:
        """The folder FastEmbed can load the model from, built or downloaded if missing.

        Raises `ModelUnavailable` without delay if that is impossible.
        """
        if kind is ModelKind.DENSE and is_int8(model_id):
            return self.minilm_int8.folder() or _no_weights(model_id)
        if kind is ModelKind.DENSE and is_minilm(model_id):
            return self.minilm.folder() or self._minilm_from_hub(model_id)
        return self.hub.folder(model_id, kind)

    def is_built(self, folder: Path) -> bool:
        """Whether a folder is one of those that are built here, not downloaded."""
        return folder in (self.minilm.path, self.minilm_int8.path)

    def _minilm_from_hub(self, model_id: str) -> Path:
        try:
            return self.hub.folder(model_id, ModelKind.DENSE)
        except ModelUnavailable as error:
            raise ModelUnavailable(
                f"{error.message}; the package with its weights is not installed",
                f"Install the weights: {INSTALL_HINT}",
            ) from error


def _no_weights(model_id: str) -> NoReturn:
    raise ModelUnavailable(
        f"{model_id} is made of weights whose package is not installed",
        f"Install the weights: {INSTALL_HINT}",
    )


def _of_the_user() -> Path:
    try:
        return user_cache_path("citeloom")
    except RuntimeError as error:
        raise ModelUnavailable(
            "nothing says where the home folder with the models is",
            "Set HOME, or cache_dir under [models].",
        ) from error
