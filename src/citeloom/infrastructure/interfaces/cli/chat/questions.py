"""Where the questions of a chat come from: a prompt with history, or lines of stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Protocol

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.console import note, shown, tell

PROMPT = "? "
_MORE = "… "
_LONGEST_LINE = 100_000


class Listener(Protocol):
    """Answers what is asked, and follows commands."""

    def begin(self) -> Iterable[str]:
        """Say what there is to say first; the questions asked before, oldest first."""
        ...

    def ask(self, question: str) -> None:
        """Answer a question."""
        ...

    def command(self, line: str) -> bool:
        """Follow a command; whether to go on."""
        ...


def hold(listener: Listener) -> None:
    """Ask and answer until the questions end.

    At a prompt an error is told and the chat goes on; Ctrl-C stops an answer, Ctrl-D ends the chat.
    From a pipe, the first error ends it.
    """
    if sys.stdin.isatty():
        _at_the_prompt(listener)
        return
    for _ in listener.begin():
        pass
    for line in _lines():
        if line.strip():
            listener.ask(line.strip())


def _at_the_prompt(listener: Listener) -> None:
    prompt = Prompt(listener.begin())
    for text in prompt.entries():
        try:
            if not text.startswith("/"):
                listener.ask(text)
            elif not listener.command(text):
                return
        except CiteloomError as error:
            tell(error)
        except KeyboardInterrupt:
            note("stopped")
        sys.stdout.flush()
        note()


class Prompt:
    """Reads entries from a terminal, with the line editing and history of readline if it is there.

    A line that ends in a backslash goes on in the next one. What is pasted is one entry.
    """

    def __init__(self, history: Iterable[str]) -> None:
        self._history = list(history)

    def entries(self) -> Iterator[str]:
        """What is typed, until Ctrl-D; Ctrl-C drops what is being typed."""
        with suppress(ImportError):
            import readline

            for line in self._history:
                readline.add_history(" ".join(shown(line).split()))
        while True:
            try:
                text = _entry().strip()
            except EOFError:
                note()
                return
            except KeyboardInterrupt:
                note()
                continue
            if text:
                yield text


def _entry() -> str:
    lines = [_line(PROMPT)]
    while lines[-1].endswith("\\"):
        lines[-1] = lines[-1].removesuffix("\\")
        lines.append(_line(_MORE))
    return "\n".join(lines)


def _line(prompt: str) -> str:
    """A line of the terminal; the prompt is no part of the result where that goes elsewhere."""
    if sys.stdout.isatty():
        return input(prompt)
    note(prompt, end="")
    sys.stderr.flush()
    line = sys.stdin.readline(_LONGEST_LINE)
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _lines() -> Iterator[str]:
    while line := sys.stdin.readline(_LONGEST_LINE):
        yield line
