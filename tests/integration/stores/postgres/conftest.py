from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.postgres import database


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of a database of the test's own; it has no extension yet."""
    with database() as made:
        yield made
