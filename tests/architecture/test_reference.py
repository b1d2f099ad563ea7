"""The reference pages say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.make_reference import FOLDER, pages, stale

from citeloom.domain.validation import CHECKS, ZOTERO_CHECKS


def test_the_pages_agree_with_the_code() -> None:
    assert stale(FOLDER) == [], "`make docs` writes them anew"


def test_a_page_that_is_missing_or_differs_is_found(tmp_path: Path) -> None:
    for name, text in pages().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert stale(tmp_path) == []
    (tmp_path / "commands.md").write_text("something else", encoding="utf-8")
    (tmp_path / "errors.md").unlink()
    assert stale(tmp_path) == ["commands.md", "errors.md"]


def test_every_command_is_documented_with_an_example() -> None:
    sections = pages()["commands.md"].split("\n## ")[2:]
    assert len(sections) >= 10
    assert [section.splitlines()[0] for section in sections if "Example:" not in section] == []


def test_json_is_asked_for_alike_everywhere() -> None:
    forms = [one for one in pages()["commands.md"].split("\n## ") if "|json" in one]
    assert len(forms) >= 10
    assert [one.splitlines()[0] for one in forms if "--json " not in one] == []


def test_every_error_stands_on_its_page() -> None:
    assert "| `INDEX_LOCKED` | 11 |" in pages()["errors.md"]


def test_every_key_of_the_json_is_explained() -> None:
    rows = [line for line in pages()["json.md"].splitlines() if line.startswith("| `")]
    assert len(rows) > 600
    assert [row for row in rows if row.endswith("|  |")] == [], "the words stand below the key"


def test_a_link_on_the_page_of_the_json_leads_to_a_heading_that_is_there_once() -> None:
    page = pages()["json.md"]
    headings = [
        line.lstrip("# ").lower().replace(" ", "-").replace(",", "")
        for line in page.splitlines()
        if line.startswith("#")
    ]
    targets = set(re.findall(r"\(#([^)]*)\)", page))
    assert len(targets) > 80
    assert {target for target in targets if headings.count(target) != 1} == set()


def test_every_check_stands_on_its_page_with_its_severity() -> None:
    page = (FOLDER.parent / "ci.md").read_text(encoding="utf-8")
    listed = [line.split(" | ")[:2] for line in page.splitlines() if line.startswith("| `")]
    graded = [(name.strip("| `"), severity) for name, severity in listed]
    assert sorted(graded) == sorted((name, check.severity.value) for name, check in CHECKS.items())


def test_every_check_of_zotero_stands_on_its_page_with_its_severity() -> None:
    page = (FOLDER.parent / "zotero.md").read_text(encoding="utf-8")
    listed = [tuple(line.strip("| ").split(" | ")) for line in page.splitlines() if "| `" in line]
    checks = ((f"`{n}`", c.severity.value, c.promise) for n, c in ZOTERO_CHECKS.items())
    assert listed == [*checks]
