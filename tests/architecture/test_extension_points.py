"""What docs/extending.md says of extension points is what the code calls them with."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest

from citeloom.domain.chunks.pre_chunks import ChunkingStrategy
from citeloom.infrastructure import extensions
from citeloom.infrastructure.extensions import (
    EXTENSION_POINTS,
    LOADED_VARIABLE,
    TRACE_VARIABLE,
    Registry,
)
from tests.architecture.repository import ROOT

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
REGISTRIES = {
    name: value for name, value in vars(extensions).items() if isinstance(value, Registry)
}


def called(name: str) -> tuple[str, str]:
    """The arguments and the result of what a registry holds, as they are written in the code."""
    kind = re.fullmatch(r"Registry\[(.+)\]", inspect.get_annotations(extensions)[name])
    assert kind is not None
    if kind[1].startswith("type["):
        return f"it is a `{kind[1]}`", ""
    named = kind[1].partition(" | ")[0]  # a converter may be a class, too, as the page says below
    protocol = {"ChunkingStrategy": ChunkingStrategy}.get(named) or getattr(extensions, named)
    call: Callable[..., object] = protocol.__call__
    signature = inspect.signature(call)
    _, *arguments = signature.parameters.values()
    assert {argument.kind for argument in arguments} == {inspect.Parameter.POSITIONAL_ONLY}
    listed = ", ".join(f"{argument.name}: {argument.annotation}" for argument in arguments)
    return f"`{listed}`", f"`{signature.return_annotation}`"


@pytest.mark.parametrize("name", REGISTRIES)
def test_the_page_has_each_extension_point_with_its_exact_arguments(name: str) -> None:
    (row,) = (line for line in PAGE.splitlines() if f"| `{REGISTRIES[name].group}` |" in line)
    *_, arguments, result, _ = row.split("|")
    wanted, returned = called(name)
    assert arguments.strip() == wanted
    assert result.strip().startswith(returned)


def test_no_extension_point_is_left_out() -> None:
    assert set(EXTENSION_POINTS) == set(REGISTRIES.values())
    groups = re.findall(r"(?m)^\| `(citeloom\.\w+)` \|", PAGE)
    assert groups == [point.group for point in EXTENSION_POINTS]


def test_the_page_names_the_switches() -> None:
    assert f"`{LOADED_VARIABLE}=none`" in PAGE
    assert f"`{TRACE_VARIABLE}=1`" in PAGE
