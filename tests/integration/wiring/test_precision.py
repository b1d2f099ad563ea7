from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.policies import DEFAULT_DENSE_MODEL as WHOLE
from citeloom.domain.project import Collection, Project, quantised_name
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.wiring.models import in_its_precision
from citeloom.testing.in_memory import InMemoryIndex

INT8 = quantised_name(WHOLE)


def chosen(folder: Path, bound_to: str | None, line: str = "") -> str:
    """The model of a project whose table has this line, and whose collection is bound to one."""
    (folder / "citeloom.toml").write_text(f'[project."lab/rye"]\n{line}\n', encoding="utf-8")
    settings = load_settings(cwd=folder)
    project, index = settings.project("lab/rye"), InMemoryIndex()
    if bound_to:
        index.create(_collection(project, bound_to))
    return in_its_precision(project, settings, lambda: index).embedding_model


def test_a_collection_keeps_the_precision_it_has(tmp_path: Path) -> None:
    assert chosen(tmp_path, WHOLE) == WHOLE
    assert chosen(tmp_path, INT8) == INT8
    assert chosen(tmp_path, "another/model") == WHOLE


def test_a_new_collection_is_quantised_where_the_weights_are(tmp_path: Path) -> None:
    assert chosen(tmp_path, None) == (INT8 if packaged_weights() else WHOLE)


@pytest.mark.parametrize("bound_to", [None, WHOLE, INT8])
def test_a_precision_that_is_asked_for_is_taken(tmp_path: Path, bound_to: str | None) -> None:
    assert chosen(tmp_path, bound_to, 'precision = "fp32"') == WHOLE
    assert chosen(tmp_path, bound_to, 'precision = "int8"') == INT8


def test_another_model_has_one_precision(tmp_path: Path) -> None:
    line = 'embedding_model = "BAAI/bge-small-en-v1.5"'
    assert chosen(tmp_path, None, line) == "BAAI/bge-small-en-v1.5"


def _collection(project: Project, model: str) -> Collection:
    return Collection(
        name=project.collection,
        project_id=project.id,
        generation="g",
        dense_model=model,
        dimension=384,
    )
