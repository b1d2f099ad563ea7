"""What commands do on a disk that is really full."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.copies import copy_folder
from tests.e2e.command import Desk

MEGABYTE = 1 << 20
FULL = 15


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not sys.platform.startswith("linux") or shutil.which("mount") is None:
        pytest.skip("needs Linux with `mount`, for a small file system")
    options = ["-t", "tmpfs", "-o", "size=600m", "tmpfs", str(folder)]
    mounted = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"needs the right to mount a small file system: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def crowded(ingested: Desk, disk: Path) -> Desk:
    """A desk with the ingested papers on a small disk."""
    copy_folder(ingested.folder, disk / "desk")
    return replace(ingested, folder=disk / "desk")


def leave(desk: Desk, megabytes: int) -> None:
    """Fill the disk but for so many megabytes."""
    filler = desk.folder.parent / "filler"
    with filler.open("ab", buffering=0) as file:
        for _ in range(shutil.disk_usage(desk.folder).free // MEGABYTE - megabytes):
            file.write(b"\1" * MEGABYTE)
        if not megabytes:
            with suppress(OSError):  # full
                while True:
                    file.write(b"\1" * 4096)


def test_no_command_is_killed_on_a_nearly_full_disk_and_nothing_is_lost(crowded: Desk) -> None:
    chunks = {one.chunk.id for one in crowded.chunks()}
    work = crowded.chunks()[0].chunk.doc_id
    leave(crowded, 40)
    for command in (("delete", "--doc", work, "--yes"), ("ingest", "--force")):
        outcome = crowded.spawn(*command)
        assert (command, outcome.code) == (command, FULL), outcome.err
        assert "error [DISK_FULL]" in outcome.err
        assert "MB left" in outcome.err
        assert "going on needs" in outcome.err
    assert crowded.spawn("query", "clay", "-k", "1").code == 0
    (crowded.folder.parent / "filler").unlink()
    crowded.must("repair")
    crowded.must("ingest", "--restore")
    assert {one.chunk.id for one in crowded.chunks()} == chunks


def test_on_a_full_disk_what_reads_answers_and_what_writes_says_that_it_is_full(
    crowded: Desk,
) -> None:
    answer = crowded.spawn("query", "clay").out
    assert answer
    leave(crowded, 0)
    assert crowded.spawn("query", "clay").out == answer
    assert crowded.spawn("list").out
    for command in (
        ("repair",),
        ("ingest",),
        ("delete", "--all", "-y"),
    ):
        leave(crowded, 0)  # what kept the index open has given room back if it has ended since
        outcome = crowded.spawn(*command)
        assert (command, outcome.code) == (command, FULL), outcome.err
        assert "going on needs 64 MB" in outcome.err
    (crowded.folder.parent / "filler").unlink()
    assert crowded.spawn("query", "clay").out == answer
