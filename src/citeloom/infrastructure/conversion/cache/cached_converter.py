"""Conversions kept on disk, by the content they were made from and the converter's version."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from citeloom.application.ports.document_converter import Conversion, DocumentConverter, Source
from citeloom.application.ports.executor import Tell
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.cache.entry import SCHEMA, InvalidEntry, decode, encode
from citeloom.infrastructure.conversion.unchanged import check_unchanged

_log = structlog.get_logger(__name__)


class CachedConverter(DocumentConverter):
    """Answers from `root` what was converted before, and has `converter` convert the rest.

    Of a document with pages that are images the result is kept under what `reading` calls the way
    they were read, or left unread. What is wanted afresh is converted all the same. Errors are
    not kept. An entry that cannot be read counts as absent and is written anew; one that cannot
    be written is logged, and the run goes on.
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
        key = f"{SCHEMA}/{converter.version}"
        self._version_key = hashlib.sha256(key.encode()).hexdigest()[:16]

    @property
    def version(self) -> str:
        return self._converter.version

    @property
    def suffixes(self) -> frozenset[str]:
        return self._converter.suffixes

    def load(self, source: Source) -> ConversionResult | None:
        """The result kept for the source, or None; never converts."""
        path = self._path(source)
        try:
            return decode(path.read_bytes(), converter_version=self.version, doc_id=source.doc_id)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, InvalidEntry) as error:
            _log.warning("cached_conversion_unusable", path=str(path), reason=str(error))
            return None

    def convert(self, source: Source, tell: Tell) -> Conversion:
        kept = None if source.afresh else self.load(source)
        if kept is not None:
            check_unchanged(source)
            return Conversion(result=kept, cached=True)
        converted = self._converter.convert(source, tell)
        self._keep(source, converted.result)
        return converted

    def _path(self, source: Source) -> Path:
        """Where the source's result is kept: as one without images if there is such a file."""
        plain = self._place(source, "")
        return plain if plain.exists() else self._place(source, self._reading(source.ocr))

    def _place(self, source: Source, reading: str) -> Path:
        key = f"-{hashlib.sha256(reading.encode()).hexdigest()[:8]}" if reading else ""
        name = f"{source.content_hash}-{self._version_key}{key}.json.gz"
        return self._root / source.content_hash[:2] / name

    def _keep(self, source: Source, result: ConversionResult) -> None:
        reading = self._reading(source.ocr) if result.depends_on_ocr else ""
        path = self._place(source, reading)
        try:
            _write_whole(path, encode(result, self.version))
        except (OSError, InvalidEntry) as error:
            _log.warning("conversion_not_cached", path=str(path), reason=str(error))


def _write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path` so that a reader sees all of it or nothing."""
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
