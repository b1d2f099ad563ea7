"""Where the project's files lie, and its source as syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
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
        yield Module(name, path, ast.parse(path.read_text(encoding="utf-8")))


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
