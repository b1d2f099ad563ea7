"""Files of the formats beside PDF: of a single paragraph, or of parts to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import docx
import pptx

_CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""
_PACKAGE = """<?xml version="1.0"?>{doctype}
<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>
<manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
{items}</manifest><spine><itemref idref="nav"/>{refs}</spine></package>"""
_CHAPTER = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>-</title></head><body>{body}</body></html>"""


def write_text(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def write_html(path: Path, text: str) -> Path:
    return write_text(path.with_suffix(".html"), f"<!DOCTYPE html><p>{escape(text)}</p>")


def write_docx(path: Path, text: str) -> Path:
    document = docx.Document()
    document.add_paragraph(text)
    document.save(str(path.with_suffix(".docx")))
    return _undated(path.with_suffix(".docx"))


def write_pptx(path: Path, text: str) -> Path:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, 5_000_000, 1_000_000).text_frame.text = text
    slides.save(str(path.with_suffix(".pptx")))
    return _undated(path.with_suffix(".pptx"))


def write_epub(
    path: Path,
    *chapters: str,
    metadata: str = "",
    doctype: str = "",
    manifest: str = "",
    more: Mapping[str, bytes | str] | None = None,
) -> Path:
    """A book of these chapters, each the inside of a body."""
    path = path.with_suffix(".epub")
    kind = 'media-type="application/xhtml+xml"'
    items = (f'<item id="c{n}" href="c%20{n}.xhtml" {kind}/>' for n in range(len(chapters)))
    refs = (f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = _PACKAGE.format(
        doctype=doctype, metadata=metadata, items="".join([*items, manifest]), refs="".join(refs)
    )
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/book.opf": package,
        "OEBPS/nav.xhtml": _CHAPTER.format(body="<nav><ol><li>All of it</li></ol></nav>"),
        **{f"OEBPS/c {n}.xhtml": _CHAPTER.format(body=c) for n, c in enumerate(chapters)},
        **(more or {}),
    }
    return write_zip(path, members)


def write_zip(path: Path, members: Mapping[str, bytes | str]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    return path


def _undated(path: Path) -> Path:
    """The archive without the time it was made at, so that the same words are the same bytes."""
    with ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    return write_zip(path, members)


WRITERS: Mapping[str, Callable[[Path, str], Path]] = {
    "html": write_html,
    "xhtml": lambda path, text: write_text(path.with_suffix(".xhtml"), f"<p>{escape(text)}</p>"),
    "markdown": lambda path, text: write_text(path.with_suffix(".markdown"), text),
    "text": lambda path, text: write_text(path.with_suffix(".txt"), text),
    "docx": write_docx,
    "pptx": write_pptx,
    "epub": lambda path, text: write_epub(path, f"<p>{escape(text)}</p>"),
}
