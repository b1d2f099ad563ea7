"""The papers of the HTTP API's tests, as the reading room shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.gate import AccessPolicy, AccessToken
from citeloom.infrastructure.interfaces.http.http_server import create_app
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import library, service

__all__ = ["library", "service"]
TOKEN = "a-token-of-the-tests-that-is-long"
_CSRF = re.compile(r'"X-CSRF-Token": "([0-9a-f]+)"')


def room_of(served: ServedLibrary, token: str | None = None) -> TestClient:
    """A browser on the same machine, without JavaScript."""
    guard = AccessPolicy.of(address="127.0.0.1", hosts=(), origins=(), token=None)
    if token:
        guard = replace(guard, token=AccessToken(token))
    return TestClient(
        create_app(served, guard),
        base_url="http://127.0.0.1:8484",
        raise_server_exceptions=False,
        follow_redirects=False,
    )


@pytest.fixture
def room(service: ServedLibrary) -> Iterator[TestClient]:
    with room_of(service) as client:
        yield client


def csrf_of(page: str) -> str:
    """What the forms of a page send with every change."""
    match = _CSRF.search(page)
    assert match is not None
    return match[1]
