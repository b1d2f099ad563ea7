"""`citeloom chat`: from a pipe and at a prompt; sessions listed, resumed, exported, deleted."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from tests.copies import copy_folder
from tests.e2e.command import COMMAND, Desk, MakeDesk

FIRST = "How much longer does a logger last with a copper collar?"
FOLLOW_UP = "And in winter?"
_PATIENCE = 120.0


@pytest.fixture(scope="module")
def desk(sample: Desk, make_desk: MakeDesk) -> Desk:
    """A copy of the sample library, with no sessions but those of this module."""
    copy = make_desk("chat")
    copy_folder(sample.folder, copy.folder)
    (copy.data / "sessions.sqlite").unlink(missing_ok=True)
    return copy


@pytest.fixture(scope="module")
def chatted(desk: Desk) -> list[dict[str, Any]]:
    """Two turns of a session, as JSON."""
    result = desk.must("chat", "--json", stdin=f"{FIRST}\n\n{FOLLOW_UP}\n")
    return [json.loads(line) for line in result.out.splitlines()]


def test_each_line_of_a_pipe_is_answered_by_one_of_json(chatted: list[dict[str, Any]]) -> None:
    first, second = chatted
    assert (first["question"], first["asked"], first["status"]) == (FIRST, FIRST, "answered")
    assert first["session_id"] == second["session_id"]
    assert second["follow_up"]["method"] == "carried"
    assert second["follow_up"]["carried"] == ["longer", "logger", "last", "copper", "collar"]
    assert second["asked"] == "And in winter? (longer, logger, last, copper, collar)"
    assert (second["question"], second["sent_to"]) == (FOLLOW_UP, None)
    assert second["citations"][0]["citekey"] == "okaforTurbidityBudgetDrift2021"


def test_a_session_is_resumed_and_says_what_it_asked(
    desk: Desk, chatted: list[dict[str, Any]]
) -> None:
    session = chatted[0]["session_id"]
    result = desk.must("chat", "--resume", session, "-k", "2", stdin="Why?\n")
    assert result.out.startswith("Asked: Why? (winter, longer, logger, last, copper, collar)\n\n")
    assert "[@okaforTurbidityBudgetDrift2021, p. " in result.out
    assert f"resuming '{FIRST}'" in result.err
    (listed,) = desk.must("chat", "list", "--json").json
    assert (listed["id"], listed["title"], listed["asked"]) == (session, FIRST, 3)
    assert f"{session}  3 " in desk.must("chat", "list").out


def test_a_session_is_exported_for_pandoc(desk: Desk, chatted: list[dict[str, Any]]) -> None:
    session = chatted[0]["session_id"]
    text = desk.must("chat", "export", session).out
    assert text.startswith(f"# {FIRST}\n")
    assert re.search(r"\n\n[A-Z].+\. \[@okaforTurbidityBudgetDrift2021, pp?\. [\d-]+\]\n", text)
    assert "\n## Sources\n\n- Okafor and Hale 2021, " in text
    whole = desk.must("chat", "export", session, "--json").json
    assert {key: whole["turns"][1][key] for key in chatted[1]} == chatted[1]


def test_unknown_sessions_and_empty_questions_end_as_elsewhere(desk: Desk) -> None:
    for command in (("export", "nowhere"), ("delete", "nowhere"), ("--resume", "nowhere")):
        result = desk.run("chat", *command, stdin="Why?\n")
        assert (result.code, result.out) == (1, "")
        assert "NOT_FOUND" in result.err
    too_long = desk.run("chat", stdin=f"{'x' * 2001}\n{FIRST}\n")
    assert (too_long.code, too_long.out) == (2, "")
    assert "more than 2,000" in too_long.err
    assert desk.must("chat", stdin="").out == ""
    assert desk.run("chat", "--project", "lab/none", stdin="Why?\n").code == 10


def test_a_deleted_session_is_gone(desk: Desk, chatted: list[dict[str, Any]]) -> None:
    shaped = desk.folder / "shaped.toml"
    shape = '\n[project."citeloom/demo".shapes.turn]\nsession = "session_id"\nasked = "asked"\n'
    shaped.write_text(desk.config.read_text(encoding="utf-8") + shape, encoding="utf-8")
    result = desk.must("--config", shaped, "chat", "--as", "turn", stdin=f"{FIRST}\n")
    made = json.loads(result.out)
    assert list(made.items())[1:] == [("asked", FIRST)]
    assert desk.must("chat", "delete", made["session"]).out.endswith("deleted\n")
    left = [one["id"] for one in desk.must("chat", "list", "--json").json]
    assert left == [chatted[0]["session_id"]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_at_a_prompt_there_are_commands(
    desk: Desk, chatted: list[dict[str, Any]], tmp_path: Path
) -> None:
    with closing(Terminal(desk, "chat", "--resume", chatted[0]["session_id"])) as chat:
        chat.sees("? ")
        chat.types("/sources")
        assert "[1] [@okafor" in chat.sees("? ")
        chat.types("/nothing")
        assert "there is no command /nothing" in chat.sees("? ")
        chat.types("/open 99")
        assert "/open takes a number from 1 to" in chat.sees("? ")
        chat.types("What did the collar\\")
        chat.sees("… ")
        chat.types("of copper do?")
        assert "1. " in chat.sees("? ")
        target = tmp_path / "chat.md"
        for message in ("exported to", "cannot be written"):
            chat.types(f"/export {target}")
            assert message in chat.sees("? ")
        assert "What did the collar of copper do?" in target.read_text(encoding="utf-8")
        chat.types("/help")
        assert "/sessions" in chat.sees("? ")
        chat.types("", end="\x04")
        assert chat.ended() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_at_the_prompt_drops_what_is_typed_and_ends_nothing(desk: Desk) -> None:
    with closing(Terminal(desk, "chat")) as chat:
        chat.sees("? ")
        chat.types("How much lon", end="")
        chat.reads("How much lon$")  # Ctrl-C drops what a terminal has, which readline then awaits
        chat.interrupts()
        chat.types("/nothing")
        chat.reads(r"there is no command /nothing\n[^?]*\n\? $")
        chat.types("", end="\x04")
        assert chat.ended() == 0


class Terminal:
    """A command at a pseudo-terminal, which is killed when the patience of a test is at its end."""

    def __init__(self, desk: Desk, *args: str) -> None:
        self._process, self._terminal = import_module("pty").fork()
        if not self._process:
            os.chdir(desk.folder)
            environment = {**desk.environment, "TERM": "dumb", "NO_COLOR": "1"}
            os.execve(COMMAND[0], [*COMMAND, *args], environment)
        self._killer = Timer(_PATIENCE, os.kill, (self._process, signal.SIGKILL))
        self._killer.start()
        self._status: int | None = None

    def types(self, text: str, *, end: str = "\n") -> None:
        """Type it and press Enter, or another key."""
        os.write(self._terminal, (text + end).encode())

    def sees(self, prompt: str) -> str:
        """What is shown up to the next prompt."""
        return self.reads(rf"(?:^|\n){re.escape(prompt)}$")

    def interrupts(self) -> None:
        """Press Ctrl-C until it is noticed: behind a prompt a moment passes in which it is not."""
        shown = ""
        while "\n" not in shown:
            self.types("", end="\x03")
            if select.select([self._terminal], [], [], 2)[0]:
                more = self._read()
                assert more, f"it has ended: {shown}"
                shown += more

    def reads(self, expected: str) -> str:
        """What is shown until it is as expected."""
        shown = ""
        while not re.search(expected, shown.replace("\r", "")):
            more = self._read()
            assert more, f"it has ended: {shown}"
            shown += more
        return shown

    def ended(self) -> int:
        """The exit code, once the command has ended."""
        while self._read():
            pass
        return self._waited()

    def close(self) -> None:
        """End the command, if it has not ended."""
        if self._status is None:
            os.kill(self._process, signal.SIGKILL)
            self._waited()
        os.close(self._terminal)

    def _read(self) -> str:
        """What is shown next; nothing once the command has ended."""
        try:
            return os.read(self._terminal, 10_000).decode(errors="replace")
        except OSError:
            return ""

    def _waited(self) -> int:
        _, status = os.waitpid(self._process, 0)
        self._killer.cancel()
        self._killer.join()
        self._status = os.waitstatus_to_exitcode(status)
        return self._status
