"""Who may import whom."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.api import read_configuration

from tests.architecture.repository import ROOT, SOURCE, imported, modules

CONTRACTS = ROOT / ".importlinter"
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--config", str(CONTRACTS), "--no-cache", "--no-logo"],
        cwd=source,
        env={"PYTHONPATH": str(source), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_contract_is_read_and_kept() -> None:
    contracts = read_configuration(str(CONTRACTS))["contracts_options"]
    result = lint(SOURCE)
    assert len(contracts) == 11
    assert f"Contracts: {len(contracts)} kept, 0 broken." in result.stdout, result.stdout
    assert result.returncode == 0


VIOLATIONS = [
    ("citeloom.domain.citation", "citeloom.application", "Dependencies point inwards"),
    (
        "citeloom.infrastructure.stores.qdrant.stray",
        "citeloom.infrastructure.sqlite_manifest",
        "Adapters know neither one another nor the settings",
    ),
    (
        "citeloom.infrastructure.filesystem.stray",
        "citeloom.infrastructure.settings",
        "Adapters know neither one another nor the settings",
    ),
    (
        "citeloom.infrastructure.answers.stray",
        "citeloom.infrastructure.settings",
        "Answers know the domain and the application only",
    ),
    (
        "citeloom.infrastructure.wiring.stray",
        "citeloom.infrastructure.answers.text",
        "Interfaces call the library, and only the library and its wiring build",
    ),
    (
        "citeloom.infrastructure.filesystem.stray",
        "citeloom.infrastructure.wiring",
        "Interfaces call the library, and only the library and its wiring build",
    ),
    (
        "citeloom.infrastructure.interfaces.cli.stray",
        "citeloom.infrastructure.stores.qdrant",
        "Interfaces know neither adapters nor settings",
    ),
    (
        "citeloom.application.stray",
        "pydantic",
        "The domain and the application know no technology",
    ),
    ("citeloom_pdf.stray", "citeloom.domain", "The PDF engine could be released alone"),
    (
        "citeloom.infrastructure.settings.stray",
        "citeloom_qdrant.settings",
        "Stores with an address are extensions, which the core does not name",
    ),
    ("citeloom_milvus.stray", "citeloom_postgres", "No extension knows another"),
]
"""A module, what it imports then, and the contract that this breaks."""
UNLISTED = "citeloom.infrastructure.utils"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the linter says of each contract, where the source has all violations in it."""
    source = tmp_path_factory.mktemp("violated") / "src"
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    for module, imports in [*((module, name) for module, name, _ in VIOLATIONS), (UNLISTED, "ast")]:
        with (source / f"{module.replace('.', '/')}.py").open("a", encoding="utf-8") as file:
            file.write(f"\nimport {imports}\n")
    result = lint(source)
    assert result.returncode == 1
    titled = re.split(r"^(.+)\n-+\n", result.stdout, flags=re.MULTILINE)
    return dict(zip(titled[1::2], titled[2::2]))


@pytest.mark.parametrize(("module", "imports", "contract"), VIOLATIONS)
def test_a_violation_breaks_its_contract(
    broken: dict[str, str], module: str, imports: str, contract: str
) -> None:
    assert f" {module} -> {imports} (l." in broken[contract]


def test_a_package_without_a_layer_breaks_its_contract(broken: dict[str, str]) -> None:
    contract = "Interfaces call the library, and only the library and its wiring build"
    assert f"- {UNLISTED}\n" in broken[contract]


@pytest.mark.parametrize(
    ("layer", "inner"), [("domain", ("domain",)), ("application", ("application", "domain"))]
)
def test_the_inner_layers_import_the_standard_library_and_what_lies_within(
    layer: str, inner: tuple[str, ...]
) -> None:
    own = ("annotated_types", *(f"citeloom.{name}" for name in inner))
    foreign = [
        f"{module.name} imports {name}"
        for module in modules(layer)
        for name in imported(module.tree)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(own)
    ]
    assert foreign == []
