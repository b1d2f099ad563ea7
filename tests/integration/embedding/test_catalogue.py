from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.models import AvailableModel, ModelKind
from citeloom.infrastructure.embedding.fastembed.catalogue import available_models
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FASTEMBED_CACHE_PATH", raising=False)


def _named(name: str, models: list[AvailableModel]) -> AvailableModel:
    (model,) = (model for model in models if model.name == name)
    return model


def test_the_defaults_need_nothing_and_stand_first(built_cache: Path) -> None:
    models = available_models(cache_dir=built_cache, locate=lambda: None)

    # Another test may have made the int8 form in the same cache.
    usable = [model for model in models if model.usable and not model.name.endswith(":int8")]
    assert [(model.name, model.kind, model.dimension) for model in usable] == [
        (MODEL_ID, ModelKind.DENSE, 384),
        ("Qdrant/bm25", ModelKind.SPARSE, None),
    ]
    assert all(model.needs == "" for model in usable)
    assert models[0] == usable[0]


def test_every_other_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    models = available_models(cache_dir=tmp_path, locate=lambda: None)

    assert "pip install" in _named(MODEL_ID, models).needs
    large = _named("BAAI/bge-large-en-v1.5", models)
    assert (large.usable, large.dimension, large.needs) == (
        False,
        1024,
        "a download at first use",
    )
    assert large.size_gb > 1

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    offline = available_models(cache_dir=tmp_path, locate=lambda: None)
    assert "forbids" in _named("BAAI/bge-large-en-v1.5", offline).needs
    assert list(tmp_path.iterdir()) == []
