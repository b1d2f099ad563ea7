"""The cache of conversions on disk, by content hash and converter version."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from citeloom.application.ports.conversion import (
    Conversion,
    DocumentConverter,
    PlainPages,
    SourceFile,
)
from citeloom.application.ports.runtime import EmitEvent
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.file_conversion import check_unchanged
from citeloom.infrastructure.whole_file import replace_file

if TYPE_CHECKING:
    from pydantic import TypeAdapter


# A cache entry: a conversion as compressed JSON, with its schema and converter version.

# Raise it whenever a field of `ConversionResult`, or of a value in it, changes its meaning, or
# wrong entries may have been written.
SCHEMA = 8
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


# Deletion of cache entries of older schemas, once after each change of the schema.

_MARKER = "schema"


def delete_older_entries(root: Path) -> None:
    """Delete the entries below `root` that have an older schema than the current one.

    A marker file records the schema up to which this was done, so that later calls only read that.
    """
    marker = root / _MARKER
    try:
        recorded = int(marker.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        recorded = 0
    if recorded >= SCHEMA:
        return
    for path in root.glob("*/*.json.gz"):
        schema = schema_of(path)
        if schema is not None and schema < SCHEMA:
            path.unlink(missing_ok=True)
    root.mkdir(parents=True, exist_ok=True)
    marker.write_text(str(SCHEMA), encoding="utf-8")


_log = structlog.get_logger(__name__)


class CachedConverter(DocumentConverter):
    """Returns conversions cached below `root`, and caches those of `converter`.

    The key of a document with image pages includes `reading`, a name for how OCR reads them, and
    that of a source with plain pages includes these. A source with `ignore_cache` is always
    converted. Errors are not cached. A damaged entry counts as absent and is replaced; one that
    cannot be written is logged. Entries of older schemas are deleted before the first write. What
    `cached_result` gave last is what a conversion of the same source gives next.
    """

    def __init__(
        self,
        converter: DocumentConverter,
        root: Path,
        *,
        reading: Callable[[OcrOptions | None], str] = str,
    ) -> None:
        self._converter = converter
        self._root = root
        self._reading = reading
        self._cleaned = False
        self._latest: tuple[SourceFile, ConversionResult] | None = None

    def version_of(self, suffix: str) -> str:
        return self._converter.version_of(suffix)

    @property
    def suffixes(self) -> frozenset[str]:
        return self._converter.suffixes

    def cached_result(self, source: SourceFile, /) -> ConversionResult | None:
        result = self._load(source)
        self._latest = (source, result) if result else None
        return result

    def _load(self, source: SourceFile) -> ConversionResult | None:
        # that without OCR and plain pages if it exists
        read, again = self._reading(source.ocr), bool(source.ocr and source.ocr.again)
        once = self._read_once(source)
        keys = {key: key for key in ("", once, read)}
        keys |= {_with_plain_pages(key, source): key for key in keys}
        for key, reading in keys.items():
            path = self._place(source, key)
            result = self._decoded(source, path) if path.exists() else None
            if result and not (again and result.layer_pages and reading != read):
                return result
        return None

    def _read_once(self, source: SourceFile) -> str:
        """How a document is read in which no scan has a text of its own."""
        return self._reading(replace(source.ocr, again=False) if source.ocr else None)

    def _decoded(self, source: SourceFile, path: Path) -> ConversionResult | None:
        try:
            version = _version(self, source)
            return decode(path.read_bytes(), converter_version=version, doc_id=source.doc_id)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, InvalidEntry) as error:
            _log.warning("cached_conversion_unusable", path=str(path), reason=str(error))
            return None

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        latest, self._latest = self._latest, None
        result = None
        if not source.ignore_cache:
            result = latest[1] if latest and latest[0] == source else self._load(source)
        if result is not None:
            check_unchanged(source)
            return Conversion(result=result, cached=True)
        converted = self._converter.convert(source, emit)
        self._store(source, converted.result)
        return converted

    def _place(self, source: SourceFile, reading: str) -> Path:
        key = f"-{hashlib.sha256(reading.encode()).hexdigest()[:8]}" if reading else ""
        version = hashlib.sha256(f"{SCHEMA}/{_version(self, source)}".encode()).hexdigest()[:16]
        name = f"{source.content_hash}-{version}{key}.json.gz"
        return self._root / source.content_hash[:2] / name

    def _store(self, source: SourceFile, result: ConversionResult) -> None:
        once = "" if not result.depends_on_ocr else self._read_once(source)
        reading = self._reading(source.ocr) if once and result.layer_pages else once
        path = self._place(source, _with_plain_pages(reading, source))
        try:
            if not self._cleaned:
                delete_older_entries(self._root)
                self._cleaned = True
            _write_atomically(path, encode(result, _version(self, source)))
        except (OSError, InvalidEntry) as error:
            _log.warning("conversion_not_cached", path=str(path), reason=str(error))


def _with_plain_pages(reading: str, source: SourceFile) -> str:
    plain = source.plain_pages
    if plain == PlainPages():
        return reading
    read = f"{sorted(plain.numbers)} {plain.first}"
    return f"{reading} {read} {sorted(plain.lost)} {plain.lost_from}"


def _version(converter: DocumentConverter, source: SourceFile) -> str:
    return converter.version_of(source.path.suffix.lower())


def _write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, content)
