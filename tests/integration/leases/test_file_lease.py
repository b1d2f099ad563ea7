"""The write lease between real processes: who has it is told, and a killed one gives it back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.domain.errors import IndexLocked, IndexUnavailable
from citeloom.infrastructure.leases import FileWriteLease

HOLDER = """
import sys
from pathlib import Path
from citeloom.infrastructure.leases import FileWriteLease

with FileWriteLease(Path(sys.argv[1])).hold("lab/rye"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lease."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_who_works_is_named_with_process_command_and_time(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    with pytest.raises(IndexLocked) as refused, FileWriteLease(tmp_path).hold("lab/rye"):
        pass
    assert f"process {holder.pid} (`-c {tmp_path}`, since 20" in refused.value.message
    assert "--wait" in refused.value.hint


def test_a_killed_holder_is_no_obstacle(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    holder.kill()
    holder.wait()
    with (
        FileWriteLease(tmp_path).hold("lab/rye"),
        pytest.raises(IndexLocked, match=f"process {os.getpid()} "),
        FileWriteLease(tmp_path).hold("lab/rye"),
    ):
        pass


def test_who_waits_takes_over_from_a_killed_holder(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    told: list[str] = []

    def kill(who: str) -> None:
        told.append(who)
        holder.kill()

    with FileWriteLease(tmp_path).hold("lab/rye", waiting=kill):
        assert str(holder.pid) in told[0]


def test_a_holder_that_did_not_say_who_it_is_is_another_process(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    (told,) = tmp_path.glob("*.json")
    told.write_text("{", encoding="utf-8")
    with (
        pytest.raises(IndexLocked, match="another process"),
        FileWriteLease(tmp_path).hold("lab/rye"),
    ):
        pass
    assert holder.poll() is None


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "leases").write_text("", encoding="utf-8")
    with (
        pytest.raises(IndexUnavailable, match="cannot be written"),
        FileWriteLease(tmp_path / "leases").hold("lab/rye"),
    ):
        pass
