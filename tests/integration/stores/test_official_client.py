"""Qdrant's own client as the store loads it: without FastEmbed, and no request of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings

from citeloom.testing.chunks import collection
from citeloom_qdrant.index import QdrantServerIndex
from citeloom_qdrant.official_client import without_fastembed
from tests.fakes.qdrant_server import LocalQdrant, serving

NAME = "papers"

LOADED = """
import sys
from citeloom.domain.errors import IndexUnavailable
from citeloom_qdrant.index import QdrantServerIndex
try:
    QdrantServerIndex.connect("http://127.0.0.1:9", timeout=2).binding("papers")
except IndexUnavailable:
    print(*(name for name in ("qdrant_client", "fastembed", "onnxruntime") if name in sys.modules))
import fastembed
print(fastembed.TextEmbedding.__name__)
"""


def test_a_request_loads_no_fastembed_which_is_there_afterwards() -> None:
    printed = subprocess.run(
        [sys.executable, "-c", LOADED],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert printed == ["qdrant_client", "TextEmbedding"]


def test_other_threads_load_fastembed_meanwhile() -> None:
    found: list[object] = []
    code = "import importlib.util; found.append(importlib.util.find_spec('fastembed'))"
    hidden = {name: sys.modules.pop(name) for name in [*sys.modules] if name == "fastembed"}
    try:
        with without_fastembed():
            other = threading.Thread(target=exec, args=(code, {"found": found}))
            other.start()
            other.join()
    finally:
        sys.modules.update(hidden)
    assert found[0] is not None


def test_a_key_over_http_on_this_machine_is_sent_without_a_warning_or_a_check() -> None:
    server = LocalQdrant(key="whole", version="1.2.0")
    with serving(server) as url, warnings.catch_warnings():
        warnings.simplefilter("error")
        index = QdrantServerIndex.connect(url, api_key="whole")
        assert index.binding(NAME) is None
        index.close()
    assert [path for _, path in server.requests] == ["/aliases", f"/collections/{NAME}"]


def test_a_closed_store_opens_its_connections_again() -> None:
    server = LocalQdrant()
    with serving(server) as url:
        index = QdrantServerIndex.connect(url)
        index.create(collection(NAME))
        index.close()
        index.refresh()
        assert index.binding(NAME) == collection(NAME)
        index.close()
