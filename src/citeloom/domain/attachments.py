"""Matching documents to references by path."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_GENERIC_NAME = re.compile(
    r"[\W\d_]*(?:full ?text|document|paper|article|main|download|manuscript|preprint|file|book"
    r"|chapter|thesis|report|pdf|untitled|scan|attachment|supplement(?:ary)?)?[\W\d_]*",
    re.IGNORECASE,
)


def path_parts(path: str) -> tuple[str, ...]:
    """The parts of a path of any system, case and Unicode form ignored."""
    plain = unicodedata.normalize("NFC", path.strip().removeprefix("file://")).replace("\\", "/")
    return tuple(part for part in plain.casefold().split("/") if part not in ("", "."))


def common_tail(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many parts two paths share, counted from the file's name upwards."""
    shared = 0
    for ours, theirs in zip(reversed(one), reversed(other)):
        if ours != theirs:
            break
        shared += 1
    return shared


def mapped_citekey(path: str, mapping: Mapping[str, str]) -> str | None:
    """The citekey of the longest pattern that fits: a path's tail, a file name or a glob."""
    parts = path_parts(path)
    fitting = [pattern for pattern in mapping if _fits(parts, path_parts(pattern))]
    return mapping[max(fitting, key=lambda pattern: (len(pattern), pattern))] if fitting else None


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    if not parts or not pattern:
        return False
    literally = common_tail(parts, pattern) == len(pattern)
    return literally or PurePosixPath(*parts).match("/".join(pattern))


def attached_to(path: str, attachments: Iterable[tuple[str, str]]) -> str | None:
    """The citekey among `(file, citekey)` whose file shares the longest tail with `path`.

    None on a tie, or when only a generic file name agrees.
    """
    parts = path_parts(path)
    shared: dict[str, int] = {}
    for file, citekey in attachments:
        tail = common_tail(parts, path_parts(file))
        shared[citekey] = max(tail, shared.get(citekey, 0))
    longest = max(shared.values(), default=0)
    if longest == 0 or (longest == 1 and _GENERIC_NAME.fullmatch(PurePosixPath(parts[-1]).stem)):
        return None
    nearest = [citekey for citekey, tail in shared.items() if tail == longest]
    return nearest[0] if len(nearest) == 1 else None
