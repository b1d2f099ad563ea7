from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_IN_MEMORY = Path("/dev/shm")


@contextmanager
def in_memory() -> Iterator[Path]:
    """A folder that goes, in memory where that can be."""
    place = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one: a store that syncs often is slow to make on disk."""
    with in_memory() as folder:
        yield folder
