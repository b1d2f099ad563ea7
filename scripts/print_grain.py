"""Prints how finely the source is cut: `print_grain.py [SOURCE]`. It informs and refuses nothing.

For each folder: its files and lines, the modules of under 120 lines that only one neighbour
imports, and the private functions that are used once. For each walk: the functions and files that
a reader who follows every call by name passes.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SMALL = 120  # lines
WALKS = {
    "query": ("citeloom.application.retrieval.query", "query"),
    "ask": ("citeloom.application.answering.ask", "Ask"),
    "prepare": ("citeloom.application.ingest.prepare", "prepare"),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """A module: its name, file, text and syntax tree, and where its imported names come from."""

    name: str
    path: Path
    text: str
    tree: ast.Module
    origins: dict[str, tuple[str, str]]

    @property
    def lines(self) -> int:
        return self.text.count("\n")


def read(root: Path) -> dict[str, Source]:
    """Every module below the package folder `root`, by name."""
    sources = {}
    for path in sorted(root.rglob("*.py")):
        dotted = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        name, text = dotted.removesuffix(".__init__"), path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        origins = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        sources[name] = Source(name, path, text, tree, origins)
    return sources


def lone(sources: dict[str, Source]) -> set[str]:
    """The modules of under 120 lines that exactly one module imports, of the same folder."""
    importers: dict[str, set[str]] = defaultdict(set)
    for source in sources.values():
        for module, name in source.origins.values():
            target = f"{module}.{name}" if f"{module}.{name}" in sources else module
            if target in sources and target != source.name:
                importers[target].add(source.name)
    return {
        name
        for name, source in sources.items()
        if source.lines < SMALL
        and source.path.name != "__init__.py"
        and len(importers[name]) == 1
        and sources[next(iter(importers[name]))].path.parent == source.path.parent
    }


def used_once(source: Source) -> int:
    """The private functions of a module whose name stands in it twice: defined, and used once."""
    names = [node.name for node in ast.walk(source.tree) if isinstance(node, Function)]
    private = [name for name in names if name.startswith("_") and not name.endswith("__")]
    return sum(len(re.findall(rf"\b{name}\b", source.text)) == 2 for name in private)


def walk(sources: dict[str, Source], module: str, start: str) -> tuple[int, int]:
    """The functions and the files that following every call from class or function `start` passes.

    A call is followed by its name: one of the module, one it imports, or a method of its own class.
    """
    defined = {name: dict(_definitions(source)) for name, source in sources.items()}
    reached, left = set(), [(module, start)]
    while left:
        place = left.pop()
        node = defined.get(place[0], {}).get(place[1])
        if node is None or place in reached:
            continue
        reached.add(place)
        origins = sources[place[0]].origins
        left.extend(origins.get(name, (place[0], name)) for name in _called(node))
    return len(reached), len({name for name, _ in reached})


def _definitions(source: Source) -> Iterator[tuple[str, ast.AST]]:
    for node in source.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node


def _called(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            yield inner.func.id
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            value = inner.func.value
            if isinstance(value, ast.Name):
                yield value.id


def main() -> None:
    """Print the table and the walks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", type=Path, default=Path("src/citeloom"))
    root = parser.parse_args().source
    sources = read(root)
    alone = lone(sources)
    folders: dict[str, Counter[str]] = defaultdict(Counter)
    for name, source in sources.items():
        folder = str(source.path.parent.relative_to(root.parent))
        folders[folder].update(
            files=1, lines=source.lines, lone=name in alone, once=used_once(source)
        )
    folders["all"] = sum(folders.values(), Counter())
    print(f"{'folder':60} files  lines  lone  single-use privates")
    for folder, count in folders.items():
        figures = f"{count['files']:5} {count['lines']:6} {count['lone']:5} {count['once']:6}"
        print(f"{folder:60} {figures}")
    print(f"median lines of a module: {median(s.lines for s in sources.values()):g}")
    for name, (module, start) in WALKS.items():
        functions, files = walk(sources, module, start)
        print(f"walk of {name}: {functions} names in {files} files")


if __name__ == "__main__":
    main()
