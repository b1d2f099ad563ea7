"""Files downloaded from Zotero, kept as `<library>/<KEY>/<filename>` with what is known of each."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PureWindowsPath

from citeloom.domain.zotero import ZoteroAttachment
from citeloom.infrastructure.zotero.places import is_key

_LIBRARY = re.compile(r"library|groups/\d+")
_PARTIAL = ".part"
_LONGEST_NAME = 255 - len(_PARTIAL)
"""Bytes that a name may have in most file systems, with room for that of a partial file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file as Zotero described it when it was downloaded; `mtime` in milliseconds."""

    filename: str
    md5: str
    mtime: int | None
    version: int


@dataclass(frozen=True, slots=True)
class FileStore:
    """A folder of downloaded files; beside each `<KEY>` lies its record, `<KEY>.json`.

    Both are written under another name and renamed, the record last: a file whose record has its
    checksum is whole.
    """

    folder: Path

    def path_of(self, attachment: ZoteroAttachment) -> Path | None:
        """Where the file of an attachment is, or would be; None where its name is none.

        The path is one below the folder, whatever Zotero calls library, attachment and file.
        """
        name = _name_of(attachment.stored_path.removeprefix("storage:"))
        named = name and is_key(attachment.key) and _LIBRARY.fullmatch(attachment.library.path)
        return self._place(attachment) / name if named else None

    def holds(self, attachment: ZoteroAttachment, md5: str) -> bool:
        """Whether the file is there and has this checksum."""
        path, record = self.path_of(attachment), self._record_of(attachment)
        known = record is not None and record.md5 == md5
        return known and path is not None and path.is_file()

    def put(self, attachment: ZoteroAttachment, content: bytes, record: StoredFile) -> None:
        """Keep a file in place of the one before."""
        path, place = self.path_of(attachment), self._place(attachment)
        if path is None:
            raise ValueError(f"attachment {attachment.key} names no file")
        place.mkdir(parents=True, exist_ok=True)
        _write(path, content)
        for other in place.iterdir():
            if other != path:
                other.unlink()
        _write(self._record(attachment), json.dumps(asdict(record)).encode())

    def _place(self, attachment: ZoteroAttachment) -> Path:
        return self.folder / attachment.library.path / attachment.key

    def _record(self, attachment: ZoteroAttachment) -> Path:
        return self._place(attachment).with_suffix(".json")

    def _record_of(self, attachment: ZoteroAttachment) -> StoredFile | None:
        try:
            return StoredFile(**json.loads(self._record(attachment).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None


def _name_of(stored: str) -> str:
    """The last part of a path of any system; empty where no file can be called so."""
    name = PureWindowsPath(stored).name
    size = len(name.encode("utf-8", "replace"))
    sound = name not in (".", "..") and size <= _LONGEST_NAME and name.isprintable()
    return name if sound else ""


def _write(path: Path, content: bytes) -> None:
    """Write under another name and rename; what is written in part does not stay."""
    partial = path.with_name(path.name + _PARTIAL)
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
