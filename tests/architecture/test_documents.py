"""What stands in the top-level documents is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts.make_reference import command_names
from typer.core import TyperGroup
from typer.main import get_command

from citeloom.infrastructure.interfaces.cli.app import app
from tests.architecture.repository import PACKAGE, ROOT, pyproject

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`([\w.-]+/[\w./-]*)`")
ROOTS = (ROOT, PACKAGE.parent, PACKAGE, PACKAGE / "application", PACKAGE / "infrastructure")
PROMISED = "NAME"
STATUS = r"# \d+\. .+\n\n\*\*Status\.\*\* (Accepted|Amended by|Superseded by)"


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def missing_links(text: str, folder: Path = ROOT) -> list[str]:
    """The targets of links that are not there; examples in code are no links."""
    targets = LINK.findall(CODE.sub("", text))
    return [target for target in targets if not (folder / target).exists()]


def missing_paths(text: str) -> list[str]:
    """The files and folders that are named and lie nowhere they could."""
    named = (path for path in PATH.findall(text) if PROMISED not in path)
    return [path for path in named if not any((root / path).exists() for root in ROOTS)]


def commands() -> set[str]:
    """The last word of each command."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    return {words[-1] for words in command_names(group)}


def unnamed(names: set[str], text: str) -> set[str]:
    return {name for name in names if f"`{name}`" not in text and f" {name}`" not in text}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    assert missing_links(text_of(name)) == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "recipes").rglob("*.md"),
        *(ROOT / "benchmarks").rglob("*.md"),
    ]
    missing = {page: missing_links(page.read_text("utf-8"), page.parent) for page in pages}
    assert len(missing) > 60
    assert {page: targets for page, targets in missing.items() if targets} == {}


def test_every_decision_says_its_status() -> None:
    decisions = sorted((ROOT / "docs/adr").glob("0*.md"))
    assert len(decisions) > 40
    assert [page.name for page in decisions if not says_status(page.read_text("utf-8"))] == []


def test_the_list_of_decisions_has_each_once() -> None:
    listed = LINK.findall((ROOT / "docs/adr/README.md").read_text("utf-8"))
    decisions = sorted(page.name for page in (ROOT / "docs/adr").glob("0*.md"))
    assert sorted(target for target in listed if target.startswith("0")) == decisions


def says_status(text: str) -> bool:
    """Whether the first line below the title is one of status."""
    return re.match(STATUS, text) is not None


def test_contributing_names_files_that_are_there() -> None:
    text = text_of("CONTRIBUTING.md")
    assert len(PATH.findall(text)) > 20
    assert missing_paths(text) == []


def test_dependencies_name_tests_that_are_there() -> None:
    text = text_of("docs/dependencies.md")
    files = re.findall(r"`((?:unit|integration|contract|architecture)/[\w/.]+)`", text)
    names = re.findall(r"`(test_\w+)`", text)
    assert len(files) >= 7
    assert len(names) >= 7
    assert [file for file in files if not (ROOT / "tests" / file).exists()] == []
    suites = (ROOT / "tests", ROOT / "src" / "citeloom" / "testing")
    files_of_tests = (file for suite in suites for file in suite.rglob("*.py"))
    sources = "\n".join(file.read_text("utf-8") for file in files_of_tests)
    assert [name for name in names if f"def {name}(" not in sources] == []


def test_every_command_stands_in_the_readme() -> None:
    assert len(commands()) >= 10
    assert unnamed(commands(), text_of("README.md")) == set()


def test_the_readme_stays_short() -> None:
    assert len(text_of("README.md").splitlines()) <= 120


def test_the_newest_release_is_the_packages_version() -> None:
    (newest, *_) = re.findall(r"^## (\d\S*)", text_of("CHANGELOG.md"), re.MULTILINE)
    assert newest == pyproject()["project"]["version"]


def test_what_is_missing_is_found() -> None:
    assert missing_links("[a](docs/no.md) [b](README.md#more)") == ["docs/no.md"]
    assert missing_paths("`domain/no.py`, `domain/errors.py`, `tests/NAME/`") == ["domain/no.py"]
    assert unnamed({"weave", "query"}, "`query`") == {"weave"}
    assert says_status("# 1. Title\n\n**Status.** Accepted.\n")
    assert not says_status("# 1. Title\n\nText, and **Status.** Accepted.\n")
