"""A store of another distribution is tested by the promises as docs/extending.md says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.repository import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def run(folder: Path, *, store: str) -> subprocess.CompletedProcess[str]:
    """Some of the promises, for the store of the module `citeloom_disk`."""
    (example,) = (
        block
        for block in re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)
        if "citeloom.testing" in block
    )
    (folder / "citeloom_disk.py").write_text(store, encoding="utf-8")
    (folder / "test_disk.py").write_text(example, encoding="utf-8")
    chosen = ("-k", "keeps_its_binding or storing_twice", "-p", "no:cacheprovider", "-q")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *chosen, "test_disk.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_store_runs_the_promises(tmp_path: Path) -> None:
    edge = "from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex\n"
    done = run(tmp_path, store=edge)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_broken_promise_is_shown_with_its_values(tmp_path: Path) -> None:
    forgetful = """
from citeloom.testing.in_memory import InMemoryIndex

class QdrantEdgeIndex(InMemoryIndex):
    def __init__(self, folder): super().__init__()
    def count(self, name, selection): return 40
"""
    done = run(tmp_path, store=forgetful)
    assert "assert 40 == 20" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
