"""Worker processes that start fast under a test runner."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def spawn_without_main() -> Iterator[None]:
    """Keep spawned processes from importing the test runner, as they do with any main module."""
    main = sys.modules["__main__"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "__spec__", None)
        patch.delattr(main, "__file__", raising=False)
        yield
