"""Write the reference pages from the code: commands, configuration, errors, JSON, thresholds.

With `--check` nothing is written; a page that no longer agrees with the code fails.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import citeloom_pdf
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.app import app
from citeloom.infrastructure.interfaces.error_codes import EXIT_CODES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # so that the script, run as a file, finds its neighbours
from scripts.json_reference import json_page  # noqa: E402
from scripts.settings_reference import settings_reference  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
COMMANDS = """\
# Commands

Results go to stdout, everything else to stderr. The exit codes are in [errors.md](errors.md).
"""
ERRORS = """\
# Errors and exit codes

Every error has a code that does not change, a message in plain words and a hint with the next
step. On the command line it ends the process with the exit code beside it; over MCP the result of
the tool is an error with the code, and a correlation id.

| code | exit code | what it means |
|---|---|---|
"""
ENDINGS = """
Besides these: 0, done (finding nothing is done, too, for an ingest of folders without documents as
for a query; `validate` then fails); 2, wrong usage; 3, finished, but some documents failed; 4,
`validate`, `repair` or `zotero doctor` has findings; 70, a fault in citeloom; 130, interrupted.
"""
THRESHOLDS = """\
# Thresholds of the PDF engine

[docs/pdf.md](../pdf.md) says how PDFs are read, and on what these numbers were set. A value without
a unit is a count. *Of the font size*, *of the width* and the like are shares of that.
"""


def help_of(*command: str) -> str:
    """What `--help` prints for a command."""
    runner = CliRunner(env={"COLUMNS": "96", "NO_COLOR": "1"})
    result = runner.invoke(app, [*command, "--help"], prog_name="citeloom")
    return "\n".join(line.rstrip() for line in result.output.strip().splitlines())


def commands_page() -> str:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    names = [(), *command_names(group)]
    sections = ((" ".join(("citeloom", *name)), help_of(*name)) for name in names)
    texts = (f"\n## {title}\n\n```text\n{text}\n```\n" for title, text in sections)
    return COMMANDS + "".join(texts)


def command_names(group: TyperGroup) -> Iterator[tuple[str, ...]]:
    """Each command of the group and of the groups in it, by the words it is called with."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            if command.invoke_without_command:
                yield (name,)
            yield from ((name, *below) for below in command_names(command))
        else:
            yield (name,)


def errors(root: type[CiteloomError] = CiteloomError) -> Iterator[type[CiteloomError]]:
    yield root
    for child in root.__subclasses__():
        yield from errors(child)


def errors_page() -> str:
    rows = (
        f"| `{error.code}` | {EXIT_CODES[error.code]} | {' '.join((error.__doc__ or '').split())} |"
        for error in errors()
    )
    return ERRORS + "\n".join(rows) + "\n" + ENDINGS


class Threshold(NamedTuple):
    """A number that decides: its name, its value as written, and what is said of it."""

    name: str
    value: str
    comment: str


def thresholds(module: str) -> Iterator[Threshold]:
    """The numbers at the top level of a module, with the comment beside each or right above it."""
    lines = module.splitlines()
    for node in ast.parse(module).body:
        if isinstance(node, ast.Assign) and is_number(node.value):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            comments = [line.partition("  # ")[2] for line in lines[first:last]]
            while first and lines[first - 1].startswith("# "):
                first -= 1
                comments.insert(0, lines[first][2:])
            comment = " ".join(filter(None, comments)).replace("|", "\\|")
            name = ast.unparse(node.targets[0]).strip("()")
            yield Threshold(name, ast.unparse(node.value).strip("()"), comment)


def is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(is_number, node.elts))
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def thresholds_page() -> str:
    """One table for each module that has thresholds, below its docstring."""
    page, package = THRESHOLDS, Path(citeloom_pdf.__file__).parent
    for path in sorted(package.rglob("*.py")):
        module = path.read_text(encoding="utf-8")
        if listed := list(thresholds(module)):
            docstring = ast.get_docstring(ast.parse(module)) or ""
            page += (
                f"\n## {path.relative_to(package).as_posix()}\n\n{' '.join(docstring.split())}\n"
            )
            page += "\n| constant | value | what it is |\n|---|---|---|\n"
            page += "".join(f"| `{t.name}` | {t.value} | {t.comment} |\n" for t in listed)
    return page


@cache
def pages() -> Mapping[str, str]:
    """The text of each page by its file's name."""
    return {
        "commands.md": commands_page(),
        "configuration.md": settings_reference(),
        "errors.md": errors_page(),
        "json.md": json_page(),
        "pdf.md": thresholds_page(),
    }


def stale(folder: Path) -> list[str]:
    """The names of the pages in `folder` that are missing or say something else than the code."""
    return [
        name
        for name, text in pages().items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        outdated = stale(FOLDER)
        for name in outdated:
            print(f"docs/reference/{name} does not agree with the code; `make docs` writes it")
        return 1 if outdated else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
