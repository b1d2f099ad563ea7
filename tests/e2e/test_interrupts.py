"""Ctrl-C ends a run in good order, and the next one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.papers import PAPERS, write_papers, write_references
from tests.e2e.processes import processes_in, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")

BAD = "library/a-bad-one.pdf"
FINISHING = "finishing the current documents; press Ctrl-C again to stop at once"


@pytest.fixture
def unconverted(make_desk: MakeDesk) -> Desk:
    """Six papers behind a bad file, whose line says that the work has begun."""
    desk = make_desk("unconverted")
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    (desk.folder / BAD).write_text("no PDF", encoding="utf-8")
    desk.configure(project_table(SMALL, references="references.json"))
    return desk


def has_printed(desk: Desk, text: str) -> bool:
    return text in desk.stderr_file.read_text(encoding="utf-8")


def press_ctrl_c(running: subprocess.Popen[str]) -> None:
    """What a terminal does: the whole process group gets the signal."""
    os.killpg(running.pid, signal.SIGINT)


def complete(desk: Desk, ingested: Desk) -> None:
    """Mend the bad file's folder, ingest again, and expect what an undisturbed run gives."""
    Path(desk.folder / BAD).unlink()
    desk.must("ingest", "--prune")
    assert desk.chunks() == ingested.chunks()


def test_ctrl_c_keeps_what_is_done_and_the_next_run_goes_on(
    unconverted: Desk, ingested: Desk
) -> None:
    with unconverted.start("ingest") as running:
        wait_until(lambda: has_printed(unconverted, BAD), running)
        press_ctrl_c(running)
        out, _ = running.communicate()
    err = unconverted.stderr_file.read_text(encoding="utf-8")
    assert running.returncode == 130
    assert FINISHING in err
    assert err.endswith(
        "Interrupted: indexed documents are stored. Run the same command to continue.\n"
    )
    done = err.count("  indexed: ")
    assert done < len(PAPERS)
    assert out.startswith(f"{SMALL}: 7 found, {done} indexed, 0 unchanged, 1 failed")
    assert processes_in(unconverted.folder) == []
    complete(unconverted, ingested)


def test_a_second_ctrl_c_stops_at_once_and_leaves_nothing_running(unconverted: Desk) -> None:
    with unconverted.start("ingest") as running:
        wait_until(lambda: has_printed(unconverted, BAD), running)
        press_ctrl_c(running)
        wait_until(lambda: has_printed(unconverted, FINISHING), running)
        press_ctrl_c(running)
        running.communicate()
    assert running.returncode == 130
    assert "Traceback" not in unconverted.stderr_file.read_text(encoding="utf-8")
    wait_until(lambda: processes_in(unconverted.folder) == [])


WHILE_LOADING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000000): pass
            except KeyboardInterrupt as error:
                raise ImportError("as extension modules make of it") from error

sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize("module", ["typer", "numpy"])
def test_ctrl_c_while_a_library_is_imported_is_an_interruption(
    small: Desk, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    source = WHILE_LOADING.format(module=module)
    (small.folder / "sitecustomize.py").write_text(source, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(small.folder), *sys.path]))
    interrupted = small.spawn("query", "clay")
    assert (interrupted.code, interrupted.out) == (130, "")
    assert interrupted.err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in interrupted.err
