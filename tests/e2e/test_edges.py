"""What a system can withhold: streams, folders, files, a home. It is said, and never traced."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import in_process
from tests.e2e.command import COMMAND, SMALL, Desk
from tests.e2e.in_process import Outcome
from tests.fakes.hostile_texts import forbidden

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")

_OBEYING_PERMISSIONS = """
import ctypes, os, sys
DROP_FROM_BOUNDING_SET = 24
IGNORES_PERMISSIONS = (1, 2)
if os.geteuid() == 0 and sys.platform == "linux":
    for capability in IGNORES_PERMISSIONS:
        ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Lets the superuser, too, be refused what a folder's permissions refuse. A program of its own:
what libraries do at a fork, such as gRPC, would be done between a fork and a command.
"""

_IN_TURN = """
import dataclasses, json, pathlib, sys
from tests.e2e.in_process import run

folder, *calls = sys.argv[1:]
ends = [run(*call.split(), folder=pathlib.Path(folder)) for call in calls]
json.dump([dataclasses.asdict(end) for end in ends], sys.stdout)
"""


def run(desk: Desk, *args: str | bytes, stdin: bytes = b"", **env: str) -> Outcome:
    """Run a command that has no more rights than the files give it."""
    done = subprocess.run(
        [sys.executable, "-c", _OBEYING_PERMISSIONS, *COMMAND[1:], *args],
        cwd=desk.folder,
        env={**desk.environment, **env},
        input=stdin,
        capture_output=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def shell(desk: Desk, redirected: str) -> Outcome:
    """Run what a shell makes of `citeloom` and the words behind it."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m citeloom {redirected}', sys.executable],
        cwd=desk.folder,
        env=desk.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("redirected", "code", "message"),
    [
        ("projects >&-", 0, ""),
        ("projects <&- >&- 2>&-", 0, ""),
        ("query clay --project lab/none 2>&-", 10, ""),
        ("query - <&-", 2, "the question is empty"),
        ("projects >/dev/full", 1, "No space left on device"),
    ],
)
def test_streams_may_be_closed_or_full(
    ingested: Desk, redirected: str, code: int, message: str
) -> None:
    if "/dev/full" in redirected and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    outcome = shell(ingested, redirected)
    assert outcome.code == code
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert "Exception" not in outcome.err


def test_what_a_terminal_cannot_encode_is_escaped(ingested: Desk) -> None:
    outcome = run(ingested, "list", "--citekey", "é", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (outcome.code, outcome.err) == (0, "no documents\n")
    refused = run(ingested, "show", "é", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert refused.code == 1
    assert "'\\xe9'" in refused.err


@pytest.mark.parametrize(
    "args",
    [
        ("query", "-"),
        ("query", b"\xff"),
        ("query", "x", "--citekey", b"\xff"),
        ("show", b"\xff"),
        ("delete", "--yes", "--doc", b"\xff"),
        ("list", "--citekey", b"\xff"),
    ],
)
def test_bytes_that_are_no_text_are_refused(ingested: Desk, args: tuple[str | bytes, ...]) -> None:
    words, env = map(os.fsdecode, args), ingested.environment
    outcome = in_process.run(*words, folder=ingested.folder, stdin=b"\xff\xfe", env=env)
    assert outcome.code == 2
    assert outcome.err.startswith("error [INVALID_FILTER]: the ")
    assert "is not text" in outcome.err


@pytest.mark.parametrize(
    "args", [("x\x1b]0;y\x07",), ("list", "--\x9bx"), ("query", "x", "-k", "\x1b[31m")]
)
def test_a_usage_error_repeats_nothing_that_acts(ingested: Desk, args: tuple[str, ...]) -> None:
    outcome = ingested.run(*args)
    assert outcome.code == 2
    assert outcome.err.startswith("Usage: ")
    assert forbidden(outcome.err) == []


def test_a_request_for_completion_that_acts_is_none(ingested: Desk) -> None:
    outcome = run(ingested, "projects", _CITELOOM_COMPLETE="x_\x1b]0;y\x07")
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize("option", ["--source", "--references"])
def test_a_path_that_is_no_text_is_not_written_down(desk: Desk, option: str) -> None:
    outcome = run(desk, "init", option, b"a\xff")
    assert outcome.code == 2
    assert "is not UTF-8 text" in outcome.err
    assert not desk.config.exists()


@pytest.mark.parametrize("command", ["projects", "init", "ingest x", "zotero items"])
def test_the_current_folder_may_be_gone(desk: Desk, command: str) -> None:
    gone = desk.folder / "gone"
    gone.mkdir()
    removed = subprocess.run(
        ["/bin/sh", "-c", f'rmdir "$PWD" && "$0" -m citeloom {command}', sys.executable],
        cwd=gone,
        env=desk.environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert removed.returncode == 14
    assert removed.stderr.startswith("error [CONFIG_ERROR]: ")


def test_a_folder_in_place_of_the_configuration_is_refused(desk: Desk) -> None:
    desk.config.mkdir()
    for args in (("projects",), ("--config", "citeloom.toml", "projects")):
        outcome = desk.run(*args)
        assert outcome.code == 14
        assert "citeloom.toml is not a file" in outcome.err


def test_a_configuration_that_may_not_be_read_is_refused(desk: Desk) -> None:
    desk.config.write_text("", encoding="utf-8")
    desk.config.chmod(0)
    outcome = run(desk, "projects")
    assert outcome.code == 14
    assert "citeloom.toml cannot be read: Permission denied" in outcome.err


def test_init_in_a_folder_that_may_not_be_written_says_so(desk: Desk) -> None:
    desk.folder.chmod(0o555)
    outcome = run(desk, "init")
    desk.folder.chmod(0o755)
    assert outcome.code == 14
    assert "citeloom.toml cannot be written: Permission denied" in outcome.err


def test_a_home_that_is_not_known_is_said(desk: Desk) -> None:
    outcome = desk.run("projects", env={"CITELOOM_PATHS__DATA_DIR": "~nobody-of-that-name/x"})
    assert outcome.code == 14
    assert "the home folder in ~nobody-of-that-name/x is unknown" in outcome.err


def test_an_empty_variable_widens_nothing(ingested: Desk) -> None:
    for args in (
        ("query", "clay", "--citekey", ""),
        ("query", "clay", "--section", ""),
        ("query", "clay", "--tag", " "),
        ("list", "--citekey", "@"),
        ("show", ""),
        ("delete", "--doc", ""),
        ("delete", "--citekey", ""),
    ):
        outcome = ingested.run(*args)
        assert outcome.code == 2, args
        assert "is empty" in outcome.err
    outcome = ingested.run("query", "clay", "--project", "")
    assert outcome.code == 10
    assert "is empty" in outcome.err


def forbid_writing(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


@pytest.fixture
def read_only(small: Desk) -> Iterator[Desk]:
    """The small papers in a folder that may not be written."""
    forbid_writing(small.folder)
    yield small
    for path in (small.folder, *small.folder.rglob("*")):
        path.chmod(0o755)


def run_in_turn(desk: Desk, *calls: str) -> list[Outcome]:
    """Run commands, all in one process that has no more rights than the files give it."""
    done = subprocess.run(
        [sys.executable, "-c", _OBEYING_PERMISSIONS, "-c", _IN_TURN, desk.folder, *calls],
        env={**desk.environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return [Outcome(**end) for end in json.loads(done.stdout)]


def test_a_data_folder_that_may_not_be_written_can_be_read(read_only: Desk) -> None:
    asked = run(read_only, "query", "rounded corners of clay tiles", "-k", "1")
    assert asked.code == 0, asked.err
    assert "tanaka2017" in asked.out
    calls = ("list", "inspect", "projects", "show tanaka2017", "validate", "ingest --dry-run")
    outcomes = run_in_turn(read_only, *calls)
    assert [(read.code, read.err) for read in outcomes[:-1]] == [(0, "")] * 5
    assert outcomes[-1].out.startswith(f"{SMALL}: 6 found, 0 indexed, 6 un")


def test_a_data_folder_that_may_not_be_written_is_not_changed(read_only: Desk) -> None:
    for refused in run_in_turn(read_only, "ingest", "delete --all -y", "repair", "chat"):
        assert refused.code == 13
        assert "cannot be written" in refused.err


def test_what_a_killed_process_left_in_the_log_is_read_too(small: Desk) -> None:
    held = sqlite3.connect(small.data / "manifest.sqlite")
    held.execute("PRAGMA wal_autocheckpoint = 0")
    held.execute("UPDATE documents SET citekey = 'changed' WHERE citekey = 'tanaka2017'")
    held.commit()
    copy = small.folder / "copy.sqlite"
    for suffix in ("", "-wal"):
        stored = (small.data / f"manifest.sqlite{suffix}").read_bytes()
        copy.with_name(copy.name + suffix).write_bytes(stored)
    held.close()
    copy.chmod(0o444)
    script = (
        "import sys, pathlib; from citeloom.infrastructure.sqlite_manifest import SqliteManifest;"
        "manifest = SqliteManifest(pathlib.Path(sys.argv[1]));"
        "print([entry.citekey for entry in manifest.entries('lab/small')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", _OBEYING_PERMISSIONS, "-c", script, copy],
        env=small.environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "'changed'" in done.stdout
