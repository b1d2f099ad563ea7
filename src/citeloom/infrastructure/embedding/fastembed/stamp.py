"""A stamp file with sizes and checksums, which shows damage to a folder's files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

STAMP_FILE = "stamp.json"

_BLOCK = 1 << 20


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def write_stamp(folder: Path) -> None:
    """Record the current files of the folder."""
    names = sorted(path.name for path in folder.iterdir() if path.name != STAMP_FILE)
    _write(folder, [_record(folder / name, sha256_of(folder / name)) for name in names])


def is_untouched(folder: Path) -> bool:
    """Whether every recorded file has its recorded size and modification time. Reads none."""
    records = _read(folder)
    return bool(records) and all(_is_at_rest(folder / entry.name, entry) for entry in records)


def is_intact(folder: Path) -> bool:
    """Whether every recorded file has the recorded SHA-256. Reads them all."""
    records = _read(folder)
    return bool(records) and all(
        (folder / entry.name).is_file() and sha256_of(folder / entry.name) == entry.sha256
        for entry in records
    )


@dataclass(frozen=True, slots=True)
class _Record:
    name: str
    sha256: str
    size: int
    mtime_ns: int


def _record(path: Path, sha256: str) -> _Record:
    status = path.stat()
    return _Record(path.name, sha256, status.st_size, status.st_mtime_ns)


def _is_at_rest(path: Path, entry: _Record) -> bool:
    return path.is_file() and _record(path, entry.sha256) == entry


def _write(folder: Path, records: Iterable[_Record]) -> None:
    draft = folder / f"{STAMP_FILE}.new"
    draft.write_text(json.dumps([asdict(entry) for entry in records], indent=1), encoding="utf-8")
    draft.replace(folder / STAMP_FILE)


def _read(folder: Path) -> list[_Record]:
    """The records; none without a readable stamp, so that the files are not trusted."""
    try:
        entries = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        return [_Record(**entry) for entry in entries]
    except (OSError, ValueError, TypeError):
        return []
