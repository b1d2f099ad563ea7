"""Files of others are those that were brought, under licences that allow it, and documented."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from scripts import vendor_web
from scripts.check_licences import is_copyleft
from scripts.vendor_web import PACKAGES, findings, lists

from tests.architecture.repository import ROOT

DEPENDENCIES = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")


def test_the_files_are_those_that_were_brought() -> None:
    assert list(findings(PACKAGES)) == []


def test_a_changed_file_and_a_foreign_one_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_web, "ROOT", tmp_path)
    package = replace(PACKAGES[0], folder=tmp_path / "vendor")
    shutil.copytree(PACKAGES[0].folder, package.folder)
    assert list(findings((package,))) == []
    (package.folder / "htmx.min.js").write_text("alert(1)", encoding="utf-8")
    (package.folder / "more.js").write_text("", encoding="utf-8")
    assert [fault.rpartition("/")[2] for fault in findings((package,))] == [
        "more.js is of no package",
        "README.md states other files than there are",
    ]
    (package.folder / "htmx.LICENSE").unlink()
    assert "vendor/htmx.LICENSE is missing" in list(findings((package,)))
    assert "htmx.min.js" in lists(PACKAGES)[PACKAGES[0].folder]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda one: one.name)
def test_each_is_documented_under_a_licence_that_allows_it(package: vendor_web.Package) -> None:
    line = next(line for line in DEPENDENCIES.splitlines() if f"`{package.name}`" in line)
    assert package.version in line
    assert line.endswith(f"| {package.licence} |")
    assert not is_copyleft(package.licence)
