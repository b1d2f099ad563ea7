"""Where the server of a library answers, as others of its user find it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.infrastructure.leases import ServerAddress

URL = "http://127.0.0.1:8484"
_SERVER = """
import sys, time
from pathlib import Path
from citeloom.infrastructure.leases import ServerAddress
with ServerAddress(Path(sys.argv[1])).written("http://127.0.0.1:9"):
    print("written", flush=True)
    time.sleep(60)
"""


def test_the_address_is_known_while_the_server_runs(tmp_path: Path) -> None:
    assert ServerAddress(tmp_path).read() is None
    with ServerAddress(tmp_path).written(URL) as is_written:
        assert is_written
        assert ServerAddress(tmp_path).read() == URL
        mode = (tmp_path / "server").stat().st_mode
        assert os.name != "posix" or stat.S_IMODE(mode) == 0o600
        with ServerAddress(tmp_path).written("http://other") as is_other_written:
            assert not is_other_written
        assert ServerAddress(tmp_path).read() == URL
    assert ServerAddress(tmp_path).read() is None
    assert not (tmp_path / "server").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_server_that_was_killed_has_no_address(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        assert ServerAddress(tmp_path).read() == "http://127.0.0.1:9"
        process.send_signal(signal.SIGKILL)
    assert (tmp_path / "server").exists()
    assert ServerAddress(tmp_path).read() is None
    with ServerAddress(tmp_path).written(URL) as is_written:
        assert is_written
        assert ServerAddress(tmp_path).read() == URL


def test_a_folder_that_cannot_be_written_stops_no_server(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    with ServerAddress(tmp_path).written(URL) as is_written:
        assert not is_written
        assert ServerAddress(tmp_path).read() is None
