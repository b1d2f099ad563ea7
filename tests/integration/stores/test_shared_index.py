"""The shared index among processes: its owner, its clients, and the takeover."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import sys
import time
from collections.abc import Iterator
from itertools import islice
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path
from threading import Thread

import pytest

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.stores.qdrant.edge.folder import read_owner
from citeloom.infrastructure.stores.qdrant.edge.optimizer import OptimizerProcess
from citeloom.infrastructure.stores.qdrant.edge.owner_index import (
    MOST_TEXTS,
    SharedDense,
    SharedIndex,
)
from citeloom.infrastructure.stores.qdrant.edge.owner_server import (
    CollectionServer,
    SharedEmbedders,
)
from citeloom.testing.chunks import EVERYTHING, collection, embedded, library
from tests.copies import copy_folder
from tests.fakes.embedders import HashingDense, TermHashSparse
from tests.fakes.holding import HoldingProcess, python, shared_index

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

NAME = "papers"

LIGHT = """
import sys
before = set(sys.modules)
import citeloom.infrastructure.stores.qdrant.edge.owner_index
heavy = {"qdrant_edge", "qdrant_client", "onnxruntime", "fastembed", "numpy", "pydantic",
         "filelock"}
print(*sorted(heavy & (set(sys.modules) - before)))
"""


@pytest.fixture
def holding(memory_folder: Path) -> Iterator[HoldingProcess]:
    """Another process that is the owner of the collection."""
    process = HoldingProcess(memory_folder)
    process.acquire(NAME)
    yield process
    process.kill()


@pytest.fixture
def joined(holding: HoldingProcess) -> Iterator[SharedIndex]:
    """An index that is a client of the other process."""
    index = shared_index(holding.root, answer_timeout=2.0)
    index.create(collection(NAME))
    yield index
    index.close()


def shards(root: Path) -> list[Path]:
    return list((root / NAME).glob("shard-*"))


def test_a_client_loads_nothing_heavy() -> None:
    assert python(LIGHT).communicate()[0].strip() == ""


# --- taking over ---------------------------------------------------------------------------------


def test_writes_not_flushed_are_replayed_when_the_owner_is_killed(
    holding: HoldingProcess, joined: SharedIndex
) -> None:
    joined.upsert(NAME, [embedded("safe")])
    joined.flush(NAME)
    joined.upsert(NAME, [embedded("a"), embedded("b")])
    joined.delete(NAME, EVERYTHING, keep=frozenset({"a", "safe"}))
    holding.kill()
    assert joined.chunk_ids(NAME, EVERYTHING) == {"safe", "a"}
    assert joined.acquire(NAME)


def test_clients_continue_when_the_owner_ends(holding: HoldingProcess, joined: SharedIndex) -> None:
    joined.upsert(NAME, [embedded("a")])
    holding.close()
    assert joined.chunk_ids(NAME, EVERYTHING) == {"a"}
    joined.close()
    assert read_owner(holding.root / NAME) is None
    assert not (holding.root / NAME / "socket").exists()


def test_a_server_is_found_only_once_it_is_started(memory_folder: Path) -> None:
    (memory_folder / NAME).mkdir()
    server = CollectionServer(memory_folder / NAME, "starting", lambda _call, _arguments: None)
    before = read_owner(memory_folder / NAME)
    server.start()
    after = read_owner(memory_folder / NAME)
    server.close()
    assert before is None
    assert after is not None
    assert after.address != ""


def test_a_server_that_cannot_be_found_leaves_no_socket(memory_folder: Path) -> None:
    (memory_folder / NAME / "holder").mkdir(parents=True)
    server = CollectionServer(memory_folder / NAME, "starting", lambda _call, _arguments: None)
    with pytest.raises(IsADirectoryError):
        server.start()
    assert not (memory_folder / NAME / "socket").exists()


def test_an_owner_that_ends_is_connected_to_no_more(memory_folder: Path) -> None:
    (memory_folder / NAME).mkdir()
    server = CollectionServer(memory_folder / NAME, "ending", lambda _call, _arguments: None)
    server.start()
    owner = read_owner(memory_folder / NAME)
    assert owner is not None
    server.stop()
    with pytest.raises(OSError):  # noqa: PT011 - refused, or no such file
        Client(owner.address)
    ending = read_owner(memory_folder / NAME)
    assert ending is not None
    assert ending.address == ""
    server.close()


def test_a_third_process_finds_the_new_owner(holding: HoldingProcess, joined: SharedIndex) -> None:
    holding.kill()
    joined.upsert(NAME, [embedded("a")])
    third = shared_index(holding.root)
    assert third.chunk_ids(NAME, EVERYTHING) == {"a"}
    assert not third.acquire(NAME)
    joined.close()
    assert third.chunk_ids(NAME, EVERYTHING) == {"a"}
    assert third.acquire(NAME)
    third.close()


def test_a_suspended_owner_is_named_and_blocks_nobody(
    holding: HoldingProcess, joined: SharedIndex
) -> None:
    joined.upsert(NAME, [embedded("a")])
    pid = holding.process.pid
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED)
    newcomer = shared_index(holding.root, answer_timeout=2.0)
    began = time.monotonic()
    for index in (joined, newcomer):
        with pytest.raises(IndexLocked, match=rf"process {pid} \(holding\), which") as refused:
            index.count(NAME, EVERYTHING)
        assert f"kill {pid}" in refused.value.hint
    assert time.monotonic() - began < 10
    os.kill(pid, signal.SIGCONT)
    assert joined.count(NAME, EVERYTHING) == newcomer.count(NAME, EVERYTHING) == 1
    newcomer.close()


def test_an_owner_of_another_version_is_named(memory_folder: Path) -> None:
    (memory_folder / NAME).mkdir()
    first = shared_index(memory_folder, purpose="first")
    first.create(collection(NAME))
    owner = json.loads((memory_folder / NAME / "holder").read_text())
    (memory_folder / NAME / "holder").write_text(json.dumps(owner | {"protocol": 999}))
    second = shared_index(memory_folder)
    with pytest.raises(IndexLocked, match=r"\(first\) of another version"):
        second.count(NAME, EVERYTHING)
    first.close()


def test_the_files_of_a_killed_owner_do_not_prevent_a_takeover(memory_folder: Path) -> None:
    first = HoldingProcess(memory_folder)
    first.acquire(NAME)
    first.kill()
    assert read_owner(memory_folder / NAME) is not None
    second = shared_index(memory_folder)
    second.create(collection(NAME))
    assert second.count(NAME, EVERYTHING) == 0
    second.close()


def test_a_copy_of_a_folder_in_use_is_an_index_of_its_own(
    holding: HoldingProcess, joined: SharedIndex, tmp_path: Path
) -> None:
    joined.upsert(NAME, [embedded("a")])
    joined.flush(NAME)
    copied = tmp_path / "copied"
    copy_folder(holding.root, copied, ignore=shutil.ignore_patterns("socket"))
    assert read_owner(holding.root / NAME) is not None
    assert read_owner(copied / NAME) is None
    copy = shared_index(copied)
    copy.upsert(NAME, [embedded("b")])
    copy.flush(NAME)
    assert (copy.count(NAME, EVERYTHING), joined.count(NAME, EVERYTHING)) == (2, 1)
    copy.close()


def test_the_socket_of_a_long_path_is_elsewhere(memory_folder: Path) -> None:
    root = memory_folder / ("long" * 30)
    first, second = shared_index(root), shared_index(root)
    first.create(collection(NAME))
    second.upsert(NAME, [embedded("a")])
    owner = read_owner(root / NAME)
    assert owner is not None
    private = Path(owner.address).parent
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    second.close()
    first.close()
    assert not private.exists()


# --- who is let in -------------------------------------------------------------------------------


def test_who_holds_a_collection_is_known_without_opening_it(
    holding: HoldingProcess, joined: SharedIndex, tmp_path: Path
) -> None:
    assert joined.has_other_owner(NAME)
    alone = shared_index(tmp_path)
    assert not alone.has_other_owner(NAME)
    alone.create(collection(NAME))
    assert not alone.has_other_owner(NAME)
    alone.close()


def test_only_this_user_may_connect(holding: HoldingProcess) -> None:
    owner = read_owner(holding.root / NAME)
    assert owner is not None
    for file in (Path(owner.address), holding.root / NAME / "holder"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(AuthenticationError):
        Client(owner.address, authkey=b"guessed")


def test_a_silent_connection_blocks_nobody(holding: HoldingProcess, joined: SharedIndex) -> None:
    owner = read_owner(holding.root / NAME)
    assert owner is not None
    silent = [Client(owner.address) for _ in range(5)]
    assert joined.count(NAME, EVERYTHING) == 0
    for connection in silent:
        connection.close()


# --- questions embedded by the owner ------------------------------------------------------------


def test_the_owner_embeds_questions_with_its_models(memory_folder: Path) -> None:
    lent = SharedEmbedders(
        dense={HashingDense().model_id: HashingDense},
        sparse={TermHashSparse().model_id: TermHashSparse},
    )
    owner, asking = shared_index(memory_folder, models=lent), shared_index(memory_folder)
    owner.create(collection(NAME))
    dense, sparse = HashingDense(), TermHashSparse()
    assert asking.ask_owner(NAME, dense.model_id, "embed_dense", "wheat") == dense.embed_query(
        "wheat"
    )
    assert asking.ask_owner(NAME, sparse.model_id, "embed_sparse", "wheat") == sparse.embed_query(
        "wheat"
    )
    both = ["wheat was sown", "rye was cut"]
    assert asking.ask_owner(NAME, dense.model_id, "embed_texts", both) == dense.embed_passages(both)
    assert asking.ask_owner(NAME, "another", "embed_texts", both) is None
    assert asking.ask_owner(NAME, "another", "embed_dense", "wheat") is None
    assert asking.ask_owner(NAME, "another", "embed_sparse", "wheat") is None
    assert owner.ask_owner(NAME, dense.model_id, "embed_dense", "wheat") is None
    asking.close()
    owner.close()


class NotLoaded(HashingDense):
    """A model that has to be loaded before it embeds."""

    @property
    def is_loaded(self) -> bool:
        return False


def test_the_sentences_of_an_answer_are_embedded_by_the_owner_too(memory_folder: Path) -> None:
    lent = SharedEmbedders(dense={HashingDense().model_id: HashingDense})
    owner, asking = shared_index(memory_folder, models=lent), shared_index(memory_folder)
    owner.create(collection(NAME))
    dense = SharedDense(HashingDense().model_id, _never_built, asking, NAME)
    assert dense.embed_passages(["rye was cut"]) == HashingDense().embed_passages(["rye was cut"])
    with pytest.raises(AssertionError, match="of its own"):
        dense.embed_passages(["rye was cut"] * (MOST_TEXTS + 1))
    asking.close()
    owner.close()


def _never_built() -> HashingDense:
    raise AssertionError("this process built a model of its own")


def test_no_owner_loads_a_model_for_another_process(memory_folder: Path) -> None:
    lent = SharedEmbedders(dense={NotLoaded().model_id: NotLoaded})
    owner, asking = shared_index(memory_folder, models=lent), shared_index(memory_folder)
    owner.create(collection(NAME))
    assert asking.ask_owner(NAME, NotLoaded().model_id, "embed_dense", "wheat") is None
    assert asking.ask_owner(NAME, NotLoaded().model_id, "embed_texts", ["wheat"]) is None
    asking.close()
    owner.close()


# --- calls ---------------------------------------------------------------------------------------


def test_an_abandoned_scroll_does_no_harm(joined: SharedIndex) -> None:
    joined.upsert(NAME, library(700, seed=1))
    scroll = joined.scroll(NAME, EVERYTHING)
    assert len(list(islice(scroll, 10))) == 10
    assert joined.count(NAME, EVERYTHING) == 700
    assert len(list(scroll)) == 690


def test_a_scroll_continues_with_the_next_owner(
    holding: HoldingProcess, joined: SharedIndex
) -> None:
    joined.upsert(NAME, library(700, seed=1))
    scroll = joined.scroll(NAME, EVERYTHING)
    seen = {stored.chunk.id for stored in islice(scroll, 10)}
    holding.kill()
    assert len(seen | {stored.chunk.id for stored in scroll}) == 700


def test_threads_call_in_parallel(joined: SharedIndex) -> None:
    joined.upsert(NAME, library(300, seed=1))
    counts: list[int] = []

    def count() -> None:
        counts.extend(joined.count(NAME, EVERYTHING) for _ in range(20))

    threads = [Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [300] * 160


def test_every_process_sees_a_promoted_collection(
    holding: HoldingProcess, joined: SharedIndex
) -> None:
    other = shared_index(holding.root)
    other.upsert(NAME, [embedded("old")])
    staged = joined.stage(collection(NAME, generation="second"))
    joined.upsert(staged, [embedded("new")])
    assert other.chunk_ids(NAME, EVERYTHING) == {"old"}
    joined.promote(NAME)
    assert other.chunk_ids(NAME, EVERYTHING) == {"new"}
    other.drop(NAME)
    assert joined.binding(NAME) is None
    joined.create(collection(NAME))
    assert other.count(NAME, EVERYTHING) == 0
    other.close()


# --- optimising ----------------------------------------------------------------------------------


def test_an_optimised_copy_is_swapped_in_with_the_writes_since(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = shared_index(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, library(300, seed=1))
    [before] = shards(memory_folder)
    wait = OptimizerProcess.wait

    def wait_and_write(process: OptimizerProcess) -> None:
        wait(process)
        assert index.count(NAME, EVERYTHING) == 300
        index.upsert(NAME, [embedded("meanwhile"), embedded("gone")])
        index.delete(NAME, EVERYTHING, keep=index.chunk_ids(NAME, EVERYTHING) - {"gone"})

    monkeypatch.setattr(OptimizerProcess, "wait", wait_and_write)
    index.optimize(NAME)
    [after] = shards(memory_folder)
    assert after != before
    assert index.count(NAME, EVERYTHING) == 301
    index.close()
    assert index.count(NAME, EVERYTHING) == 301
    index.close()


def test_an_optimiser_that_fails_leaves_the_collection_as_it_is(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = shared_index(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, library(300, seed=1))
    before = shards(memory_folder)
    monkeypatch.setattr(
        "citeloom.infrastructure.stores.qdrant.edge.optimizer._PROGRAM", "no.such.program"
    )
    with pytest.raises(IndexUnavailable, match=r"Optimising papers failed: .*no"):
        index.optimize(NAME)
    assert shards(memory_folder) == before
    index.upsert(NAME, [embedded("after")])
    assert index.count(NAME, EVERYTHING) == 301
    index.close()


def test_a_collection_promoted_meanwhile_is_left_alone(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = shared_index(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, library(300, seed=1))
    index.upsert(index.stage(collection(NAME, generation="second")), [embedded("new")])
    wait = OptimizerProcess.wait

    def wait_and_promote(process: OptimizerProcess) -> None:
        wait(process)
        index.promote(NAME)

    monkeypatch.setattr(OptimizerProcess, "wait", wait_and_promote)
    index.optimize(NAME)
    assert index.chunk_ids(NAME, EVERYTHING) == {"new"}
    assert len(shards(memory_folder)) == 1
    index.close()


def test_an_owner_killed_while_optimising_leaves_the_collection_whole(
    holding: HoldingProcess, joined: SharedIndex
) -> None:
    joined.upsert(NAME, library(3000, seed=1))
    joined.flush(NAME)
    asking = Thread(target=joined.optimize, args=(NAME,))
    asking.start()
    while len(shards(holding.root)) == 1:
        time.sleep(0.005)
    holding.kill()
    asking.join()
    assert joined.count(NAME, EVERYTHING) == 3000
    assert len(shards(holding.root)) == 1


def test_closing_aborts_an_optimisation(memory_folder: Path) -> None:
    index = shared_index(memory_folder)
    index.create(collection(NAME))
    index.upsert(NAME, library(3000, seed=1))
    failures: list[Exception] = []

    def optimize() -> None:
        try:
            index.optimize(NAME)
        except IndexUnavailable as error:
            failures.append(error)

    asking = Thread(target=optimize)
    asking.start()
    while len(shards(memory_folder)) == 1:
        time.sleep(0.005)
    index.close()
    asking.join()
    index.close()
    assert index.count(NAME, EVERYTHING) == 3000
    index.close()
    assert len(shards(memory_folder)) == 1
    assert len(failures) <= 1
