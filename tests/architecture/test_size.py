"""How long and how tangled modules and functions may become."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.repository import ROOT, Module, modules, pyproject

MODULE_LINES = 450
FUNCTION_LINES = 50
WHOLE_FUNCTION_LINES = 60
COMPLEXITY = 10
DECISIONS = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler),
    *(ast.IfExp, ast.comprehension, ast.match_case),
)
NAMELESS = {"utils", "helpers", "manager", "common"}


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """Each function of a module and the lines of its body.

    The signature is left out: that of a command is the list of its options.
    """
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
            yield f"{module.name}:{node.lineno} {node.name}", lines


def test_no_module_is_longer_than_one_idea() -> None:
    lengths = {module.name: module.lines for module in modules()}
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_no_function_is_longer_than_a_page() -> None:
    lengths = dict(function for module in modules() for function in functions(module))
    assert len(lengths) > 100
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES} == {}


def branches(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """One more than the decisions a function takes, those of functions within it left out."""
    total, nodes = 1, list(ast.iter_child_nodes(function))
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        total += isinstance(node, DECISIONS)
        total += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        nodes.extend(ast.iter_child_nodes(node))
    return total


def test_no_function_is_longer_than_a_page_with_its_signature_or_takes_many_decisions() -> None:
    measured = {
        f"{module.name}:{node.lineno} {node.name}": (
            (node.end_lineno or node.lineno) - node.lineno + 1,
            branches(node),
        )
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    too_much = {
        name: (lines, decisions)
        for name, (lines, decisions) in measured.items()
        if lines > WHOLE_FUNCTION_LINES or decisions > COMPLEXITY
    }
    assert too_much == {}


def test_every_module_has_a_name_that_says_what_it_is() -> None:
    assert [m.name for m in modules() if NAMELESS & set(m.name.split("."))] == []


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
