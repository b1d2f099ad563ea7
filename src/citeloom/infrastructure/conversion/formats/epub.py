"""EPUB: the chapters of a book in reading order as one HTML page, with its printed pages."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

from bs4.dammit import EncodingDetector
from bs4.element import Tag
from lxml import etree

from citeloom.domain.documents.conversion import LeftOutKind
from citeloom.infrastructure.conversion.formats.archive import (
    DAMAGE,
    Bounds,
    damaged,
    decode,
    locked,
    read_archive,
)
from citeloom.infrastructure.conversion.formats.epub_sections import Entry, head_sections
from citeloom.infrastructure.conversion.formats.html_page import (
    HtmlPage,
    PageConverter,
    take_hidden,
)
from citeloom.infrastructure.conversion.formats.markup import (
    Declared,
    drop_unseen,
    parse_html,
    simplify,
)
from citeloom.infrastructure.conversion.formats.page_list import (
    PageBeginnings,
    mark_pages,
    with_doubtful_ends,
    without_marks,
)

_CONTAINER = "META-INF/container.xml"
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml")
_ENCRYPTION = "META-INF/encryption.xml"
_NCX_TYPE = "application/x-dtbncx+xml"
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_PAGE_LISTS = {"page-list", "doc-pagelist"}
_CHAPTER_TYPES = ("application/xhtml+xml", "text/html")


class EpubConverter(PageConverter):
    """Converts EPUB."""

    def read(self, path: Path, bounds: Bounds) -> HtmlPage:
        """Its chapters in reading order; unreadable ones are named in the notes."""
        with ZipFile(read_archive(path, bounds)) as opened:
            archive = _Archive(opened)
            root, folder, package = _package(archive, path)
            bodies, notes = {}, [*_others(package.others)]
            for chapter in package.chapters:
                try:
                    bodies[chapter] = _body(archive, chapter, bounds)
                except DAMAGE:
                    notes.append(f"chapter {chapter} cannot be read and was left out")
            apart = []
            for name in package.contents:
                with suppress(*DAMAGE):
                    text = _body(archive, name, bounds).get_text(" ")
                    apart.append((LeftOutKind.CONTENTS, text))
            contents: list[Entry] = []
            listed: list[Entry] = []
            try:
                contents = _entries(archive, root, folder, (_listed, _navigation_points))
                listed = _entries(archive, root, folder, (_listed_pages, _page_targets))
            except (*DAMAGE, etree.XMLSyntaxError):
                notes.append("its table of contents cannot be read and names no sections")
            printed = mark_pages(bodies, listed)
            head_sections(bodies, contents)
        if not bodies:
            raise damaged(path, "none of its chapters can be read")
        texts = [body.decode_contents() for body in bodies.values()]
        soup = parse_html("\n".join(texts), bounds)
        beginnings = PageBeginnings(soup) if printed.labels else None
        hidden = take_hidden(soup)
        left_out = [*apart, *drop_unseen(soup)]
        if beginnings is not None:
            beginnings.mark()
        page = simplify(soup, is_book=True)
        return HtmlPage(
            html=with_doubtful_ends(page.html, len(printed.labels)),
            declared=package.declared,
            notes=(*notes, *printed.notes, *page.notes),
            hidden=hidden,
            labels=printed.labels,
            text=without_marks(page.text),
            left_out=[*left_out, *page.left_out],
        )


class _Archive:
    """The members of a book, by their names below the folder that has it: some programs that pack
    a book put all of it into one folder.
    """

    def __init__(self, opened: ZipFile) -> None:
        self._opened = opened
        books = [
            name.removesuffix(_CONTAINER)
            for name in opened.namelist()
            if f"/{name}".endswith(f"/{_CONTAINER}")
        ]
        self._folder = min(books, key=len, default="")
        self.names = {name.removeprefix(self._folder) for name in opened.namelist()}

    def read(self, name: str) -> bytes:
        return self._opened.read(f"{self._folder}{name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    """The archive members of the chapters in reading order, and of contents among them, how many
    other parts are to be read there, and the book's metadata.
    """

    chapters: tuple[str, ...]
    contents: tuple[str, ...]
    others: int
    declared: Declared


def _others(count: int) -> tuple[str, ...]:
    plural = "s are" if count > 1 else " is"
    return (f"{count} of its part{plural} missing or no HTML, and not read",) if count else ()


def _is_read(members: Mapping[str, etree._Element], ref: str) -> bool:
    """Whether the manifest has the item, as a page of HTML."""
    return ref in members and members[ref].get("media-type", "") in _CHAPTER_TYPES


def _is_contents(item: etree._Element) -> bool:
    return "nav" in item.get("properties", "").split()


def _locked_members(archive: _Archive) -> set[str]:
    """The encrypted members, obfuscated fonts included."""
    if archive.names.intersection(_RIGHTS):
        return archive.names
    if _ENCRYPTION not in archive.names:
        return set()
    references = _all(_xml(archive, _ENCRYPTION), "CipherReference")
    return {unquote(reference.get("URI", "")) for reference in references}


def _package(archive: _Archive, path: Path) -> tuple[etree._Element, str, _Package]:
    """The root of the package file, the folder it is in, and what it says. Raises what `damaged`
    and `locked` give where it cannot be read, or its chapters may not.
    """
    try:
        elements = _all(_xml(archive, _CONTAINER), "rootfile")
        if not elements:
            raise KeyError("rootfile")
        opf = elements[0].get("full-path", "")
        root, folder = _xml(archive, opf), posixpath.dirname(opf)
        members = {item.get("id", ""): item for item in _all(root, "item")}
        refs = [ref.get("idref", "") for ref in _all(root, "itemref")]
        others = sum(not _is_read(members, ref) for ref in refs)
        read = {
            posixpath.normpath(posixpath.join(folder, unquote(members[ref].get("href", "")))): ref
            for ref in refs
            if _is_read(members, ref)
        }
        contents = [name for name, ref in read.items() if _is_contents(members[ref])]
        identifiers = (text for text in _texts(root, "identifier") if "10." in text)
        package = _Package(
            chapters=tuple(name for name in read if name not in contents),
            contents=tuple(contents),
            others=others,
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
    return root, folder, package


def _body(archive: _Archive, name: str, bounds: Bounds) -> Tag:
    content = archive.read(name)
    declared = EncodingDetector.find_declared_encoding(content, is_html=True)
    soup = parse_html(decode(name, content, declared).text, bounds)
    return soup.body or soup


_Reader = Callable[[etree._Element], Iterable[tuple[int, str, str]]]


def _entries(
    archive: _Archive, root: etree._Element, folder: str, readers: tuple[_Reader, _Reader]
) -> list[Entry]:
    """The entries that the first reader finds in the navigation document of EPUB 3, or else those
    that the second one finds in the NCX of EPUB 2.
    """
    items = _all(root, "item")
    navs = list(filter(_is_contents, items))
    tables = [item for item in items if item.get("media-type", "") == _NCX_TYPE]
    for item in (*navs[:1], *tables[:1]):
        name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        read_nav, read_ncx = readers
        entries = []
        for depth, title, href in (read_nav if item in navs else read_ncx)(_xml(archive, name)):
            member, _, anchor = href.partition("#")
            target = posixpath.join(posixpath.dirname(name), unquote(member))
            if title and member:
                entry = Entry(depth, title, posixpath.normpath(target), unquote(anchor))
                entries.append(entry)
        if entries:
            return entries
    return []


def _listed(document: etree._Element) -> Iterator[tuple[int, str, str]]:
    """Depth, title and target of each entry of the contents; an entry without a target has that of
    the first below it.
    """
    navs = [nav for nav in _all(document, "nav") if "toc" in nav.get(_EPUB_TYPE, "toc").split()]
    for item in navs[0].iter("{*}li") if navs else ():
        depth = sum(etree.QName(around).localname == "ol" for around in item.iterancestors("{*}*"))
        link = next(item.iter("{*}a"), None)
        named = next(item.iter("{*}a", "{*}span"), None)
        if link is not None and named is not None:
            yield depth, _text(named), link.get("href", "")


def _navigation_points(document: etree._Element) -> Iterator[tuple[int, str, str]]:
    for point in _all(document, "navPoint"):
        label, content = next(point.iter("{*}text"), None), next(point.iter("{*}content"), None)
        if label is not None and content is not None:
            depth = 1 + len(list(point.iterancestors("{*}navPoint")))
            yield depth, _text(label), content.get("src", "")


def _listed_pages(document: etree._Element) -> Iterator[tuple[int, str, str]]:
    for nav in _all(document, "nav"):
        if _PAGE_LISTS.intersection(f"{nav.get(_EPUB_TYPE, '')} {nav.get('role', '')}".split()):
            for link in nav.iter("{*}a"):
                yield 1, _text(link), link.get("href", "")


def _page_targets(document: etree._Element) -> Iterator[tuple[int, str, str]]:
    for target in _all(document, "pageTarget"):
        label, content = next(target.iter("{*}text"), None), next(target.iter("{*}content"), None)
        if content is not None:
            named = _text(label) if label is not None else target.get("value", "")
            yield 1, named, content.get("src", "")


def _xml(archive: _Archive, name: str) -> etree._Element:
    """A member as XML; entities are not expanded and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.fromstring(archive.read(name), parser)


def _all(root: etree._Element, name: str) -> list[etree._Element]:
    nodes = root.xpath(f"//*[local-name() = '{name}']")
    return [node for node in nodes if isinstance(node, etree._Element)]


def _texts(root: etree._Element, name: str) -> Iterator[str]:
    yield from filter(None, map(_text, _all(root, name)))


def _text(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())
