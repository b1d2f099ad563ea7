from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that is gone after its module: an index of one chunk fills 240 MB of the disk."""
    folder = tmp_path_factory.mktemp("module")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
