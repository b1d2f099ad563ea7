"""Who may import whom."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("module", "statement", "broken"),
    [
        ("domain/citation.py", "import citeloom.application", "Dependencies point inwards"),
        (
            "infrastructure/stores/qdrant/stray.py",
            "import citeloom.infrastructure.sqlite_manifest",
            "Adapters know neither one another nor the settings",
        ),
        (
            "infrastructure/filesystem/stray.py",
            "import citeloom.infrastructure.settings",
            "Adapters know neither one another nor the settings",
        ),
        (
            "infrastructure/answers/stray.py",
            "import citeloom.infrastructure.settings",
            "Answers know the domain and the application only",
        ),
        (
            "infrastructure/wiring/stray.py",
            "import citeloom.infrastructure.answers.text",
            "Interfaces call the library, and only the library and its wiring build",
        ),
        (
            "infrastructure/filesystem/stray.py",
            "import citeloom.infrastructure.wiring",
            "Interfaces call the library, and only the library and its wiring build",
        ),
        (
            "infrastructure/interfaces/cli/stray.py",
            "import citeloom.infrastructure.stores.qdrant",
            "Interfaces know neither adapters nor settings",
        ),
        (
            "application/stray.py",
            "import pydantic",
            "The domain and the application know no technology",
        ),
        (
            "../citeloom_pdf/stray.py",
            "import citeloom.domain",
            "The PDF engine could be released alone",
        ),
        (
            "infrastructure/settings/stray.py",
            "import citeloom_qdrant.settings",
            "Stores with an address are extensions, which the core does not name",
        ),
        (
            "../citeloom_milvus/stray.py",
            "import citeloom_postgres",
            "No extension knows another",
        ),
        ("infrastructure/utils.py", "", "Interfaces call the library"),
    ],
)
def test_a_violation_breaks_its_contract(
    tmp_path: Path, module: str, statement: str, broken: str
) -> None:
    shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "src" / "citeloom" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")
    result = lint(tmp_path / "src")
    assert result.returncode == 1
    assert any(
        line.startswith(broken) and " BROKEN" in line for line in result.stdout.splitlines()
    ), result.stdout


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
