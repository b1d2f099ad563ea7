"""The promises of a vector index, kept in memory, in Qdrant Edge and by a stand-in for a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.testing.chunks import collection
from tests.contract.vector_index.kinds import *  # noqa: F403 - the promises are the tests
from tests.contract.vector_index.kinds import store_of

KINDS = ("memory", "edge", "holder", "joined", "client")


@pytest.mark.parametrize("store", ["memory", "edge", "holder", "client"])
def test_closing_twice_does_no_harm(store: str, memory_folder: Path) -> None:
    index = store_of(store, memory_folder)
    index.create(collection("contract"))
    index.close()
    index.close()
    assert store == "client" or index.binding("contract") == collection("contract")
