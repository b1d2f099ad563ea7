"""Settings are tested in an environment that says nothing of its own."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("CITELOOM_"):
            monkeypatch.delenv(name)
