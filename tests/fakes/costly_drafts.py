"""Small drafts that take a reader without end, or more memory than a machine has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from citeloom.infrastructure.conversion.processor_time import processor_seconds
from tests.e2e.processes import wait_until

_LONG = 0.5
"""Seconds of processor time that Pandoc takes for no small draft but an endless one."""
ENDLESS = "[a](" * 300
"""Markdown that takes as much time again with each link, in next to no memory."""


def _commands() -> str:
    """Ten commands, each ten times the one before."""
    defined = ["\\newcommand{\\a}{lolololol}"]
    for name, before in zip("bcdefghijkl", "abcdefghijk"):
        ten = f"\\{before}" * 10
        defined.append(f"\\newcommand{{\\{name}}}{{{ten}}}")
    return "\n".join(defined)


def _aliases() -> str:
    """A YAML list, then lists of ten times the list before."""
    lists = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    for name, before in zip("bcdefghij", "abcdefghi"):
        lists.append(f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]")
    return "\n".join(lists)


COSTLY = {
    "commands.tex": f"{_commands()}\n\\begin{{document}}\\l\\end{{document}}",
    "commands.md": f"{_commands()}\n\n$\\l$\n",
    "brackets.md": "[" * 20_000,
    "links.md": "[a](" * 12_000,
    "braces.tex": "{" * 40_000,
    "quotations.md": ">" * 100_000,
    "endless.md": ENDLESS,
    "items.md": "- " * 24_000,
    "aliases.md": f"---\n{_aliases()}\n---\n\ntext\n",
}
"""By the name of the file."""


def programs_of(parent: int, name: str = "pandoc") -> list[int]:
    """The ids of the running processes of that program that a process has started."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc to see processes")
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            status = (process / "stat").read_text(encoding="utf-8", errors="replace")
            command = (process / "cmdline").read_bytes().split(b"\0")[0].decode()
        except OSError:
            continue  # it has ended
        state, parent_id = status.rpartition(")")[2].split()[:2]
        if int(parent_id) == parent and state != "Z" and Path(command).name == name:
            found.append(int(process.name))
    return found


def endless_program_of(parent: int, running: subprocess.Popen[bytes] | None = None) -> int:
    """The id of the one Pandoc among the children of a process that goes on and on, once there is
    one: another may come before it, and end.
    """
    found: list[int] = []

    def is_there() -> bool:
        found[:] = [pid for pid in programs_of(parent) if (processor_seconds(pid) or 0) > _LONG]
        return bool(found)

    wait_until(is_there, running)
    [pid] = found
    return pid


def is_running(pid: int) -> bool:
    """Whether a process runs: one that has ended and is not reaped does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
