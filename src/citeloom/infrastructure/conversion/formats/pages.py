"""HTML, Markdown and plain text as simplified HTML with metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bs4.dammit import EncodingDetector
from marko import Markdown

from citeloom.infrastructure.conversion.formats.bounds import Bounds
from citeloom.infrastructure.conversion.formats.decoding import content_of, decoded
from citeloom.infrastructure.conversion.formats.front_matter import without_front_matter
from citeloom.infrastructure.conversion.formats.markup import (
    Declared,
    declared_in,
    made_plain,
    paragraphs,
    parsed,
)

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+|\f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Simplified HTML, the file's metadata, and the assumptions made to read it."""

    html: str
    declared: Declared
    notes: tuple[str, ...] = ()


def html_page(path: Path, bounds: Bounds) -> Page:
    """An HTML or XHTML file."""
    content = content_of(path)
    header = EncodingDetector.find_declared_encoding(content, is_html=True)
    text = decoded(path.name, content, header)
    soup = parsed(text.text, bounds)
    declared = declared_in(soup)
    return Page(html=made_plain(soup), declared=declared, notes=text.notes)


def markdown_page(path: Path, bounds: Bounds) -> Page:
    """A Markdown file, as GitHub reads it, with footnotes."""
    text = decoded(path.name, content_of(path))
    body, declared, notes = without_front_matter(text.text)
    html = made_plain(parsed(_markdown().convert(body), bounds))
    return Page(html=html, declared=declared, notes=text.notes + notes)


def text_page(path: Path, _: Bounds) -> Page:
    """A plain text, with paragraphs separated by blank lines."""
    text = decoded(path.name, content_of(path))
    stretches = (stretch.strip() for stretch in _BLANK_LINES.split(text.text))
    html = paragraphs(stretch for stretch in stretches if stretch)
    return Page(html=html, declared=Declared(), notes=text.notes)


@cache
def _markdown() -> Markdown:
    return Markdown(extensions=["gfm", "footnote"])
