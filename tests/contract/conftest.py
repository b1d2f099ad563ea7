from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory import in_memory


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one: a store that syncs often is slow to make on disk."""
    with in_memory() as folder:
        yield folder
