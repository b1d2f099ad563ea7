"""The `file` field, in which reference managers list an entry's attachments."""

from __future__ import annotations

import re

_BETWEEN_ENTRIES = re.compile(r"(?<!\\);")
_BETWEEN_PARTS = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([:;\\{}])")


def attached_files(field: str) -> tuple[str, ...]:
    """The paths in `title:path:type;…` or `path;…`, colons and backslashes unescaped."""
    entries = _BETWEEN_ENTRIES.split(field.replace(r"$\backslash$", "\\"))
    return tuple(path for entry in entries if (path := _path(entry.strip())))


def _path(entry: str) -> str:
    _, *rest = _BETWEEN_PARTS.split(entry)
    path = ":".join(rest[:-1]) if len(rest) > 1 else entry
    return _ESCAPED.sub(r"\1", path).strip()
