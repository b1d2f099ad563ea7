"""`citeloom serve`: other commands find it, and go on without it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.command import Desk
from tests.e2e.processes import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

QUESTION = ("query", "Where is wheat grown?", "--format", "jsonl")
HEAVY = (
    *("onnxruntime", "fastembed", "tokenizers", "huggingface_hub", "qdrant_edge", "qdrant_client"),
    *("numpy", "rich", "structlog", "filelock", "sqlite3"),
)
LOADED = f"""
import sys
HEAVY = {HEAVY}
from citeloom.infrastructure.interfaces.cli.app import main
sys.argv = ["citeloom", *sys.argv[1:]]
try:
    main()
finally:
    print(*sorted(set(HEAVY) & set(sys.modules)), file=sys.stderr)
"""


@contextmanager
def served(desk: Desk) -> Iterator[None]:
    """The project is served, until that is told to stop, which it does in good order."""
    with desk.start("serve", "--no-http") as serving:
        wait_until(
            lambda: "serving project" in desk.stderr_file.read_text(encoding="utf-8"), serving
        )
        yield
        serving.send_signal(signal.SIGTERM)
        serving.communicate(timeout=60)
    assert serving.returncode == 0
    assert desk.stderr_file.read_text(encoding="utf-8").endswith("stopped\n")


def test_a_served_project_answers_the_same_and_nothing_heavy_is_loaded(small: Desk) -> None:
    alone = small.must(*QUESTION).out
    with served(small):
        asked = subprocess.run(
            [sys.executable, "-c", LOADED, *QUESTION],
            cwd=small.folder,
            env=small.environment,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    assert asked.stdout == alone
    assert asked.stderr.strip() == ""


def test_what_is_served_already_is_refused(small: Desk) -> None:
    with served(small):
        refused = small.run("serve", "--no-http")
    assert refused.code == 11
    assert "is already served by process" in refused.err
    assert "(citeloom serve)" in refused.err


def test_an_idle_server_stops(small: Desk) -> None:
    ended = small.spawn("serve", "--no-http", "--idle-timeout", "0.01")
    assert ended.code == 0
    assert "idle for 0.01 minutes: stopped" in ended.err
    assert small.must(*QUESTION).out
