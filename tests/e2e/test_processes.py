"""Each command as a process of its own, which has imported nothing but what the command needs."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.interfaces.cli.app import COMMANDS
from tests.e2e.command import SMALL, Desk
from tests.e2e.papers import CLAY
from tests.e2e.zotero_papers import zotero_desk

DRAFT = 'It "is a promise" [@okoro2019, p. 2].\n'
SELECTION = f"""
[project."{SMALL}".zotero]
collections = ["{CLAY.citekey}"]

[zotero]
data_dir = "zotero"
"""
CALLS = {
    "sync": ("sync", "--dry-run"),
    "find": ("find", "clay"),
    "calibrate": ("calibrate",),
    "ask": ("ask", "How were tiles dried?"),
    "open": ("open", "okoro2019", "--print"),
    "collect": ("collect",),
    "cite": ("cite", "okoro2019", "--style", "apa"),
    "bib": ("bib", "draft.md"),
    "links": ("links", "draft.md"),
    "check": ("check", "draft.md"),
    "support": ("support", "draft.md"),
    "matrix": ("matrix", "How were tiles dried?"),
    "bundle": ("bundle", "draft.md", "--out", "evidence.zip"),
    "match": ("match",),
    "repair": ("repair",),
    "store": ("store", "check"),
    "models": ("models",),
    "eval": ("eval", "pages"),
    "zotero": ("zotero", "items"),
}
TOO_SMALL = 10
"""What calibrating a library of a few sentences ends with."""
ELSEWHERE = {
    "test_edges": {
        *("delete", "ingest", "init", "inspect", "list", "projects", "query", "show", "validate")
    },
    "test_chat": {"chat"},
    "test_lsp": {"lsp"},
    "test_mcp": {"mcp"},
    "test_serve": {"serve"},
    "test_watch": {"watch"},
}
"""Tests that start processes of other commands."""


def test_every_command_is_called() -> None:
    assert set(CALLS).union(*ELSEWHERE.values()) == {*COMMANDS}


@pytest.mark.parametrize("command", CALLS)
def test_a_command_imports_what_it_needs(small: Desk, command: str) -> None:
    (small.folder / "draft.md").write_text(DRAFT, encoding="utf-8")
    with small.config.open("a", encoding="utf-8") as config:
        config.write(SELECTION)
    zotero_desk(small, CLAY)
    outcome = small.spawn(*CALLS[command])
    assert outcome.code == (TOO_SMALL if command == "calibrate" else 0), outcome
    assert "Traceback" not in outcome.err
