"""What tests of drafts and styles share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.recorded_requests import Requests, recorded_requests


@pytest.fixture
def requests() -> Iterator[Requests]:
    """A server on this machine that records what it is asked for."""
    with recorded_requests() as requests:
        yield requests
