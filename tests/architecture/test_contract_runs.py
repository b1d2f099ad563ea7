"""Every adapter of a port, and every fake of one, runs that port's contract suite."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.repository import PACKAGE, ROOT, SOURCE, last_name, tree_of


def classes(folder: Path) -> Iterator[ast.ClassDef]:
    for path in sorted(folder.rglob("*.py")):
        yield from (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef))


def bases(node: ast.ClassDef) -> set[str]:
    """The plain names of a class's bases, without module and type parameters."""
    return {*map(last_name, node.bases)}


def ports() -> set[str]:
    return {
        node.name
        for node in classes(PACKAGE / "application" / "ports")
        if "Protocol" in bases(node)
    }


def descendants(folder: Path, ancestors: set[str]) -> set[str]:
    """The classes below `ancestors` that no other class of the folder builds on."""
    parents = {node.name: bases(node) for node in classes(folder)}
    found: set[str] = set()
    while more := {n for n, b in parents.items() if b & (ancestors | found)} - found:
        found |= more
    return found - set().union(*parents.values())


def without_contract_run(names: set[str], suites: str) -> set[str]:
    return {name for name in names if not re.search(rf"\b{name}\b", suites)}


def suites() -> str:
    folder = ROOT / "tests" / "contract"
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*.py")))


def test_every_adapter_has_a_contract_run() -> None:
    adapters = descendants(SOURCE, ports()) - descendants(PACKAGE / "application", ports())
    assert {"QdrantEdgeIndex", "PostgresIndex", "SqliteManifest"} <= adapters
    assert without_contract_run(adapters, suites()) == set()


def test_every_fake_has_a_contract_run() -> None:
    fakes = descendants(ROOT / "tests" / "fakes", ports())
    assert fakes
    assert without_contract_run(fakes, suites()) == set()


def test_an_adapter_without_a_contract_run_is_found(tmp_path: Path) -> None:
    (tmp_path / "stores.py").write_text(
        "class Store(ports.VectorIndex): ...\nclass Disk(Store): ...\nclass Loose: ...\n"
    )
    found = descendants(tmp_path, ports())
    assert found == {"Disk"}
    assert without_contract_run(found, "index = Discus()") == {"Disk"}
