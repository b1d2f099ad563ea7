"""A cache entry: a conversion as compressed JSON, with its schema and converter version."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.conversion import ConversionResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# Raise it whenever a field of `ConversionResult`, or of a value in it, changes its meaning, or
# wrong entries may have been written.
SCHEMA = 4
# An entry is a twentieth larger than at the default level, and is written in half the time.
_COMPRESSION = 4

_SCHEMA_FIELD = re.compile(rb'{"schema":\s*(\d+),')
_HEAD_BYTES = 64


class InvalidEntry(Exception):
    """The bytes are not a valid entry of this schema, converter and document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    schema: int
    converter_version: str
    result: ConversionResult


def encode(result: ConversionResult, converter_version: str) -> bytes:
    """The entry for a result. Raises `InvalidEntry` if it cannot be written as JSON."""
    entry = _Entry(schema=SCHEMA, converter_version=converter_version, result=result)
    try:
        content = _entries().dump_json(entry)
    except ValueError as error:
        raise InvalidEntry(f"the result is not JSON: {error}") from error
    return gzip.compress(content, _COMPRESSION, mtime=0)


def decode(content: bytes, *, converter_version: str, doc_id: str) -> ConversionResult:
    """The result in an entry. Raises `InvalidEntry` if it is damaged or another entry."""
    try:
        entry = _entries().validate_json(gzip.decompress(content))
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise InvalidEntry(f"the entry is damaged: {error}") from error
    if entry.schema != SCHEMA:
        raise InvalidEntry(f"the entry has schema {entry.schema}, not {SCHEMA}")
    if entry.converter_version != converter_version:
        raise InvalidEntry(f"the entry was made by {entry.converter_version}")
    if entry.result.doc_id != doc_id:
        raise InvalidEntry(f"the entry is of document {entry.result.doc_id}, not {doc_id}")
    return entry.result


def schema_of(path: Path) -> int | None:
    """The schema of the entry in a file, from its first bytes; None if it is damaged."""
    try:
        with gzip.open(path) as stream:
            head = stream.read(_HEAD_BYTES)
    except (EOFError, OSError, zlib.error):
        return None
    match = _SCHEMA_FIELD.match(head)
    return int(match[1]) if match else None


@cache
def _entries() -> TypeAdapter[_Entry]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - a run without conversions does without

    return TypeAdapter(_Entry)
