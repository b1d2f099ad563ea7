"""The thresholds of the PDF engine, read from its constants and the comments beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PACKAGE = Path(__file__).resolve().parent
_HEAD = """\
# Thresholds of the PDF engine

[docs/pdf.md](../pdf.md) says how PDFs are read, and on what these numbers were set. A value without
a unit is a count. *Of the font size*, *of the width* and the like are shares of that.
"""


class Threshold(NamedTuple):
    """A number that decides: its name, its value as written, and what is said of it."""

    name: str
    value: str
    comment: str


def thresholds(path: Path) -> Iterator[Threshold]:
    """The numbers at the top level of a module."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and _is_number(node.value):
            target = ast.unparse(node.targets[0]).strip("()")
            comment = _comment(lines, node.lineno - 1, (node.end_lineno or node.lineno) - 1)
            yield Threshold(target, ast.unparse(node.value).strip("()"), comment)


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_number, node.elts))
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _comment(lines: list[str], first: int, last: int) -> str:
    """The comment beside a constant, within its parentheses, or in the lines directly above."""
    beside = [line.partition("  # ")[2] for line in lines[first : last + 1]]
    above: list[str] = []
    while first and lines[first - 1].startswith("# "):
        first -= 1
        above.insert(0, lines[first][2:])
    return " ".join(filter(None, [*above, *beside])).replace("|", "\\|")


def thresholds_page() -> str:
    """The page: one table for each module that has thresholds."""
    page = _HEAD
    for path in sorted(_PACKAGE.rglob("*.py")):
        listed = list(thresholds(path))
        if listed:
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            page += (
                f"\n## {path.relative_to(_PACKAGE).as_posix()}\n\n{' '.join(docstring.split())}\n"
            )
            page += "\n| constant | value | what it is |\n|---|---|---|\n"
            page += "".join(f"| `{t.name}` | {t.value} | {t.comment} |\n" for t in listed)
    return page
