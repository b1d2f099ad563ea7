"""Deletion of cache entries of older schemas, once after each change of the schema."""

from __future__ import annotations

from pathlib import Path

from citeloom.infrastructure.conversion.cache.entry import SCHEMA, schema_of

_MARKER = "schema"


def delete_older_entries(root: Path) -> None:
    """Delete the entries below `root` that have an older schema than the current one.

    A marker file records the schema up to which this was done, so that later calls only read that.
    """
    marker = root / _MARKER
    if _recorded(marker) >= SCHEMA:
        return
    for path in root.glob("*/*.json.gz"):
        schema = schema_of(path)
        if schema is not None and schema < SCHEMA:
            path.unlink(missing_ok=True)
    root.mkdir(parents=True, exist_ok=True)
    marker.write_text(str(SCHEMA), encoding="utf-8")


def _recorded(marker: Path) -> int:
    try:
        return int(marker.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return 0
