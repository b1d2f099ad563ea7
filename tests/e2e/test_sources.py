"""Whatever is done with a project, its files are read and never written."""

from __future__ import annotations

import os

from tests.e2e.command import Desk
from tests.e2e.papers import CLAY

LONG_AGO_NS = 1_000_000_000_000_000_000


def snapshot(desk: Desk) -> dict[str, tuple[bytes, int]]:
    """Every file outside the data folder: its bytes and the time of its last change."""
    files = [path for path in desk.folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(desk.folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in files
        if not path.is_relative_to(desk.data)
    }


def test_no_command_touches_papers_references_or_configuration(small: Desk) -> None:
    for name in snapshot(small):
        os.utime(small.folder / name, ns=(LONG_AGO_NS, LONG_AGO_NS))
    before = snapshot(small)
    assert len(before) == 8
    for command in (
        ["ingest", "--force", "--prune"],
        ["ingest", "--rebuild"],
        ["query", "rounded corners of clay tiles", "--mode", "sparse"],
        ["show", CLAY.citekey],
        ["validate"],
        ["delete", "--all", "--yes"],
    ):
        small.must(*command)
        assert snapshot(small) == before, command
