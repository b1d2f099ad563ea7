"""Results on stdout, plain wherever nobody watches, and no noise when the reader leaves."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest

from tests.e2e.command import COMMAND, Desk


def run_into(desk: Desk, stdout: int, *args: str, **env: str) -> tuple[int, str]:
    """The exit code and the stderr of a command whose stdout is the given descriptor."""
    done = subprocess.run(
        [*COMMAND, *args],
        cwd=desk.folder,
        env={**desk.environment, **env},
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    os.close(stdout)
    return done.returncode, done.stderr


def watched(desk: Desk, *args: str, **env: str) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    code, _ = run_into(desk, theirs, *args, **env)
    assert code == 0
    with os.fdopen(ours, "rb") as terminal:
        return terminal.read1().decode()


@pytest.mark.parametrize(
    ("args", "unbuffered"),
    [
        (("inspect", "--json", "--sample", "100"), ""),
        (("projects",), ""),
        (("projects",), "1"),
        (("--help",), ""),
    ],
)
def test_a_reader_who_leaves_ends_a_command_quietly(
    ingested: Desk, args: tuple[str, ...], unbuffered: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert run_into(ingested, writing, *args, PYTHONUNBUFFERED=unbuffered) == (0, "")


def test_a_terminal_gets_colour_unless_it_is_not_wanted(ingested: Desk) -> None:
    question = ("query", "clay", "-k", "1", "--mode", "sparse")
    assert "\x1b[1m[@tanaka2017, p. " in watched(ingested, *question, TERM="xterm")
    assert "\x1b" not in watched(ingested, *question, TERM="xterm", NO_COLOR="1")


def test_stdout_holds_the_result_and_nothing_else(small: Desk) -> None:
    outcome = small.spawn("-v", "ingest", "--force", "--json")
    assert outcome.json["project"] == "lab/small"
    assert "indexed: " in outcome.err
    assert "\x1b" not in outcome.out + outcome.err


def test_version_and_help_are_results(ingested: Desk) -> None:
    assert ingested.spawn("--version").out.startswith("citeloom ")
    assert ingested.spawn("-h").out.startswith("Usage: ")
