"""What the project depends on: pinned, licensed for everyone, and each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scripts.check_licences import PINNED, findings, is_copyleft, pinned
from scripts.vendor_web import PACKAGES

from tests.architecture.repository import ROOT, pyproject

FILES = ("pip.txt", "runtime.txt", "demo.txt", "dev.txt", "weights.txt")


def requirements(name: str) -> str:
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def direct() -> list[Requirement]:
    """What the package itself asks for."""
    return [Requirement(line) for line in pyproject()["project"]["dependencies"]]


def extras() -> list[Requirement]:
    """What its extras ask for."""
    listed = pyproject()["project"]["optional-dependencies"]
    return [Requirement(line) for name in listed for line in listed[name]]


def grouped() -> list[Requirement]:
    """What developing and demonstrating it ask for besides."""
    groups = pyproject()["dependency-groups"]
    return [Requirement(line) for name in groups for line in groups[name] if isinstance(line, str)]


def pins(name: str) -> dict[str, set[str]]:
    """The versions of each package that a file pins; several where Pythons differ."""
    found: dict[str, set[str]] = {}
    for package, version in PINNED.findall(requirements(name)):
        found.setdefault(canonicalize_name(package), set()).add(version)
    return found


def unmet(wanted: list[Requirement], pinned_in: dict[str, set[str]]) -> Iterator[str]:
    for requirement in wanted:
        versions = pinned_in.get(canonicalize_name(requirement.name), set())
        if not versions or not all(map(requirement.specifier.contains, versions)):
            yield f"{requirement}: {sorted(versions)}"


def test_the_pins_are_those_the_project_asks_for() -> None:
    assert list(unmet(direct(), pins("runtime.txt"))) == []
    assert list(unmet(direct() + extras() + grouped(), pins("dev.txt"))) == []


def test_a_requirement_that_is_not_pinned_is_found() -> None:
    wanted = [Requirement("typer>=0.20"), Requirement("absent")]
    assert list(unmet(wanted, {"typer": {"0.19"}})) == ["typer>=0.20: ['0.19']", "absent: []"]


def test_what_is_tested_is_what_is_run() -> None:
    tested = pins("dev.txt")
    for name in ("runtime.txt", "demo.txt"):
        assert {p: v for p, v in pins(name).items() if tested.get(p) != v} == {}


@pytest.mark.parametrize("name", FILES)
def test_every_pin_has_hashes_and_no_address(name: str) -> None:
    text = requirements(name)
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"(?m)^#.*\n", "", text))
    assert [entry for entry in entries if not PINNED.search(entry)] == []
    assert len(entries) == len(PINNED.findall(text)) > 0
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text


def test_neither_torch_nor_cuda_is_installed() -> None:
    installed = {name for file in FILES for name in pins(file)}
    assert [n for n in installed if re.search("torch|nvidia|cuda|triton|transformers", n)] == []


def test_every_installed_package_may_be_used_by_anyone() -> None:
    names = [name for file in FILES for name in pinned(requirements(file))]
    assert len(names) > 50
    assert list(findings(names)) == []


@pytest.mark.parametrize(
    ("stated", "copyleft"),
    [
        ("MIT", False),
        ("AGPL-3.0-only", True),
        ("GNU Affero General Public License v3", True),
        ("GPL-2.0-or-later", True),
        ("MIT AND GPL-3.0", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("GPL-2.0 OR Apache-2.0", False),
        ("LGPL-3.0", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("MPL-2.0 AND MIT", False),
    ],
)
def test_copyleft_is_recognised_unless_there_is_a_choice(stated: str, copyleft: bool) -> None:
    assert is_copyleft(stated) is copyleft


def test_every_direct_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = {canonicalize_name(name) for name in re.findall(r"^\| `([\w.-]+)", page, re.M)}
    asked = {canonicalize_name(r.name) for r in direct() + extras() + grouped()}
    asked |= {canonicalize_name(name) for file in ("pip.txt", "weights.txt") for name in pins(file)}
    asked |= {canonicalize_name(package.name) for package in PACKAGES}
    assert asked - explained == set()
    assert explained - asked == set()
