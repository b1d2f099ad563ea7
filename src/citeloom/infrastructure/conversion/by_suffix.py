"""The converter of each kind of file, built when the first of its kind comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.file_converter import (
    ConverterFactory,
    FileConverter,
    FileTask,
)
from citeloom.infrastructure.conversion.formats.archive import DEFAULT_BOUNDS, Bounds
from citeloom.infrastructure.extensions import CONVERTERS, ConvertText, Extension, added_extensions

_PDF = ".pdf"
_TEXTS = frozenset({".html", ".htm", ".xhtml", ".md", ".markdown", ".mdx", ".txt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyConversion:
    """Builds a converter for every kind of file; that for PDFs is what `pdf` builds."""

    pdf: ConverterFactory
    bounds: Bounds = DEFAULT_BOUNDS
    added: Mapping[str, Extension] = field(default_factory=dict)
    """Converters of other distributions by suffix."""

    def __call__(self) -> FileConverter:
        return BySuffix(self.pdf, self.bounds, self.added)


@dataclass(slots=True)
class BySuffix(FileConverter):
    """Converts a file with the converter of its suffix, which is loaded at its first file.

    Text beyond the bounds is refused before it is read.
    """

    pdf: ConverterFactory
    bounds: Bounds = DEFAULT_BOUNDS
    added: Mapping[str, Extension] = field(default_factory=dict)
    _built: dict[str, FileConverter] = field(default_factory=dict)

    def convert(self, task: FileTask) -> ConversionResult:
        suffix = task.path.suffix.lower()
        if suffix in _TEXTS or suffix in self.added:
            with suppress(OSError):  # the converter says what is wrong with it
                self.bounds.check_text(task.path, task.path.stat().st_size)
        if suffix not in self._built:
            self._built[suffix] = self._build(suffix)
        return self._built[suffix].convert(task)

    def _build(self, suffix: str) -> FileConverter:
        if suffix == _PDF:
            return self.pdf()
        if suffix in _OTHERS:
            return _OTHERS[suffix](self.bounds)
        from citeloom.infrastructure.conversion.markdown.converter import AddedConverter

        extension = self.added[suffix]
        read = cast("ConvertText", extension.load())
        return AddedConverter(read, self.bounds, extension.full_version)


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


def added_converters() -> dict[str, Extension]:
    """Converters of other distributions, by the suffixes that they are for."""
    added = added_extensions(CONVERTERS.group)
    by_suffix = {f".{name.lower()}": extension for name, extension in added.items()}
    return {suffix: by_suffix[suffix] for suffix in by_suffix if suffix not in SUFFIXES}
