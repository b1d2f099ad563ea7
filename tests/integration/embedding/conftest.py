from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.embedding.fastembed.model_cache import BuiltModel


@pytest.fixture(scope="session")
def weights() -> Path:
    folder = packaged_weights()
    if folder is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    return folder


@pytest.fixture(scope="session")
def built_cache(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the default model; not to be changed."""
    root = tmp_path_factory.mktemp("built")
    assert BuiltModel(root / "models", lambda: weights).folder() is not None
    return root
