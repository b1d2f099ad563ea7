"""Names of collections as Milvus takes them: letters, digits and underscores."""

from __future__ import annotations

import re
import uuid

_OTHERS = re.compile(r"[^A-Za-z0-9]")
_SEPARATOR = "__"
_LEADING = "c"
"""A name must not begin with a digit."""


def alias_of(name: str) -> str:
    """The alias of a collection; no two names share one."""
    if _OTHERS.search(name.replace("_", "")) is None and not name[:1].isdigit():
        return name
    return _LEADING + _SEPARATOR + _OTHERS.sub(_escape, name)


def physical_name(alias: str) -> str:
    """A new name for what stands behind an alias."""
    return f"{alias}{_SEPARATOR}{uuid.uuid4().hex}"


def first_name(alias: str) -> str:
    """The name of the first that stands behind an alias, the same for everybody, so that the server
    decides who makes it.
    """
    return f"{alias}{_SEPARATOR}{'0' * 32}"


def belongs_to(physical: str, alias: str) -> bool:
    """Whether `physical_name` or `first_name` made the name for the alias."""
    rest = physical.removeprefix(alias + _SEPARATOR)
    return rest != physical and re.fullmatch(r"[0-9a-f]{32}", rest) is not None


def _escape(match: re.Match[str]) -> str:
    return "".join(f"_{byte:02x}" for byte in match[0].encode())
