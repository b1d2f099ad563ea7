"""Conversion in this process, of the very bytes a source is named by."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.application.ports.conversion import Conversion, DocumentConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent, ImageBegun, PageBegun
from citeloom.domain.errors import UnsupportedFormat
from citeloom.infrastructure.conversion.file_converter import (
    ConverterFactory,
    FileConverter,
    FileTask,
    ImageReading,
    check_unchanged,
)


class FileConversion(DocumentConverter):
    """Converts with what `factory` builds for the first file.

    Kinds of files whose reader changes without the others have their `own_versions`, by suffix. A
    file is hashed before and after it is converted, so that a result is never given for bytes that
    were replaced meanwhile.
    """

    def __init__(
        self,
        factory: ConverterFactory,
        *,
        version: str,
        suffixes: frozenset[str],
        own_versions: Mapping[str, str] | None = None,
    ) -> None:
        self._factory = factory
        self._version = version
        self._suffixes = suffixes
        self._own_versions = own_versions or {}
        self._built: FileConverter | None = None

    @property
    def version(self) -> str:
        return self._version

    def version_of(self, suffix: str) -> str:
        return self._own_versions.get(suffix, self._version)

    @property
    def suffixes(self) -> frozenset[str]:
        return self._suffixes

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        if source.path.suffix.lower() not in self._suffixes:
            raise UnsupportedFormat(
                f"{source.path.name} is of a kind that cannot be read",
                f"Readable are: {', '.join(sorted(self._suffixes))}.",
            )
        check_unchanged(source)
        try:
            if self._built is None:
                self._built = self._factory()
            reading = (
                ImageReading(source.ocr, lambda page: emit(ImageBegun(page)))
                if source.ocr
                else None
            )
            emit(PageBegun(0))
            result = self._built.convert(
                FileTask(
                    path=source.path,
                    doc_id=source.doc_id,
                    on_page=lambda page: emit(PageBegun(page)),
                    reading=reading,
                    plain=source.plain_pages,
                )
            )
        except Exception:
            check_unchanged(source)
            raise
        check_unchanged(source)
        return Conversion(result=result)
