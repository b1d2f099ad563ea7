"""Draw what `citeloom query` prints about the sample library, for the README.

The command runs on a terminal of its own, so that the picture has the colours a reader sees.
Without arguments a sample library is made and ingested first; an ingested one may be named instead.
"""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "query.svg"
QUESTION = "What makes a reading room quiet?"
PASSAGES = "2"
COLUMNS = 96
SHOWN = f'citeloom query "{QUESTION}" -k {PASSAGES}'

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


def citeloom(folder: Path, *arguments: str, terminal: int | None = None) -> None:
    """Run a command in `folder`, its results on `terminal` where one is given."""
    subprocess.run(
        [sys.executable, "-m", "citeloom", *arguments],
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "NO_COLOR": ""},
        stdout=terminal,
        check=True,
    )


def answer(folder: Path) -> str:
    """What the query prints on a terminal, escape sequences included."""
    ours, theirs = pty.openpty()
    try:
        citeloom(folder, "query", QUESTION, "-k", PASSAGES, terminal=theirs)
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


def drawn(printed: str) -> str:
    """The command and what it printed as an SVG that needs nothing from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "dim"), (SHOWN, "bold"), "\n"))
    console.print(Text.from_ansi(_LINKS.sub("", printed)))
    svg = console.export_svg(title="citeloom", theme=_THEME)
    plain = _COMMENTS.sub("", _FONT_FACES.sub("", svg))
    spaced = plain.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return spaced.replace("Fira Code, monospace", _FONTS) + "\n"


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(arguments[0]) if arguments else Path(scratch)
        if not arguments:
            maker = Path(__file__).with_name("make_sample_library.py")
            subprocess.run([sys.executable, maker, folder], check=True, stdout=subprocess.DEVNULL)
            citeloom(folder, "ingest")
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_text(drawn(answer(folder)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
