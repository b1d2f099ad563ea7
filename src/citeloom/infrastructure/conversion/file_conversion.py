"""Conversion in this process, of the very bytes a source is named by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from citeloom.application.ports.conversion import (
    Conversion,
    DocumentConverter,
    FileConverter,
    SourceFile,
)
from citeloom.application.ports.runtime import EmitEvent, PageBegun
from citeloom.domain.errors import SourceChanged, UnreadableDocument, UnsupportedFormat
from citeloom.infrastructure.conversion.versions import converter_version

_BLOCK = 1 << 20


def check_unchanged(source: SourceFile) -> None:
    """Raise `SourceChanged` when the file has other bytes than the source says, and
    `UnreadableDocument` when it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with source.path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise UnreadableDocument(
            f"the file cannot be read: {error.strerror}", "Check its permissions."
        ) from error
    if digest.hexdigest() != source.content_hash:
        raise SourceChanged(
            f"{source.path.name} changed while it was read",
            "Run the command again once nothing writes to the file.",
        )


class FileConversion(DocumentConverter):
    """Converts each file with what `open_converter` returns for the first of its suffix.

    `versions` are those of the converters by suffix. A file is hashed before and after it is
    converted, so that a result is never given for bytes that were replaced meanwhile.
    """

    def __init__(
        self, open_converter: Callable[[str], FileConverter], versions: Mapping[str, str]
    ) -> None:
        self._open_converter = open_converter
        self._versions = versions
        self._opened: dict[str, FileConverter] = {}

    def version_of(self, suffix: str) -> str:
        return self._versions.get(suffix, converter_version())

    @property
    def suffixes(self) -> frozenset[str]:
        return frozenset(self._versions)

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        suffix = source.path.suffix.lower()
        if suffix not in self._versions:
            raise UnsupportedFormat(
                f"{source.path.name} is of a kind that cannot be read",
                f"Readable are: {', '.join(sorted(self._versions))}.",
            )
        check_unchanged(source)
        try:
            if suffix not in self._opened:
                self._opened[suffix] = self._open_converter(suffix)
            emit(PageBegun(0))
            result = self._opened[suffix].convert(source, emit)
        except Exception:
            check_unchanged(source)
            raise
        check_unchanged(source)
        return Conversion(result=replace(result, converter_version=self._versions[suffix]))
