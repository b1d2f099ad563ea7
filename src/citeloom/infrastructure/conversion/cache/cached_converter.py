"""The cache of conversions on disk, by content hash and converter version."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from citeloom.application.ports.document_converter import (
    Conversion,
    DocumentConverter,
    PlainPages,
    Source,
)
from citeloom.application.ports.executor import Tell
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.cache.entry import SCHEMA, InvalidEntry, decode, encode
from citeloom.infrastructure.conversion.cache.older_schemas import delete_older_entries
from citeloom.infrastructure.conversion.unchanged import check_unchanged

_log = structlog.get_logger(__name__)


class CachedConverter(DocumentConverter):
    """Returns conversions cached below `root`, and caches those of `converter`.

    The key of a document with image pages includes `reading`, a name for how OCR reads them, and
    that of a source with plain pages includes these. A source with `afresh` is always converted.
    Errors are not cached. A damaged entry counts as absent and is replaced; one that cannot be
    written is logged. Entries of older schemas are deleted before the first write.
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

    @property
    def version(self) -> str:
        return self._converter.version

    def version_of(self, suffix: str) -> str:
        return self._converter.version_of(suffix)

    @property
    def suffixes(self) -> frozenset[str]:
        return self._converter.suffixes

    def load(self, source: Source) -> ConversionResult | None:
        """The cached result of the source, or None; never converts."""
        path = self._path(source)
        try:
            version = _version(self, source)
            return decode(path.read_bytes(), converter_version=version, doc_id=source.doc_id)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, InvalidEntry) as error:
            _log.warning("cached_conversion_unusable", path=str(path), reason=str(error))
            return None

    def convert(self, source: Source, tell: Tell) -> Conversion:
        cached_result = None if source.afresh else self.load(source)
        if cached_result is not None:
            check_unchanged(source)
            return Conversion(result=cached_result, cached=True)
        converted = self._converter.convert(source, tell)
        self._store(source, converted.result)
        return converted

    def _path(self, source: Source) -> Path:
        """The path of the source's entry: that without OCR and plain pages if it exists."""
        read = self._reading(source.ocr)
        keys = ("", read, _with_plain_pages("", source), _with_plain_pages(read, source))
        *others, last = (self._place(source, key) for key in keys)
        return next((path for path in others if path.exists()), last)

    def _place(self, source: Source, reading: str) -> Path:
        key = f"-{hashlib.sha256(reading.encode()).hexdigest()[:8]}" if reading else ""
        version = hashlib.sha256(f"{SCHEMA}/{_version(self, source)}".encode()).hexdigest()[:16]
        name = f"{source.content_hash}-{version}{key}.json.gz"
        return self._root / source.content_hash[:2] / name

    def _store(self, source: Source, result: ConversionResult) -> None:
        reading = self._reading(source.ocr) if result.depends_on_ocr else ""
        path = self._place(source, _with_plain_pages(reading, source))
        try:
            self._delete_older_entries()
            _write_atomically(path, encode(result, _version(self, source)))
        except (OSError, InvalidEntry) as error:
            _log.warning("conversion_not_cached", path=str(path), reason=str(error))

    def _delete_older_entries(self) -> None:
        if not self._cleaned:
            delete_older_entries(self._root)
            self._cleaned = True


def _with_plain_pages(reading: str, source: Source) -> str:
    plain = source.plain_pages
    if plain == PlainPages():
        return reading
    read = f"{sorted(plain.numbers)} {plain.first}"
    return f"{reading} {read} {sorted(plain.lost)} {plain.lost_from}"


def _version(converter: DocumentConverter, source: Source) -> str:
    return converter.version_of(source.path.suffix.lower())


def _write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            partial.unlink()
            raise
    partial.replace(path)
