"""The watch as a process of its own: what happens to files reaches the index, kills and all."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest

from citeloom.infrastructure.answers.ingests import IngestAnswer
from tests.described import assert_described
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.processes import processes_in, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals"),
]

_KILLS = 3


def note_about(subject: str) -> str:
    sentences = (f"Plot {n} of {subject} was measured in the wet spring." for n in range(1, 30))
    return f"# {subject.title()}\n\n" + " ".join(sentences) + "\n"


@contextmanager
def watching(desk: Desk) -> Iterator[subprocess.Popen[str]]:
    """A watch that has looked at what is there."""
    with desk.start("watch", "--settle", "0.3", "--sweep", "5", "--json") as running:
        try:
            wait_until(lambda: "watching" in desk.stderr_file.read_text(encoding="utf-8"), running)
            yield running
        finally:
            running.kill()
            running.communicate()
    wait_until(lambda: processes_in(desk.folder) == [])


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    made = make_desk("watch")
    made.configure(project_table(SMALL))
    made.library.mkdir(exist_ok=True)
    return made


def states(desk: Desk) -> dict[str, str]:
    """The state of each document, as another process is told."""
    outcome = desk.run("list", "--json")
    return {one["path"]: one["state"] for one in outcome.json} if outcome.code == 0 else {}


def until(desk: Desk, holds: Callable[[dict[str, str]], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds(seen := states(desk)):
        assert time.monotonic() < deadline, seen
        time.sleep(0.2)


def test_a_report_has_the_keys_of_its_description(desk: Desk) -> None:
    (desk.library / "rye.md").write_text(note_about("rye"), encoding="utf-8")
    with watching(desk) as running:
        assert running.stdout is not None
        assert_described(json.loads(running.stdout.readline()), IngestAnswer)


def test_files_that_come_change_move_and_go_are_followed(desk: Desk) -> None:
    rye, oats, moved = (desk.library / name for name in ("rye.md", "oats.md", "old/rye.md"))
    rye.write_text(note_about("rye"), encoding="utf-8")
    with watching(desk) as running:
        until(desk, lambda seen: seen == {"library/rye.md": "indexed"})
        oats.write_text(note_about("oats"), encoding="utf-8")
        until(desk, lambda seen: seen.get("library/oats.md") == "indexed")
        moved.parent.mkdir()
        rye.rename(moved)
        until(desk, lambda seen: seen.keys() == {"library/oats.md", "library/old/rye.md"})
        oats.unlink()
        until(desk, lambda seen: seen == {"library/old/rye.md": "indexed"})
        running.send_signal(signal.SIGTERM)
        lines, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "stopped" in desk.stderr_file.read_text(encoding="utf-8")
    reports = [json.loads(line) for line in lines.splitlines()]
    assert [report["indexed"] for report in reports[:2]] == [
        ["library/rye.md"],
        ["library/oats.md"],
    ]
    assert reports[-1]["pruned"] == ["library/oats.md"]
    assert {chunk.source_path for chunk in desk.chunks()} == {"library/old/rye.md"}


def test_a_folder_that_vanishes_takes_no_document_with_it(desk: Desk) -> None:
    (desk.library / "rye.md").write_text(note_about("rye"), encoding="utf-8")
    with watching(desk):
        until(desk, lambda seen: seen == {"library/rye.md": "indexed"})
        desk.library.rename(desk.folder / "elsewhere")
        desk.library.mkdir()
        wait_until(lambda: "no files in" in desk.stderr_file.read_text(encoding="utf-8"))
        assert states(desk) == {"library/rye.md": "indexed"}
        shutil.rmtree(desk.library)
        (desk.folder / "elsewhere").rename(desk.library)
        (desk.library / "oats.md").write_text(note_about("oats"), encoding="utf-8")
        until(desk, lambda seen: len(seen) == 2)


def test_killed_at_any_moment_nothing_is_lost(desk: Desk) -> None:
    random = Random(20261122)
    names = [f"note{n}.md" for n in range(_KILLS * 3)]
    for kill in range(_KILLS):
        with watching(desk) as running:
            for name in names[kill * 3 : kill * 3 + 3]:
                (desk.library / name).write_text(note_about(name), encoding="utf-8")
            time.sleep(random.uniform(0.5, 4.0))
            running.kill()
    with watching(desk):
        until(desk, lambda seen: len(seen) == len(names) and set(seen.values()) == {"indexed"})
    stored = desk.chunks()
    assert {chunk.source_path for chunk in stored} == {f"library/{name}" for name in names}
    assert desk.must("validate", "--project", SMALL).code == 0
