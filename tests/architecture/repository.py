"""Where the project's files lie, and its source as syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomli

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "citeloom"


@dataclass(frozen=True)
class Module:
    """A module of the package: its dotted name, its file and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def lines(self) -> int:
        return len(self.path.read_text(encoding="utf-8").splitlines())


def modules(part: str = "") -> Iterator[Module]:
    """Every module of the package, or of a part of it such as `domain`."""
    for path in sorted((PACKAGE / part).rglob("*.py")):
        dotted = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(dotted).removesuffix(".__init__")
        yield Module(name, path, tree_of(path))


@cache
def tree_of(path: Path) -> ast.Module:
    """A file of the project, parsed once for all tests of a process."""
    return ast.parse(path.read_text(encoding="utf-8"))


def last_name(node: ast.expr) -> str:
    """`Name` of `Name`, `module.Name` and `module.Name[Type]`; of anything else nothing."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def imported(tree: ast.Module) -> Iterator[str]:
    """The dotted names of all modules that a tree imports, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def pyproject() -> dict[str, Any]:
    """The project's own description."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    described: dict[str, Any] = tomli.loads(text)
    return described
