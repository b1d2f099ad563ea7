"""EPUB: the chapters of a book in reading order as one page."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

from bs4.dammit import EncodingDetector
from lxml import etree

from citeloom.infrastructure.conversion.formats.archive import (
    DAMAGE,
    Bounds,
    damaged,
    decode,
    locked,
    read_archive,
)
from citeloom.infrastructure.conversion.formats.html_page import (
    HtmlPage,
    PageConverter,
    take_hidden,
)
from citeloom.infrastructure.conversion.formats.markup import Declared, parse_html, simplify

_CONTAINER = "META-INF/container.xml"
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml")
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTER_TYPES = ("application/xhtml+xml", "text/html")


class EpubConverter(PageConverter):
    """Converts EPUB."""

    def read(self, path: Path, bounds: Bounds) -> HtmlPage:
        """Its chapters in reading order; unreadable ones are named in the notes."""
        with ZipFile(read_archive(path, bounds)) as archive:
            try:
                elements = _all(_xml(archive, _CONTAINER), "rootfile")
                if not elements:
                    raise KeyError("rootfile")
                rootfile = elements[0]
                opf = rootfile.get("full-path", "")
                root = _xml(archive, opf)
                members = {item.get("id", ""): item for item in _all(root, "item")}
                refs = (ref.get("idref", "") for ref in _all(root, "itemref"))
                folder = posixpath.dirname(opf)
                chapters = (
                    posixpath.normpath(
                        posixpath.join(folder, unquote(members[ref].get("href", "")))
                    )
                    for ref in refs
                    if _is_chapter(members, ref)
                )
                identifiers = (text for text in _texts(root, "identifier") if "10." in text)
                package = _Package(
                    chapters=tuple(dict.fromkeys(chapters)),
                    declared=Declared(
                        title=next(_texts(root, "title"), ""),
                        authors=tuple(_texts(root, "creator")),
                        doi=next(identifiers, ""),
                    ),
                )
                locked_members = _locked_members(archive)
            except (*DAMAGE, etree.XMLSyntaxError) as error:
                raise damaged(path, "its package file cannot be read") from error
            if locked_members.intersection(package.chapters):
                raise locked(path)
            bodies, notes = [], []
            for chapter in package.chapters:
                try:
                    bodies.append(_body(archive, chapter, bounds))
                except DAMAGE:
                    notes.append(f"chapter {chapter} cannot be read and was left out")
        if not bodies:
            raise damaged(path, "none of its chapters can be read")
        soup = parse_html("\n".join(bodies), bounds)
        hidden = take_hidden(soup)
        html = simplify(soup)
        return HtmlPage(html=html, declared=package.declared, notes=tuple(notes), hidden=hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    """The archive members of the chapters in reading order, and the book's metadata."""

    chapters: tuple[str, ...]
    declared: Declared


def _is_chapter(members: Mapping[str, etree._Element], ref: str) -> bool:
    """Whether the manifest item is a chapter and not the table of contents."""
    if ref not in members:
        return False
    item = members[ref]
    is_contents = "nav" in item.get("properties", "").split()
    return item.get("media-type", "") in _CHAPTER_TYPES and not is_contents


def _locked_members(archive: ZipFile) -> set[str]:
    """The encrypted members, obfuscated fonts included."""
    names = set(archive.namelist())
    if names.intersection(_RIGHTS):
        return names
    if _ENCRYPTION not in names:
        return set()
    references = _all(_xml(archive, _ENCRYPTION), "CipherReference")
    return {unquote(reference.get("URI", "")) for reference in references}


def _body(archive: ZipFile, name: str, bounds: Bounds) -> str:
    content = archive.read(name)
    declared = EncodingDetector.find_declared_encoding(content, is_html=True)
    soup = parse_html(decode(name, content, declared).text, bounds)
    return (soup.body or soup).decode_contents()


def _xml(archive: ZipFile, name: str) -> etree._Element:
    """A member as XML; entities are not expanded and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(archive.read(name), parser)


def _all(root: etree._Element, name: str) -> list[etree._Element]:
    nodes = root.xpath(f"//*[local-name() = '{name}']")
    return [node for node in nodes if isinstance(node, etree._Element)]


def _texts(root: etree._Element, name: str) -> Iterator[str]:
    for element in _all(root, name):
        if text := " ".join("".join(element.itertext()).split()):
            yield text
