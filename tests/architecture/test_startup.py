"""What a start of the command line may not load, since it would be waited for."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from typer.core import TyperGroup
from typer.main import get_command

from citeloom.infrastructure.interfaces.cli.app import COMMANDS, app

CLI = "citeloom.infrastructure.interfaces.cli."
HEAVY = {
    "docling",
    "docling_core",
    "docling_parse",
    "fastembed",
    "httpx2",
    "mcp",
    "numpy",
    "onnx",
    "onnxruntime",
    "pandas",
    "psycopg",
    "pydantic",
    "qdrant_client",
    "qdrant_edge",
    "rich",
    "scipy",
    "starlette",
    "structlog",
    "tokenizers",
    "uvicorn",
}
NOT_OF_A_QUESTION = {
    "citeloom.domain.answers.calibration",
    "citeloom.domain.answers.session",
    "citeloom.application.reports",
    "citeloom.domain.evaluation.line_order",
    "citeloom.domain.references.bibliography",
    "citeloom.domain.zotero.items",
}
"""Values that a question neither makes nor reads."""
INGEST = "citeloom.application.ingest.plan"
START = """
import json, sys
from citeloom.infrastructure.interfaces.cli.app import main
sys.argv = ["citeloom", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    code = ended.code or 0
else:
    code = 0
json.dump({"code": code, "modules": sorted(sys.modules)}, sys.stderr)
"""


@pytest.mark.parametrize("command", [[], ["query"], ["ingest"], ["mcp"]])
def test_help_loads_no_heavy_library(command: list[str]) -> None:
    loaded, printed = started(*command, "--help")
    assert "Usage" in printed
    assert HEAVY & loaded == set()


def test_a_command_loads_no_other() -> None:
    loaded, _ = started("query", "--help")
    commands = {name for name in loaded if name.startswith(CLI) and name.endswith("_commands")}
    assert commands == {f"{CLI}query_commands"}


def test_the_help_of_all_commands_loads_none_and_says_what_each_says() -> None:
    loaded, printed = started("--help")
    assert not {place.partition(":")[0] for place in COMMANDS.values()} & loaded
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    rows = (line.split(maxsplit=1) for line in printed.splitlines())
    summaries = {row[0]: row[1] for row in rows if len(row) > 1}
    for name, command in group.commands.items():
        assert command.get_short_help_str(200).startswith(summaries[name].removesuffix("..."))


def test_what_a_question_is_built_of_loads_no_ingest() -> None:
    library = "citeloom.infrastructure.library."
    names = ", ".join(f"{library}{part}" for part in ("library", "project", "parts"))
    script = f"import sys, {names}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "citeloom.infrastructure.library.project" in loaded
    unneeded = {INGEST, "watchfiles", "sqlite3", "filelock", "qdrant_client"}
    unneeded |= {"dotenv", "urllib.request", *NOT_OF_A_QUESTION}
    assert not unneeded & {*loaded}


def test_to_look_into_zotero_loads_no_ingest() -> None:
    loaded, _ = started("zotero", "items", "--help")
    assert f"{CLI}zotero_commands" in loaded
    assert INGEST not in loaded


def test_the_checks_of_a_table_are_built_for_a_file_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").write_text('[project."a/b"]\n[store]\ntimeout = 3\n')
    script = """
from citeloom.infrastructure.settings import load_settings, values
built, adapter = [], values.TypeAdapter
values.TypeAdapter = lambda kind, **options: built.append(kind) or adapter(kind, **options)
load_settings()
print(*(kind.__args__[0].__name__ for kind in built))
"""
    built = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert built == ["StoreTable", "ProjectTable"]


def test_the_language_of_a_pdf_is_found_without_what_converts_it(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    with closing(pypdfium2.PdfDocument.new()) as pdf:
        pdf.new_page(300, 400)
        pdf.save(tmp_path / "library" / "silt.pdf")
    loaded, _ = started("init", folder=tmp_path)
    assert "pypdfium2" in loaded
    assert not {"docling_core", "docling_parse", "pandas"} & loaded


def test_every_command_is_found_where_it_is_said_to_be() -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    assert {name: command.name for name, command in group.commands.items()} == {
        name: name for name in COMMANDS
    }


@cache
def started(*arguments: str, folder: Path | None = None) -> tuple[set[str], str]:
    """The modules a command loads, and what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(result.stderr.splitlines()[-1])
    assert told["code"] == 0
    return set(told["modules"]), result.stdout
