"""An HTML page as simplified HTML with metadata."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bs4.dammit import EncodingDetector

from citeloom.infrastructure.conversion.formats.bounds import Bounds
from citeloom.infrastructure.conversion.formats.decoding import content_of, decoded
from citeloom.infrastructure.conversion.formats.hidden_html import take_hidden
from citeloom.infrastructure.conversion.formats.markup import (
    Declared,
    declared_in,
    made_plain,
    parsed,
)
from citeloom.infrastructure.conversion.hidden_text import HiddenPassage


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Simplified HTML, the file's metadata, the assumptions made to read it, and text that was left
    out because no reader sees it.
    """

    html: str
    declared: Declared
    notes: tuple[str, ...] = ()
    hidden: tuple[HiddenPassage, ...] = ()


def html_page(path: Path, bounds: Bounds) -> Page:
    """An HTML or XHTML file."""
    content = content_of(path)
    header = EncodingDetector.find_declared_encoding(content, is_html=True)
    text = decoded(path.name, content, header)
    soup = parsed(text.text, bounds)
    declared = declared_in(soup)
    hidden = take_hidden(soup)
    return Page(html=made_plain(soup), declared=declared, notes=text.notes, hidden=hidden)
