"""The converter of each kind of file, built when the first of its kind comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.application.ports.conversion import PlainPages
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.file_converter import (
    NO_PLAIN_PAGES,
    ConverterFactory,
    FileConverter,
    ImageReading,
)
from citeloom.infrastructure.conversion.formats.archive import DEFAULT_BOUNDS, Bounds

_PDF = ".pdf"
_TEXTS = frozenset({".html", ".htm", ".xhtml", ".md", ".markdown", ".mdx", ".txt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyConversion:
    """Builds a converter for every kind of file; that for PDFs is what `pdf` builds."""

    pdf: ConverterFactory
    bounds: Bounds = DEFAULT_BOUNDS

    def __call__(self) -> FileConverter:
        return BySuffix(self.pdf, self.bounds)


@dataclass(slots=True)
class BySuffix(FileConverter):
    """Converts a file with the converter of its suffix, which is loaded at its first file.

    Text beyond the bounds is refused before it is read.
    """

    pdf: ConverterFactory
    bounds: Bounds = DEFAULT_BOUNDS
    _built: dict[str, FileConverter] = field(default_factory=dict)

    def convert(
        self,
        path: Path,
        doc_id: str,
        on_page: Callable[[int], None],
        reading: ImageReading | None = None,
        plain: PlainPages = NO_PLAIN_PAGES,
    ) -> ConversionResult:
        suffix = path.suffix.lower()
        if suffix in _TEXTS:
            _check_size(path, self.bounds)
        if suffix not in self._built:
            self._built[suffix] = self.pdf() if suffix == _PDF else _OTHERS[suffix](self.bounds)
        return self._built[suffix].convert(path, doc_id, on_page, reading, plain)


def _check_size(path: Path, bounds: Bounds) -> None:
    with suppress(OSError):  # the converter says what is wrong with it
        bounds.check_text(path, path.stat().st_size)


def _html(bounds: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.pages import html_page

    return PageConverter(html_page, bounds)


def _markdown(bounds: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.markdown.converter import MarkdownConverter

    return MarkdownConverter(bounds)


def _text(_: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.markdown.converter import PlainTextConverter

    return PlainTextConverter()


def _epub(bounds: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import PageConverter
    from citeloom.infrastructure.conversion.formats.epub import epub_page

    return PageConverter(epub_page, bounds)


def _word(bounds: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import OfficeConverter
    from citeloom.infrastructure.conversion.formats.office import word_file

    return OfficeConverter(word_file, bounds)


def _presentation(bounds: Bounds) -> FileConverter:
    from citeloom.infrastructure.conversion.formats.converters import OfficeConverter
    from citeloom.infrastructure.conversion.formats.office import presentation

    return OfficeConverter(presentation, bounds)


_OTHERS: Mapping[str, Callable[[Bounds], FileConverter]] = {
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".md": _markdown,
    ".markdown": _markdown,
    ".mdx": _markdown,
    ".txt": _text,
    ".epub": _epub,
    ".docx": _word,
    ".pptx": _presentation,
}

SUFFIXES = frozenset({_PDF, *_OTHERS})
"""The suffixes of the files that can be converted."""
