"""The holder of a collection: its process, and the address and key of its socket."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

PROTOCOL = 1
"""Raised when messages change their meaning; processes of different versions do not connect."""

_FILE = "holder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A process that has a collection open.

    `address` and `key` belong to its socket and are empty while it does not serve others.
    `folder` identifies the folder it holds: in a copy of that folder it holds nothing.
    """

    pid: int
    purpose: str = ""
    started_at: float = 0.0
    protocol: int = PROTOCOL
    address: str = ""
    key: str = ""
    folder: str = ""

    @classmethod
    def this_process(cls, purpose: str) -> Holder:
        """This process, with `purpose` or else its command."""
        return cls(pid=os.getpid(), purpose=purpose or command(), started_at=time.time())

    def __str__(self) -> str:
        return f"process {self.pid} ({self.purpose})" if self.purpose else f"process {self.pid}"


def command() -> str:
    """The command that this process was started as, shortened."""
    script = Path(sys.argv[0] or "python")
    program = script.parent.name if script.stem == "__main__" else script.stem
    words = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return " ".join((program, *words))


def read_holder(folder: Path) -> Holder | None:
    """The holder recorded in the folder; None where there is none or the file is unreadable."""
    try:
        holder = Holder(**json.loads((folder / _FILE).read_text(encoding="utf-8")))
        return holder if holder.folder == _identity(folder) else None
    except (OSError, ValueError, TypeError):
        return None


def write_holder(folder: Path, holder: Holder) -> None:
    """Record the holder in a file that only this user can read."""
    part = folder / f"{_FILE}.{holder.pid}.part"
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(asdict(replace(holder, folder=_identity(folder))), stream)
    part.replace(folder / _FILE)


def remove_holder(folder: Path) -> None:
    """Delete the record of the holder."""
    (folder / _FILE).unlink(missing_ok=True)


def _identity(folder: Path) -> str:
    """The identity of the folder itself, whichever path names it."""
    known = folder.stat()
    return f"{known.st_dev}:{known.st_ino}"
