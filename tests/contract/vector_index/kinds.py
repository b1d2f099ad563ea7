"""The stores that promise to be vector indexes: each test module beside this one names the `KINDS`
that it runs the promises for, so that slow stores run beside the others.

`holder` is a `SharedIndex` that holds its collections itself, `joined` one that asks another
process for them.

`client` is the adapter of a Qdrant server over HTTP, with the local mode of Qdrant's client behind
a stand-in for a server, and `server` over a real one. The local mode deviates where it has no
engine to ask: it keeps no payload indexes (and warns of it), so their description is checked on the
engines only; and, closed, it forgets, so that reopening is checked where the data outlives the
adapter.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.domain.policies import Mode
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.testing.chunks import EVERYTHING, collection, embedded, library, sparse_vector
from citeloom.testing.in_memory import InMemoryIndex
from citeloom.testing.vector_index import *  # noqa: F403 - the promises are the tests
from citeloom.testing.vector_index import MakeName, hybrid
from citeloom_qdrant.index import QdrantServerIndex
from tests.fakes.holding import HoldingProcess, shared_index
from tests.fakes.postgres import database
from tests.fakes.qdrant_server import LocalQdrant
from tests.memory import in_memory

SERVER = "CITELOOM_TEST_QDRANT_URL"
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture(scope="module")
def holding() -> Iterator[HoldingProcess]:
    """Another process that holds collections."""
    with in_memory() as folder:
        process = HoldingProcess(folder)
        yield process
        process.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what needs an index for every kind of the module."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", metafunc.module.KINDS, scope="module")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The URL of a database for this module."""
    with database() as url:
        yield url


@pytest.fixture(scope="module")
def index(kind: str, request: pytest.FixtureRequest) -> Iterator[VectorIndex]:
    """The store of a kind: every test has a collection of its own in it."""
    with in_memory() as folder:
        if kind == "joined":
            made: VectorIndex = shared_index(request.getfixturevalue("holding").root)
        elif kind in {"postgres", "langchain"}:
            made = _in_postgres(kind, request.getfixturevalue("postgres"))
        else:
            made = store_of(kind, folder)
        yield made
        made.close()


@pytest.fixture(scope="module")  # type: ignore[no-redef] # in place of the promises' own
def new_name(kind: str, request: pytest.FixtureRequest) -> MakeName:
    """Makes names for collections."""

    def make() -> str:
        name = f"contract-{uuid.uuid4().hex[:8]}"
        if kind == "joined":
            request.getfixturevalue("holding").acquire(name)
        return name

    return make


def test_replaced_and_deleted_chunks_weigh_no_words(
    kind: str, index: VectorIndex, name: str
) -> None:
    if kind == "server":
        pytest.skip("a server without deleted points: it counts their words until it optimises")
    index.create(collection(name))
    chunks = library(60, seed=1)
    index.upsert(name, chunks)
    before = _scores_by_words(index, name)

    index.upsert(name, library(60, seed=2))  # other words of the same ids
    random = Random(3)
    index.upsert(
        name,
        [
            embedded(f"deleted-{number}", doc_id="doc-9", sparse=sparse_vector(random))
            for number in range(40)
        ],
    )
    index.delete(name, replace(EVERYTHING, doc_id="doc-9"))
    index.upsert(name, chunks)
    assert _scores_by_words(index, name) == pytest.approx(before, rel=1e-6)


def _scores_by_words(index: VectorIndex, name: str) -> dict[str, float]:
    """The scores of five sparse queries by the query's number and the chunk."""
    search = Search(reader=index, collection=collection(name), statistics=TermStatisticsCache())
    return {
        f"{number} {hit.stored.chunk.id}": hit.score
        for number in range(5)
        for hit in search(replace(hybrid(EVERYTHING, Random(number)), mode=Mode.SPARSE))
    }


def store_of(kind: str, folder: Path) -> VectorIndex:
    """A new store."""
    if kind == "memory":
        return InMemoryIndex()
    if kind == "milvus":
        pytest.importorskip("milvus_lite", reason="needs milvus-lite: citeloom[milvus]")
        store = import_module("citeloom_milvus.index").MilvusIndex
        embedded: VectorIndex = store.embedded(folder / "milvus.db")
        return embedded
    if kind == "edge":
        return QdrantEdgeIndex(folder / "index", optimize_from=1)
    if kind == "holder":
        return shared_index(folder / "index")
    if kind == "client":
        return LocalQdrant().index()
    if SERVER not in os.environ:
        pytest.skip(f"no Qdrant server: {SERVER} is not set")
    return QdrantServerIndex.connect(os.environ[SERVER])


def _in_postgres(kind: str, url: str) -> VectorIndex:
    from citeloom_postgres import (  # noqa: PLC0415 - skipped without it
        connections,
        index,
    )

    database = connections.Database(url)
    if kind == "postgres":
        return index.PostgresIndex(database)
    from citeloom_langchain_tables.index import LangChainIndex  # noqa: PLC0415 - as psycopg

    return LangChainIndex(database)
