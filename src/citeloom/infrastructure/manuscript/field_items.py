"""Works in citations of reference managers, as fields of Word and OpenDocument have them."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from citeloom.domain.manuscript.draft import NamedWork

_CSL = re.compile(r"(?:ADDIN\s+)?(?:ZOTERO_ITEM\s+)?CSL_CITATION\s*(\{.*)", re.DOTALL)
_ENDNOTE = re.compile(r"\s*ADDIN\s+EN\.CITE\b(?!\.DATA)")
_WORD = re.compile(r"\s*CITATION\s+(.+)", re.DOTALL)
_JABREF = re.compile(r"JABREF_(?P<key>\S+) CID_\d+")
_SWITCH = re.compile(r"\\(?P<switch>[a-z])(?=\s|$)|\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s\"]+)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class FieldItem:
    """A work in a citation, and the words before and behind it."""

    work: NamedWork
    locator: str = ""
    label: str = "page"
    prefix: str = ""
    suffix: str = ""

    def written(self, key: str) -> str:
        """The citation as Pandoc has it: `see @key, p. 45`."""
        prefix = f"{self.prefix.strip()} " if self.prefix.strip() else ""
        label = "p." if self.label == "page" else self.label
        locator = f", {label} {self.locator}" if self.locator else ""
        suffix = f", {self.suffix.strip(' ,')}" if self.suffix.strip(" ,") else ""
        return prefix.translate(_NO_SIGNS) + f"@{key}" + (locator + suffix).translate(_NO_SIGNS)


_NO_SIGNS = str.maketrans("[];@", "(),\uff20")
"""What would end a citation, within its words."""


def items_of_field(code: str, data: str, sources: Mapping[str, NamedWork]) -> list[FieldItem]:
    """The items of a field by its code and the data beside it; none of a field that is no citation.
    `sources` are the works of a Word file by their tags.
    """
    if csl := _CSL.search(code):
        return list(_csl_items(csl[1]))
    if _ENDNOTE.match(code):
        return list(_endnote_items(code)) or list(_endnote_items(_decoded(data)))
    if word := _WORD.match(code):
        return list(_word_items(word[1], sources))
    if jabref := _JABREF.match(code):
        return [FieldItem(NamedWork(citekey=key)) for key in jabref["key"].split(",") if key]
    return []


# CSL's items, of Zotero and Mendeley.


def _csl_items(code: str) -> Iterator[FieldItem]:
    try:
        citation, _ = json.JSONDecoder().raw_decode(code)
    except (ValueError, RecursionError):
        return
    cited = citation.get("citationItems") if isinstance(citation, dict) else None
    for item in cited if isinstance(cited, list) else []:
        if isinstance(item, dict):
            yield FieldItem(
                _csl_work(item),
                locator=_string(item, "locator"),
                label=_string(item, "label") or "page",
                prefix=_string(item, "prefix"),
                suffix=_string(item, "suffix"),
            )


def _csl_work(item: Mapping[str, Any]) -> NamedWork:
    data = item.get("itemData")
    data = data if isinstance(data, dict) else {}
    uris = item.get("uris") or item.get("uri")
    uri = uris[0] if isinstance(uris, list) and uris else uris
    authors = data.get("author")
    author = authors[0] if isinstance(authors, list) and authors else {}
    names = author if isinstance(author, dict) else {}
    work = NamedWork(
        citekey=_string(data, "citation-key"),
        doi=_string(data, "DOI"),
        title=_string(data, "title"),
        author=_string(names, "family") or _string(names, "literal"),
        year=_year(str(data.get("issued") or "")),
    )
    named = str(work) if work.title else _string(item, "id")
    return replace(work, citekey=work.citekey or (uri if isinstance(uri, str) else "") or named)


def _string(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return str(value) if isinstance(value, str | int) else ""


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[0]) if found else None


# EndNote's.


def _decoded(data: str) -> str:
    try:
        return base64.b64decode("".join(data.split())).decode(errors="replace")
    except (binascii.Error, ValueError):
        return ""


def _endnote_items(code: str) -> Iterator[FieldItem]:
    start, end = code.find("<EndNote>"), code.rfind("</EndNote>")
    if start < 0 or end < start:
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(code[start : end + len("</EndNote>")].encode(), parser)
    for cite in root.iter("Cite") if root is not None else ():
        record = cite.find("record")
        fields = (
            {} if record is None else {part.tag: "".join(part.itertext()) for part in record.iter()}
        )
        work = NamedWork(
            citekey=f"EndNote {cite.findtext('RecNum') or ''}".strip(),
            doi=fields.get("electronic-resource-num", ""),
            title=fields.get("title", ""),
            author=cite.findtext("Author") or "",
            year=_year(cite.findtext("Year") or ""),
        )
        yield FieldItem(
            work,
            locator=cite.findtext("Pages") or "",
            prefix=cite.findtext("Prefix") or "",
            suffix=cite.findtext("Suffix") or "",
        )


# Word's own: a tag with switches, and the sources of the file.


def _word_items(code: str, sources: Mapping[str, NamedWork]) -> Iterator[FieldItem]:
    r"""`Smi20 \p 45 \l 1033 \m Doe19`: pages, language, a further source."""
    item: FieldItem | None = None
    switch = "m"
    for token in _SWITCH.finditer(code):
        value = token["quoted"] if token["quoted"] is not None else token["bare"]
        if token["switch"]:
            switch = token["switch"]
        elif switch == "m":
            if item is not None:
                yield item
            item, switch = FieldItem(sources.get(value, NamedWork(citekey=value))), ""
        elif item is not None and switch:
            item, switch = _switched(item, switch, value), ""
    if item is not None:
        yield item


def _switched(item: FieldItem, switch: str, value: str) -> FieldItem:
    match switch:
        case "p":
            return replace(item, locator=value)
        case "f":
            return replace(item, prefix=value)
        case "s":
            return replace(item, suffix=value)
        case _:
            return item


def word_sources(parts: Iterable[etree._Element]) -> dict[str, NamedWork]:
    """The works of a Word file by their tags: `parts` are the trees of its XML data."""
    sources = (source for part in parts for source in part.iter("{*}Source"))
    named = (_word_source(source) for source in sources)
    return {work.citekey: work for work in named if work.citekey}


def _word_source(source: etree._Element) -> NamedWork:
    def text(path: str) -> str:
        return (source.findtext(path) or "").strip()

    return NamedWork(
        citekey=text("{*}Tag"),
        doi=text("{*}DOI"),
        title=text("{*}Title"),
        author=text(".//{*}Author//{*}Last") or text(".//{*}Author//{*}Corporate"),
        year=_year(text("{*}Year")),
    )
