"""Citations in the fields of Word and OpenDocument files, written into their text.

Pandoc drops most fields, and takes the works of two fields for one where a reference manager counts
them in each field anew.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lxml import etree

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.draft import NamedWork
from citeloom.infrastructure.manuscript.field_items import FieldItem, items_of_field, word_sources
from citeloom.infrastructure.manuscript.pandoc import DIVIDE

_MOST_ENTRIES = 10_000
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_COPIES = 4
"""So many times an unpacked file is in memory: itself, its tree's text, written anew, packed."""
_BYTES_OF_ELEMENT, _BYTES_OF_ATTRIBUTE = 240, 216
"""What libxml2 takes for an element or an attribute with its text."""
_MEGABYTE = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, LookupError, ValueError,
    NotImplementedError, RuntimeError, OverflowError, etree.XMLSyntaxError,
)  # fmt: skip
"""What reading a damaged, encrypted or oddly written archive may raise."""


class _TooLarge(Exception):
    """A file takes more memory than it may."""


@dataclass(slots=True)
class FieldCitations:
    """The works that the fields of a file cite, by the citekeys which they are given in its text,
    and the XML that they were read from.
    """

    works: dict[str, NamedWork] = field(default_factory=dict)
    xml: list[bytes] = field(default_factory=list)
    _keys: dict[str, str] = field(default_factory=dict)

    def bracket(self, items: Iterable[FieldItem]) -> str:
        """The citations of a field as Pandoc has them: `[@item:1, p. 45; @item:2]`."""
        return f"[{'; '.join(item.written(self._key(item.work)) for item in items)}]"

    def _key(self, work: NamedWork) -> str:
        key = self._keys.setdefault(work.citekey, f"item:{len(self._keys) + 1}")
        self.works[key] = work
        return key


def with_written_fields(content: bytes, name: str, memory_mb: int) -> tuple[bytes, FieldCitations]:
    """A Word or OpenDocument file in which citations of fields stand as `[@key, p. 45]`, text boxes
    behind their paragraph, and words without what Pandoc would drop with them, and what is cited.

    Raises `UnreadableDocument` for what is no such file, and for what takes more memory than it
    may, unpacked and parsed.
    """
    suffix, found = name.lower().rpartition(".")[2], FieldCitations()
    is_word = suffix == "docx"
    memory = memory_mb * _MEGABYTE
    try:
        parts = _unpacked(content, memory)
        if is_word:
            _write_word(parts, memory, found)
        else:
            _write_text(parts, memory, found)
    except _TooLarge:
        raise UnreadableDocument(
            f"{name} takes more than {memory_mb} MB of memory, unpacked", DIVIDE.format("memory_mb")
        ) from None
    except _DAMAGE as error:
        kind = "Word file" if is_word else "OpenDocument text"
        raise UnreadableDocument(
            f"{name} is no {kind}: {error}", f"Save it again as .{suffix}."
        ) from error
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry, data in parts.items():
            archive.writestr(entry, data)
    return packed.getvalue(), found


def _unpacked(content: bytes, memory: int) -> dict[str, bytes]:
    """The files of an archive by name, whatever sizes it claims that they have."""
    parts: dict[str, bytes] = {}
    left = memory // _COPIES
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if len(archive.infolist()) > _MOST_ENTRIES:
            raise _TooLarge
        for entry in archive.infolist():
            if _MEDIA.match(entry.filename):
                continue
            if entry.compress_type not in _METHODS:
                raise zipfile.BadZipFile(f"{entry.filename} is compressed in another way")
            if entry.file_size > left:
                raise _TooLarge
            with archive.open(entry) as file:
                # Read to the end, `read` would unpack all of it, more than the claimed size, too.
                parts[entry.filename] = file.read(entry.file_size + 1)
            left -= len(parts[entry.filename])
    return parts


_MEDIA = re.compile(r"word/(?:media|embeddings|fonts)/")
"""Files of Word that have no text, and may be large."""


def _parsed(xml: bytes, memory: int) -> etree._Element:
    """The tree of an XML file in UTF-8: libxml2 refuses depths over 256 and entities that grow."""
    elements, attributes = xml.count(b"<"), xml.count(b"=")
    tree = elements * _BYTES_OF_ELEMENT + attributes * _BYTES_OF_ATTRIBUTE
    if len(xml) * _COPIES + tree > memory:
        raise _TooLarge
    parser = etree.XMLParser(resolve_entities=False, no_network=True, encoding="utf-8")
    return etree.fromstring(xml, parser)


def _xml(root: etree._Element) -> bytes:
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return written


def _move_text_boxes(root: etree._Element, names: Iterable[str], paragraph: str, body: str) -> None:
    """Put what is in text boxes, which Pandoc does not read, behind the paragraph with the box, or,
    where a box stands in none, behind what it stands in of the `body`.
    """
    for box in list(root.iter(*names)):
        ancestors = list(box.iterancestors())
        if any(str(one.tag).endswith("}Fallback") for one in ancestors):
            box.clear()  # what Word shows where it knows no text boxes is the same again
            continue
        inwards = [*reversed(ancestors), box]
        outer = next((one for one in inwards if one.tag == paragraph), None)
        if outer is None:
            outer = next((one for above, one in pairwise(inwards) if above.tag == body), None)
        if outer is not None:
            for content in reversed(list(box)):
                outer.addnext(content)


def _put(run: etree._Element, text: str) -> None:
    """Have a run, or a simple field, hold a text and nothing else."""
    run.tag = f"{_W}r"
    for child in list(run):
        run.remove(child)
    etree.SubElement(run, f"{_W}t", {_SPACE: "preserve"}).text = text


# OpenDocument: a reference manager keeps a citation in the name of a reference mark.

_T = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_LIBREOFFICE = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
_SHAPES = [
    f"{_DRAW}{name}"
    for name in (
        "text-box custom-shape rect line polyline polygon regular-polygon path circle ellipse "
        "connector caption measure"
    ).split()
]
_READ = frozenset(
    f"{_T}{name}"
    for name in (
        "p h section list list-item list-header span s tab line-break a note note-body "
        "note-citation bibliography-mark bookmark-ref reference-ref sequence script"
    ).split()
)
"""What Pandoc reads in a paragraph, and scripts, which are no text."""
_START = "reference-mark-start"
_END = "reference-mark-end"


def _write_text(parts: dict[str, bytes], memory: int, found: FieldCitations) -> None:
    found.xml.append(parts["content.xml"])
    root = _parsed(parts["content.xml"], memory)
    _move_text_boxes(root, _SHAPES, f"{_T}p", f"{_OFFICE}text")
    _open_text(root)
    for element in list(root.iter("{*}" + _START)):
        attributes = {etree.QName(key).localname: value for key, value in element.attrib.items()}
        if items := items_of_field(attributes.get("name", ""), "", {}):
            _replace(element, found.bracket(items))
    for mark in list(root.iter("{*}bibliography-mark")):
        attributes = {etree.QName(key).localname: value for key, value in mark.attrib.items()}
        shown = _SHOWN_LOCATOR.search("".join(mark.itertext()))
        work = NamedWork(
            citekey=attributes.get("identifier", ""),
            title=attributes.get("title", ""),
        )
        tail = mark.tail
        mark.clear()
        mark.tag = f"{_T}span"
        mark.text, mark.tail = found.bracket([FieldItem(work, shown[1] if shown else "")]), tail
    parts["content.xml"] = _xml(root)


def _open_text(root: etree._Element) -> None:
    """Make text of what shows words in paragraphs and Pandoc does not read: fields, content
    controls, the base of ruby, and numbered paragraphs outside of a list.
    """
    etree.strip_elements(root, f"{_T}ruby-text", with_tail=False)
    etree.strip_tags(root, f"{_T}numbered-paragraph")
    for paragraph in list(root.iter(f"{_T}p", f"{_T}h")):
        for element in paragraph.iter(f"{_T}*", f"{_LIBREOFFICE}*"):
            if element.tag not in _READ and (element.text or len(element)):
                element.tag = f"{_T}span"


_SHOWN_LOCATOR = re.compile(r",\s*(?:pp?|S)\.\s*([\d\u2013-]+)")


def _replace(start: etree._Element, text: str) -> None:
    """Put a text in place of what stands between a reference mark's start and its end, or behind a
    start without an end.
    """
    parent, shown = start.getparent(), list[etree._Element]()
    for after in start.itersiblings():
        if parent is not None and str(after.tag).endswith(_END):
            for element in shown:
                parent.remove(element)
            start.tail = text
            return
        shown.append(after)
    start.tail = text + (start.tail or "")


# Word: a field has its code, data, and what is shown, in runs between marks.

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_TEXTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_DATA = re.compile(r"customXml/[^/]+\.xml")


def _write_word(parts: dict[str, bytes], memory: int, found: FieldCitations) -> None:
    data = [_parsed(xml, memory) for name, xml in parts.items() if _DATA.fullmatch(name)]
    sources = word_sources(data)
    if _TEXTS[0] not in parts:
        raise KeyError(f"it has no {_TEXTS[0]}")
    for name in _TEXTS:
        if name not in parts:
            continue
        found.xml.append(parts[name])
        root = _parsed(parts[name], memory)
        _move_text_boxes(root, [f"{_W}txbxContent"], f"{_W}p", f"{_W}body")
        for runs, code, beside in [*_fields(root)]:
            if items := items_of_field(code, beside, sources):
                _put(runs[0], found.bracket(items))
                for run in runs[1:]:
                    parent = run.getparent()
                    if parent is not None:
                        parent.remove(run)
        _open_word(root)
        parts[name] = _xml(root)


_AROUND_WORDS = [f"{_W}{name}" for name in "customXml sdt sdtContent fldSimple dir bdo".split()]
_OF_THESE = [f"{_W}{name}" for name in "customXmlPr sdtPr sdtEndPr rubyPr rt".split()]


def _open_word(root: etree._Element) -> None:
    """Put words in the place of what Word has around them, and Pandoc drops with them: fields that
    cite nothing, custom XML, content controls, directions, and ruby, whose base is the text.
    """
    etree.strip_elements(root, *_OF_THESE, with_tail=False)
    for base in list(root.iter(f"{_W}rubyBase")):
        etree.strip_elements(base, f"{_W}rPr", with_tail=False)
        etree.strip_tags(base, f"{_W}r")
    etree.strip_tags(root, f"{_W}ruby", f"{_W}rubyBase", *_AROUND_WORDS)


_DEEPEST = 8
"""How many fields may be within one another."""


@dataclass(slots=True)
class _Field:
    runs: list[etree._Element] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    is_shown: bool = False


def _fields(root: etree._Element) -> Iterator[tuple[Sequence[etree._Element], str, str]]:
    """The fields, inner ones first: their runs, their code, and the data in them."""
    for simple in list(root.iter(f"{_W}fldSimple")):
        yield [simple], simple.get(f"{_W}instr", ""), ""
    opened: list[_Field] = []
    for run in root.iter(f"{_W}r"):
        closed: list[_Field] = []
        for child in run:
            kind = child.get(f"{_W}fldCharType") if child.tag == f"{_W}fldChar" else ""
            if kind == "begin":
                opened = [*opened[-_DEEPEST:], _Field()]
                opened[0].data += [data.text or "" for data in child.iter(f"{_W}fldData")]
            elif kind == "separate" and opened:
                opened[-1].is_shown = True
            elif kind == "end" and opened:
                closed.append(opened.pop())
            elif child.tag == f"{_W}instrText" and opened and not opened[-1].is_shown:
                opened[-1].code.append(child.text or "")
        for one in (*opened, *closed):
            one.runs.append(run)
        for one in closed:
            if one.runs:
                yield one.runs, "".join(one.code), "".join(one.data)
