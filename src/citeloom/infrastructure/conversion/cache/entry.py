"""A conversion as bytes: compressed JSON that says by which converter and schema it was made."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from citeloom.domain.conversion import ConversionResult

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# To be raised whenever a field of `ConversionResult`, or of a value in it, changes its meaning, or
# entries may have been written that are wrong.
SCHEMA = 3
# An entry is a twentieth larger than at the default level, and made in half of the time.
_COMPRESSION = 4


class InvalidEntry(Exception):
    """The bytes are no conversion of this schema, converter and document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    schema: int
    converter_version: str
    result: ConversionResult


def encode(result: ConversionResult, converter_version: str) -> bytes:
    """The entry for a result; raises `InvalidEntry` when it cannot be written as JSON."""
    entry = _Entry(schema=SCHEMA, converter_version=converter_version, result=result)
    try:
        content = _entries().dump_json(entry)
    except ValueError as error:
        raise InvalidEntry(f"the result is not JSON: {error}") from error
    return gzip.compress(content, _COMPRESSION, mtime=0)


def decode(content: bytes, *, converter_version: str, doc_id: str) -> ConversionResult:
    """The result in an entry; raises `InvalidEntry` when it is not whole or not the one meant."""
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


@cache
def _entries() -> TypeAdapter[_Entry]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - a run without conversions does without

    return TypeAdapter(_Entry)
