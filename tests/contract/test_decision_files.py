"""What every `DecisionFiles` promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.records import DecisionFiles
from citeloom.domain.errors import InvalidFilter
from citeloom.infrastructure.filesystem.draft_files import DecisionsBesideDrafts
from tests.fakes.decision_files import InMemoryDecisionFiles


@pytest.fixture(params=["memory", "beside"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> DecisionFiles:
    if request.param == "memory":
        return InMemoryDecisionFiles()
    return DecisionsBesideDrafts(lock=tmp_path / "data" / "decisions.lock")


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "thesis.md"
    path.write_text("# Thesis\n", encoding="utf-8")
    return path


def test_a_draft_without_decisions_has_no_text(files: DecisionFiles, draft: Path) -> None:
    assert files.read(draft) is None
    assert files.path(draft) == draft.with_name("thesis.md.citeloom.json")


def test_a_change_replaces_the_whole_text(files: DecisionFiles, draft: Path) -> None:
    files.change(draft, lambda before: f"{before} ü\n")
    assert files.read(draft) == "None ü\n"
    files.change(draft, lambda before: f"[{before}]")
    assert files.read(draft) == "[None ü\n]"


def test_a_change_that_fails_leaves_it_as_it_is(files: DecisionFiles, draft: Path) -> None:
    def refuse(_: str | None) -> str:
        raise InvalidFilter("too many", "Fewer.")

    files.change(draft, lambda _: "first")
    with pytest.raises(InvalidFilter):
        files.change(draft, refuse)
    assert files.read(draft) == "first"
