"""Shared indexes, and another process that holds collections of one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import citeloom
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex
from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex
from citeloom.infrastructure.stores.qdrant.edge.owner_server import SharedEmbedders

REPOSITORY = Path(__file__).parents[2]
SOURCES = Path(citeloom.__file__).parents[1]

_HOLDER = """
import sys
from pathlib import Path
from tests.fakes.holding import shared_index
index = shared_index(Path(sys.argv[1]), purpose="holding")
for line in sys.stdin:
    held = index.acquire(line.strip())
    print("held" if held else "joined", flush=True)
index.close()
"""


def shared_index(
    root: Path,
    *,
    models: SharedEmbedders | None = None,
    purpose: str = "test",
    answer_timeout: float = 30.0,
    lock_timeout: float = 10.0,
) -> SharedIndex:
    """A shared index that optimises shards of any size."""
    return SharedIndex(
        root,
        open_embedded=lambda: QdrantEdgeIndex(
            root, lock_timeout=0, optimize_from=1, purpose=purpose
        ),
        models=models,
        answer_timeout=answer_timeout,
        lock_timeout=lock_timeout,
        purpose=purpose,
    )


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Another process that runs `code` and can import the project and its tests."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": f"{SOURCES}{os.pathsep}{REPOSITORY}"},
    )


class HoldingProcess:
    """Another process, which becomes the holder of collections on request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.process = python(_HOLDER, str(root))

    def acquire(self, name: str) -> None:
        """Make the other process the holder of a collection."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{name}\n")
        stdin.flush()
        assert stdout.readline() == "held\n"

    def close(self) -> None:
        """Let the process end normally."""
        self.process.communicate(timeout=30)

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.communicate()


class Writer:
    """Another process that stores chunk after chunk, and records what was flushed.

    `after` is a killed writer whose record this one continues.
    """

    def __init__(self, root: Path, name: str, number: int, *, after: Writer | None = None) -> None:
        self.notes: Path = after.notes if after else root / f"acknowledged-{number}"
        self.process = python(_WRITER, str(root), name, str(number), str(self.notes))

    def wait(self) -> None:
        """Return once it is ready to write."""
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.communicate()

    def end(self) -> None:
        """Let the process end normally, after at least one flush."""
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def acknowledged(self) -> list[str]:
        """The ids of the chunks that were flushed."""
        if not self.notes.exists():
            return []
        return [line for line in self.notes.read_text().split("\n")[:-1] if line]


_WRITER = """
import sys
from pathlib import Path
from threading import Event, Thread
from citeloom.testing.chunks import embedded
from tests.fakes.holding import shared_index
root, name, number, notes = sys.argv[1:]
index = shared_index(Path(root))
asked = Event()
Thread(target=lambda: (sys.stdin.read(), asked.set()), daemon=True).start()
print("writing", flush=True)
step = 0
with open(notes, "a") as stream:
    while not (asked.is_set() and step):
        ids = [f"{number}-{step}-{place}" for place in range(8)]
        index.upsert(name, [embedded(one) for one in ids])
        index.flush(name)
        stream.writelines(f"{one}\\n" for one in ids)
        stream.flush()
        step += 1
index.close()
"""
