"""Every error has its place in the one tree, a code of its own and an exit code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.error_codes import EXIT_CODES
from tests.architecture.repository import last_name, modules


def family(root: type[CiteloomError]) -> Iterator[type[CiteloomError]]:
    yield root
    for child in root.__subclasses__():
        yield from family(child)


def test_every_error_is_mapped_to_an_exit_code() -> None:
    codes = {error.code for error in family(CiteloomError)}
    assert len(codes) > 10
    assert codes - set(EXIT_CODES) == set()
    assert set(EXIT_CODES) - codes == set()


def test_no_error_ends_as_success() -> None:
    assert [code for code, number in EXIT_CODES.items() if not 0 < number < 128] == []


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [error.code for error in family(CiteloomError)]
    assert sorted(codes) == sorted(set(codes))


def test_errors_are_defined_in_one_module() -> None:
    names = {error.__name__ for error in family(CiteloomError)}
    strays = [
        f"{module.name}.{node.name}"
        for module in modules()
        if module.name != "citeloom.domain.errors"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and names & {*map(last_name, node.bases)}
    ]
    assert strays == []


def test_every_error_names_a_next_step() -> None:
    names = {error.__name__ for error in family(CiteloomError)}
    without_hint = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and last_name(node.func) in names
        and len(node.args) + len(node.keywords) < 2
    ]
    assert without_hint == []
