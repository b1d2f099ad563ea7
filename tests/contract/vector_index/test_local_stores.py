"""The promises of a vector index, kept in memory, in Qdrant Edge and by Qdrant's client."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.vector_index.promises import *  # noqa: F403 - the promises are the tests
from tests.contract.vector_index.promises import store_of
from tests.fakes.embedded_chunks import collection

KINDS = ("memory", "edge", "holder", "joined", "client", "local")


@pytest.mark.parametrize("kind", ["memory", "edge", "holder", "client", "local"])
def test_closing_twice_does_no_harm(kind: str, memory_folder: Path) -> None:
    index = store_of(kind, memory_folder)
    index.create(collection("contract"))
    index.close()
    index.close()
    assert kind in {"client", "local"} or index.binding("contract") == collection("contract")
