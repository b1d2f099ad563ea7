"""Hints for assistants, which have tools and no command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.errors import InvalidProject
from citeloom.infrastructure.interfaces.mcp.mcp_server import bounded_error
from citeloom.infrastructure.interfaces.mcp.project_tools import ProjectList
from citeloom.infrastructure.interfaces.mcp.tool_answers import bounded_answer, for_assistants
from citeloom.infrastructure.interfaces.private_paths import PrivatePaths

TERMINAL = " (Commands and flags are for a terminal: ask the user.)"


@pytest.mark.parametrize(
    ("hint", "spoken"),
    [
        ("Ask with fewer passages (--top-k).", "Ask with fewer passages (top_k)."),
        (
            "Ingest something first: `citeloom ingest`.",
            "Ingest something first: ingest_from_source.",
        ),
        (
            "Ingest something first: citeloom ingest --project lab/rye FOLDER",
            "Ingest something first: ingest_from_source",
        ),
        (
            "Name one with --project: lab/rye, lab/oats",
            "Name one as project, or see list_projects: lab/rye, lab/oats",
        ),
        (
            "See `citeloom zotero collections`; name one by its path or key.",
            "See zotero_search with what=collections; name one by its path or key.",
        ),
        (
            "Use --mode dense, or rebuild: citeloom ingest --project a/b --rebuild",
            f"Use the tool query, or rebuild: citeloom ingest --project a/b --rebuild{TERMINAL}",
        ),
        ("Run `citeloom ingest --force`.", f"Run `citeloom ingest --force`.{TERMINAL}"),
        ("wait for it with --wait.", f"wait for it with --wait.{TERMINAL}"),
        ("Years lie in 0..9999 -- at most.", "Years lie in 0..9999 -- at most."),
        ("", ""),
    ],
)
def test_a_hint_names_tools_and_says_what_is_for_a_terminal(hint: str, spoken: str) -> None:
    assert for_assistants(hint) == spoken


def test_an_error_is_bounded_and_tells_no_place(tmp_path: Path) -> None:
    error = InvalidProject(
        f"{tmp_path}/citeloom.toml has no project '{'x' * 200_000}'",
        "With --project: " + "y" * 5000,
    )
    entry = bounded_error(error, "id", PrivatePaths(tmp_path))
    assert entry.message.startswith("citeloom.toml has no project")
    assert len(str(entry)) < 2500


def test_notes_are_bounded() -> None:
    answer = ProjectList(projects=(), notes=("n" * 1_000,) * 1_000)
    notes = bounded_answer(answer, ("projects",), 10_000).notes
    assert (len(notes), notes[-1]) == (21, "and 980 more notes")
    assert all(len(note) <= 500 for note in notes)
