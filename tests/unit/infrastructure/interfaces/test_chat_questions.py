"""Where the questions of a chat come from, and how it goes on after an error."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from types import SimpleNamespace

import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.interfaces.cli import chat_commands as questions
from citeloom.infrastructure.interfaces.cli.chat_commands import Listener, hold


class Heard(Listener):
    """Remembers what it was asked and told; some questions go wrong."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def begin(self) -> Iterable[str]:
        self.said.append("begin")
        return ["an earlier\nquestion"]

    def ask(self, question: str) -> None:
        self.said.append(question)
        if question == "off?":
            raise ModelUnavailable("the model is off", "Turn it on.")
        if question == "slow?":
            raise KeyboardInterrupt

    def command(self, line: str) -> bool:
        self.said.append(line)
        return line != "/quit"


class Keyboard(io.StringIO):
    """A terminal on which these lines are typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | type[BaseException]]]:
    """What is typed: lines, or keys that interrupt; at the end Ctrl-D."""
    lines: list[str | type[BaseException]] = []

    def read(_: str) -> str:
        line = lines.pop(0) if lines else EOFError
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr("builtins.input", read)
    terminal = SimpleNamespace(stdin=Keyboard(), stdout=Keyboard(), stderr=sys.stderr)
    monkeypatch.setattr(questions, "sys", terminal)
    yield lines
    assert lines == []


def test_a_chat_goes_on_after_errors_and_interrupts(
    heard: Heard, typed: list[str | type[BaseException]], capsys: pytest.CaptureFixture[str]
) -> None:
    typed += ["off?", "slow?", KeyboardInterrupt, "", "  why? ", "/sources"]
    hold(heard)
    assert heard.said == ["begin", "off?", "slow?", "why?", "/sources"]
    output = capsys.readouterr().err
    assert "error [MODEL_UNAVAILABLE]: the model is off" in output
    assert "stopped" in output


def test_a_command_may_end_the_chat(heard: Heard, typed: list[str | type[BaseException]]) -> None:
    typed += ["/quit"]
    hold(heard)
    assert heard.said == ["begin", "/quit"]


def test_a_backslash_goes_on_in_the_next_line(
    heard: Heard, typed: list[str | type[BaseException]]
) -> None:
    typed += ["what\\", "about\\", "winter?"]
    hold(heard)
    assert heard.said[1:] == ["what\nabout\nwinter?"]


def test_where_the_result_goes_elsewhere_the_prompt_is_no_part_of_it(
    heard: Heard, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Keyboard("what\\\nelse?\n\n"))
    hold(heard)
    assert heard.said[1:] == ["what\nelse?"]
    result = capsys.readouterr()
    assert (result.out, result.err.startswith("? … \n? ")) == ("", True)


def test_from_a_pipe_the_first_error_ends_it(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("one?\n\n /sources \noff?\nnever?\n"))
    with pytest.raises(ModelUnavailable):
        hold(heard)
    assert heard.said == ["begin", "one?", "/sources", "off?"]
