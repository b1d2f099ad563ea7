"""Names of modules, and the lint rules that keep functions readable."""

from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.repository import ROOT, modules, pyproject

COMPLEXITY = 12
NAMELESS = {"utils", "helpers", "manager", "common"}


def test_every_module_has_a_name_that_says_what_it_is() -> None:
    assert [m.name for m in modules() if NAMELESS & set(m.name.split("."))] == []


def test_no_two_public_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for module in modules()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, number in names.items() if number > 1] == []


def test_ruff_refuses_tangled_functions() -> None:
    lint = pyproject()["tool"]["ruff"]["lint"]
    assert "C90" in lint["select"]
    assert lint["mccabe"]["max-complexity"] <= COMPLEXITY


def test_no_rule_is_silenced_in_the_inner_layers() -> None:
    silenced = [
        f"{module.path.relative_to(ROOT)}:{number}"
        for layer in ("domain", "application")
        for module in modules(layer)
        for number, line in enumerate(module.path.read_text(encoding="utf-8").splitlines(), 1)
        if "noqa" in line or "type: ignore" in line
    ]
    assert silenced == []
