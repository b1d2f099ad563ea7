"""Citations in Word and OpenDocument files: those of Zotero's plugins, and written ones."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lxml import etree

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.draft import DraftCitation, NamedWork, ParagraphKind
from citeloom.domain.manuscript.quotations import spans_in_quotation_marks
from citeloom.infrastructure.manuscript.flattening import FlatDraft, FlatParagraph
from citeloom.infrastructure.manuscript.pandoc import DIVIDE

# OpenDocument: Zotero keeps a citation in the name of a reference mark, which Pandoc drops.

_MOST_ENTRIES = 10_000
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_COPIES = 4
"""So many times an unpacked file is in memory: itself, its tree's text, written anew, packed."""
_BYTES_OF_ELEMENT, _BYTES_OF_ATTRIBUTE = 240, 216
"""What libxml2 takes for an element or an attribute with its text."""
_MEGABYTE = 1 << 20
_START = "reference-mark-start"
_END = "reference-mark-end"
_CODE = re.compile(r"ZOTERO_ITEM CSL_CITATION\s*(\{.*\})", re.DOTALL)


class _TooLarge(Exception):
    """A file takes more memory than it may."""


def with_written_marks(
    content: bytes, name: str, memory_mb: int
) -> tuple[bytes, tuple[Mapping[str, Any], ...]]:
    """An OpenDocument text in which citations of Zotero stand as `[@key, p. 45]`, and their items.

    Raises `UnreadableDocument` for what is no such file, and for what takes more memory than it
    may, unpacked and parsed.
    """
    memory = memory_mb * _MEGABYTE
    try:
        parts = _unpacked(content, memory)
        root = _parsed(parts["content.xml"], memory)
    except _TooLarge:
        raise UnreadableDocument(
            f"{name} takes more than {memory_mb} MB of memory, unpacked", DIVIDE.format("memory_mb")
        ) from None
    except (*_DAMAGE, etree.XMLSyntaxError) as error:
        raise UnreadableDocument(
            f"{name} is no OpenDocument text: {error}", "Save it again as .odt."
        ) from error
    items: dict[str, Mapping[str, Any]] = {}
    for element in list(root.iter("{*}" + _START)):
        attributes = {etree.QName(key).localname: value for key, value in element.attrib.items()}
        match = _CODE.match(attributes.get("name", ""))
        cited = _cited(match[1]) if match else []
        if cited:
            items |= {
                str(cite["id"]): cite.get("itemData", {}) | {"id": cite["id"]} for cite in cited
            }
            _replace(element, f"[{'; '.join(map(_as_written, cited))}]")
    parts["content.xml"] = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry, data in parts.items():
            archive.writestr(entry, data)
    return packed.getvalue(), tuple(items.values())


_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError
)  # fmt: skip


def _unpacked(content: bytes, memory: int) -> dict[str, bytes]:
    """The files of an archive by name, whatever sizes it claims that they have."""
    parts: dict[str, bytes] = {}
    left = memory // _COPIES
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if len(archive.infolist()) > _MOST_ENTRIES:
            raise _TooLarge
        for entry in archive.infolist():
            if entry.compress_type not in _METHODS:
                raise zipfile.BadZipFile(f"{entry.filename} is compressed in another way")
            if entry.file_size > left:
                raise _TooLarge
            with archive.open(entry) as file:
                # Read to the end, `read` would unpack all of it, more than the claimed size, too.
                parts[entry.filename] = file.read(entry.file_size + 1)
            left -= len(parts[entry.filename])
    return parts


def _parsed(xml: bytes, memory: int) -> etree._Element:
    """The tree of an XML file in UTF-8: libxml2 refuses depths over 256 and entities that grow."""
    elements, attributes = xml.count(b"<"), xml.count(b"=")
    tree = elements * _BYTES_OF_ELEMENT + attributes * _BYTES_OF_ATTRIBUTE
    if len(xml) * _COPIES + tree > memory:
        raise _TooLarge
    parser = etree.XMLParser(resolve_entities=False, no_network=True, encoding="utf-8")
    return etree.fromstring(xml, parser)


def _cited(code: str) -> list[Any]:
    """The items of a citation of Zotero's."""
    try:
        citation, _ = json.JSONDecoder().raw_decode(code)
        return [item for item in citation["citationItems"] if "id" in item]
    except (ValueError, KeyError, TypeError):
        return []


def _as_written(cited: Mapping[str, Any]) -> str:
    prefix = f"{cited['prefix'].strip()} " if cited.get("prefix") else ""
    label = cited.get("label") or "page"
    label = "p. " if label == "page" else f"{label} "
    locator = f", {label}{cited['locator']}" if cited.get("locator") else ""
    suffix = f", {cited['suffix'].strip(' ,')}" if cited.get("suffix") else ""
    return f"{prefix}@{cited['id']}{locator}{suffix}"


def _replace(start: Any, text: str) -> None:
    """Put a text in place of what stands between a reference mark's start and its end."""
    after = start.getnext()
    while after is not None and not str(after.tag).endswith(_END):
        following = after.getnext()
        start.getparent().remove(after)
        after = following
    start.tail = text


# Citations in the text of a paragraph: `[@key, p. 45; @other]`, `@key [p. 45]`, `(Doe 2020, 45)`.

_KEY = r"@(?:\{(?P<braced>[^{}]+)\}|(?P<key>\w(?:[\w:.#$%&+?<>~/-]*\w)?))"
_BRACKET = re.compile(r"\[(?=[^\[\]]*@[\w{])([^\[\]]*)\]")
_IN_BRACKET = re.compile(rf"(?P<prefix>[^@]*?)-?{_KEY}(?P<suffix>[^@]*)", re.DOTALL)
_IN_TEXT = re.compile(rf"(?<![\w@.\[]){_KEY}(?:\s*\[(?P<suffix>[^\[\]@]*)\])?")
# Repetitions are bounded, or a paragraph of names would be read anew from each of them.
_NAME = r"[A-Z\u00c0-\u024f][\w\u00c0-\u024f'\u2019-]{1,60}"
_NAMES = (
    rf"(?P<name>(?:(?:van|von|de|der|den|du|la|le|da|di|dos)\s+){{0,4}}{_NAME})"
    rf"(?:\s+et\s+al\.?|(?:,?\s*(?:&|and|und|e|y|et)\s+|,\s+){_NAME}){{0,20}}"
)
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)[a-z]?"
_PARENTHESES = re.compile(r"\((?=[^()]*\b(?:1[5-9]|20)\d\d)([^()]{0,300})\)")
_AUTHOR_YEAR = re.compile(rf"(?P<prefix>[^;]*?)\b{_NAMES},?\s+{_YEAR}(?P<suffix>\s*[,:][^;]*)?\s*$")
_AUTHOR_IN_TEXT = re.compile(rf"\b{_NAMES}\s+\({_YEAR}(?P<suffix>\s*[,:][^()]*)?\)")


def with_citations_of_the_text(draft: FlatDraft) -> FlatDraft:
    """The draft with written citations as such, and citekeys in place of Zotero's ids."""
    keys = {
        str(reference["id"]): reference["citation-key"]
        for reference in draft.references
        if "citation-key" in reference
    }
    named: dict[str, NamedWork] = {}
    for paragraph in draft.paragraphs:
        paragraph.replace(list(_written_in(paragraph, named)))
        paragraph.marks = [
            replace(
                mark,
                citations=tuple(
                    replace(citation, citekey=keys.get(citation.citekey, citation.citekey))
                    for citation in mark.citations
                ),
            )
            for mark in paragraph.marks
        ]
    described = (
        NamedWork(
            citekey=str(keys.get(str(item["id"]), item["id"])),
            doi=str(item.get("DOI") or ""),
            title=str(item.get("title") or ""),
        )
        for item in draft.references
    )
    draft.works = (*described, *named.values())
    return draft


def _written_in(
    paragraph: FlatParagraph, named: dict[str, NamedWork]
) -> Iterator[tuple[int, int, tuple[DraftCitation, ...]]]:
    """The written citations of a paragraph, in order; works cited by author and year go to `named`:
    those of a quotation are the work's own.
    """
    at, text = 0, paragraph.text
    quoted = list(spans_in_quotation_marks(text))
    if paragraph.kind is ParagraphKind.QUOTATION:
        quoted.append((0, len(text.rstrip(" .")) - 1))

    def by_author(match: re.Match[str]) -> DraftCitation:
        name = f"{match['name']} {match['year']}"
        named[name] = NamedWork(citekey=name, author=match["name"], year=int(match["year"]))
        prefix = match.groupdict().get("prefix") or ""
        suffix = (match["suffix"] or "").replace(":", ",", 1)
        return DraftCitation(citekey=name, prefix=prefix.strip(), suffix=suffix)

    found: list[tuple[int, int, tuple[DraftCitation, ...]]] = []
    for bracket, in_bracket, in_text, citation in (
        (_BRACKET, _IN_BRACKET, _IN_TEXT, _by_key),
        (_PARENTHESES, _AUTHOR_YEAR, _AUTHOR_IN_TEXT, by_author),
    ):
        for match in (*bracket.finditer(text), *in_text.finditer(text)):
            start, end = match.span()
            if citation is by_author and any(low <= start and end <= high for low, high in quoted):
                continue
            if match.re is in_text:
                found.append((start, end, (replace(citation(match), in_text=True),)))
                continue
            parts = [in_bracket.fullmatch(part.strip()) for part in match[1].split(";")]
            if all(parts):
                found.append((start, end, tuple(citation(part) for part in parts if part)))
    for start, end, citations in sorted(found, key=lambda each: each[0]):
        if start >= at:
            at = end
            yield start, end, citations


def _by_key(match: re.Match[str]) -> DraftCitation:
    groups = match.groupdict()
    return DraftCitation(
        citekey=groups["braced"] or groups["key"],
        prefix=(groups.get("prefix") or "").strip(),
        suffix=groups["suffix"] or "",
    )
