"""The converter of each kind of file, built when the first of its kind comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.conversion.file_converter import (
    ConverterFactory,
    FileConverter,
    ImageReading,
)

_PDF = ".pdf"
_TEXTS = frozenset({".html", ".htm", ".xhtml", ".md", ".markdown", ".txt"})
_MEGABYTE = 1 << 20
DEFAULT_TEXT_MB = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyConversion:
    """Builds a converter for every kind of file; that for PDFs is what `pdf` builds."""

    pdf: ConverterFactory
    max_text_mb: int = DEFAULT_TEXT_MB

    def __call__(self) -> FileConverter:
        return BySuffix(self.pdf, self.max_text_mb)


@dataclass(slots=True)
class BySuffix(FileConverter):
    """Converts a file as its suffix says; what that needs is loaded when it is first needed.

    Text of more than `max_text_mb` megabytes is refused before it is read.
    """

    pdf: ConverterFactory
    max_text_mb: int = DEFAULT_TEXT_MB
    _built: dict[str, FileConverter] = field(default_factory=dict)

    def convert(
        self,
        path: Path,
        doc_id: str,
        on_page: Callable[[int], None],
        reading: ImageReading | None = None,
    ) -> ConversionResult:
        suffix = path.suffix.lower()
        if suffix in _TEXTS:
            _check_size(path, self.max_text_mb)
        if suffix not in self._built:
            self._built[suffix] = self.pdf() if suffix == _PDF else _OTHERS[suffix]()
        return self._built[suffix].convert(path, doc_id, on_page, reading)


def _check_size(path: Path, max_mb: int) -> None:
    try:
        size = path.stat().st_size
    except OSError:
        return  # the converter says what is wrong with it
    if size > max_mb * _MEGABYTE:
        raise UnreadableDocument(
            f"{path.name} has {size // _MEGABYTE} MB of text; no more than {max_mb} MB are read",
            "Split it, or raise max_text_mb under [conversion].",
        )


def _html() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.pages import html_page

    return PageConverter(html_page)


def _markdown() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.pages import markdown_page

    return PageConverter(markdown_page)


def _text() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.pages import text_page

    return PageConverter(text_page)


def _epub() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.epub import epub_page

    return PageConverter(epub_page)


def _word() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import OfficeConverter
    from citeloom.infrastructure.conversion.formats.office import word_file

    return OfficeConverter(word_file)


def _presentation() -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import OfficeConverter
    from citeloom.infrastructure.conversion.formats.office import presentation

    return OfficeConverter(presentation)


_OTHERS: Mapping[str, ConverterFactory] = {
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".md": _markdown,
    ".markdown": _markdown,
    ".txt": _text,
    ".epub": _epub,
    ".docx": _word,
    ".pptx": _presentation,
}

SUFFIXES = frozenset({_PDF, *_OTHERS})
"""The suffixes of the files that can be converted."""
