"""Draw what commands print about the sample library: `query` for the README, `check` for its page.

The commands run on a terminal of their own, so that the pictures have the colours a reader sees.
Without arguments a sample library is made and ingested first; an ingested one may be named instead.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 96
QUESTION = "What makes a reading room quiet?"


@dataclass(frozen=True)
class Session:
    """Commands run one after another, on a draft where they need one, and their picture."""

    name: str
    commands: tuple[str, ...]
    draft: str = ""

    @property
    def picture(self) -> Path:
        return PICTURES / f"{self.name}.svg"


DRAFT, CORRECTED = "thesis.md", "thesis.corrected.md"
QUERY = Session(name="query", commands=(f'citeloom query "{QUESTION}" -k 2',))
CHECK = Session(
    name="check",
    commands=(
        f"cat {DRAFT}",
        f"citeloom check {DRAFT}",
        f"citeloom check {DRAFT} --fix --write",
        f"citeloom check {CORRECTED}",
    ),
    draft="""\
The quiet room had "the backs of the desks absorbed sound" [@lindqvistSoundReadingRooms2019, p. 42].
Of 212 readers, "only thirteen readers had chosen the quietest part of the room"
[@lindqvistSoundReadingRooms2019, p. 42]; they wanted "the sound of one's own concentration"
[@lindqvistSoundReadingRoom2019, p. 43].
""",
)

_FINDINGS = 4
_LINKS = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\")
_FONT_FACES = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
_COMMENTS = re.compile(r"\s*<!--.*?-->")
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"
_THEME = TerminalTheme(
    (27, 31, 38),
    (214, 219, 227),
    [
        (27, 31, 38),
        (224, 108, 117),
        (152, 195, 121),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (102, 190, 205),
        (214, 219, 227),
    ],
)


def run(folder: Path, command: str, terminal: int | None = None) -> None:
    """Run a command in `folder`, its results on `terminal` where one is given; what `check` finds
    in a draft is no failure.
    """
    program, *arguments = shlex.split(command)
    done = subprocess.run(
        [*((sys.executable, "-m", program) if program == "citeloom" else (program,)), *arguments],
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "NO_COLOR": ""},
        stdout=terminal,
        check=False,
    )
    if done.returncode not in {0, _FINDINGS}:
        raise SystemExit(f"{command} ended with {done.returncode}")


def answer(folder: Path, command: str) -> str:
    """What a command prints on a terminal, escape sequences included."""
    ours, theirs = pty.openpty()
    try:
        run(folder, command, terminal=theirs)
    finally:
        os.close(theirs)
    with os.fdopen(ours, "rb") as terminal:
        return read_to_end(terminal).decode().replace("\r\n", "\n")


def read_to_end(terminal: io.BufferedReader) -> bytes:
    """Everything that was printed on a terminal nobody writes to any more."""
    printed = b""
    while True:
        try:
            block = terminal.read1()
        except OSError:  # how Linux says that the other end is closed
            return printed
        if not block:
            return printed
        printed += block


def drawn(printed: Mapping[str, str]) -> str:
    """Commands and what they printed as an SVG that needs nothing from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for command, output in printed.items():
        console.print(Text.assemble(("$ ", "dim"), (command, "bold"), "\n"))
        console.print(Text.from_ansi(_LINKS.sub("", output)))
    svg = console.export_svg(title="citeloom", theme=_THEME)
    plain = _COMMENTS.sub("", _FONT_FACES.sub("", svg))
    spaced = plain.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return spaced.replace("Fira Code, monospace", _FONTS) + "\n"


def prepare(session: Session, folder: Path) -> None:
    """Put the draft of a session there, and away what an earlier one wrote."""
    (folder / CORRECTED).unlink(missing_ok=True)
    if session.draft:
        (folder / DRAFT).write_text(session.draft, encoding="utf-8")


def draw(session: Session, folder: Path) -> None:
    """Run a session in an ingested library and write its picture."""
    prepare(session, folder)
    printed = {command: answer(folder, command) for command in session.commands}
    session.picture.write_text(drawn(printed), encoding="utf-8")


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments[0]) if arguments else Path(scratch)
        if not arguments:
            maker = Path(__file__).with_name("make_sample_library.py")
            subprocess.run([sys.executable, maker, folder], check=True, stdout=subprocess.DEVNULL)
            run(folder, "citeloom ingest")
        PICTURES.mkdir(parents=True, exist_ok=True)
        for session in (QUERY, CHECK):
            draw(session, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
