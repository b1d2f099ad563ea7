"""Sections: their names in locators, their roles, and where the list of references begins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult, Heading

_OWN_NUMBER = re.compile(
    r"(?i:chapter|section|appendix|part|kapitel|abschnitt|anhang|teil)\s+"
    r"(\d+(?:\.\d+)*|[A-Z]|[IVXLC]+)\b"
    r"|(\d+(?:\.\d+)*|[A-Z](?:\.\d+)+|[IVXLC]+(?=\.)|[A-Z](?=\.))[.:)]?(?:\s|$)"
)
_FIRST_NUMBERS = ("0", "1", "I", "A")
_UNCOUNTED = (BlockKind.HEADING, BlockKind.TITLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph: its innermost section and its number there, counted from 1.

    `section` is a name from `section_names`, empty before the first heading. Headings are not
    counted; a list item, a table, a listing count as one paragraph each.
    """

    section: str
    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"paragraphs are counted from 1, not {self.number}")


def numbered_paragraphs(result: ConversionResult) -> tuple[tuple[Paragraph, bool], ...]:
    """Each block's paragraph and True; for a heading the paragraph below it and False."""
    names = section_names(result.headings)
    counts: Counter[int | None] = Counter()
    numbered = []
    for block in result.blocks:
        counted = block.kind not in _UNCOUNTED
        counts[block.section] += counted
        number = counts[block.section] + (not counted)
        section = "" if block.section is None else names[block.section]
        numbered.append((Paragraph(section=section, number=number), counted))
    return tuple(numbered)


def section_names(headings: Sequence[Heading]) -> tuple[str, ...]:
    """The name of each section in a locator.

    In a document with numbered headings, the printed number; a heading without one is named by
    its title after the number of the enclosing section: `2.3`, `"Abstract"`, `2 "Sampling"`.
    Else its position in the heading tree: `2.3` is the third in the second. The heading that is
    the document's title has no name and no place in the tree.
    """
    matches = [None if h.is_title else _OWN_NUMBER.match(h.title) for h in headings]
    own = [(match[1] or match[2]) if match else "" for match in matches]
    times = Counter(filter(None, own))
    if len(times) < 2 or next(iter(times)) not in _FIRST_NUMBERS:
        return _places_in_tree(headings)
    names: list[str] = []
    nearest: list[str] = []
    for heading, number in zip(headings, own):
        around = "" if heading.parent is None else nearest[heading.parent]
        unique = number if times[number] == 1 else ""
        title = "" if heading.is_title else f'{around} "{heading.title}"'.strip()
        names.append(unique or title)
        nearest.append(unique or around)
    return tuple(names)


def _places_in_tree(headings: Sequence[Heading]) -> tuple[str, ...]:
    children: Counter[int | None] = Counter()
    names: list[str] = []
    for heading in headings:
        parent = heading.parent
        if parent is not None and headings[parent].is_title:
            parent = None
        children[parent] += not heading.is_title
        place = "" if heading.is_title else str(children[parent])
        names.append(place if parent is None else f"{names[parent]}.{place}")
    return tuple(names)


# The role of a section, by its title.

REFERENCE_TITLES = (
    r"(?:references|reference list|list of references|literature|bibliography|works cited"
    r"|(?:literature|references|works) cited|references and notes|notes and references"
    r"|literatur(?:verzeichnis|angaben|hinweise)?|quellen(?:verzeichnis)?|bibliogra(?:ph|f)ie"
    r"|r\u00e9f\u00e9rences(?: bibliographiques)?|bibliograf\u00eda|bibliografia"
    r"|referencias(?: bibliogr\u00e1ficas)?|refer\u00eancias(?: bibliogr\u00e1ficas)?"
    r"|riferimenti(?: bibliografici)?|literatuur(?:lijst)?)"
)
"""Pattern of the titles of reference lists, without a number."""
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z](?:\.\d+)*\.)\s+")


class SectionRole(StrEnum):
    BODY = "body"
    ABSTRACT = "abstract"
    REFERENCES = "references"
    APPENDIX = "appendix"


_ROLES = (
    (SectionRole.REFERENCES, re.compile(REFERENCE_TITLES, re.IGNORECASE)),
    (
        SectionRole.APPENDIX,
        re.compile(
            r"(?:appendi(?:x|ces)|annex(?:es|e)?|anh\u00e4nge?|anhang|anexos?|ap\u00e9ndices?"
            r"|(?:supplement(?:ary|al)?|supporting) (?:materials?|information|data))\b.*",
            re.IGNORECASE,
        ),
    ),
    (
        SectionRole.ABSTRACT,
        re.compile(
            r"(?:abstract|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|summary)",
            re.IGNORECASE,
        ),
    ),
)
_LETTERED = re.compile(r"[A-Z](?:\.\d+)*\.?\s+\S")
_ENDS = " .:\t"


def section_roles(headings: Sequence[Heading]) -> tuple[SectionRole, ...]:
    """The role of each heading's section: by its title, else that of the enclosing section.

    Only the first sections can be the abstract; lettered ones after an appendix's heading or
    after the references are appendices.
    """
    roles: list[SectionRole] = []
    for heading in headings:
        role = _titled(heading)
        if role is SectionRole.ABSTRACT and SectionRole.BODY in roles:
            role = SectionRole.BODY
        ended = SectionRole.REFERENCES in roles or SectionRole.APPENDIX in roles
        if role is SectionRole.BODY and ended and _LETTERED.match(heading.title):
            role = SectionRole.APPENDIX
        if role is SectionRole.BODY and heading.parent is not None:
            role = roles[heading.parent]
        roles.append(role)
    return tuple(roles)


def _titled(heading: Heading) -> SectionRole:
    """The role by the title alone; the document's own is no section's."""
    if heading.is_title:
        return SectionRole.BODY
    bare = _NUMBER.sub("", " ".join(heading.title.split())).strip(_ENDS)
    return next((role for role, name in _ROLES if name.fullmatch(bare)), SectionRole.BODY)


# Detecting the reference lists of a document.

_LEAST_UNTITLED = 4
"""Least number of consecutive entries that make a list without a heading."""
_PROSE = 200
"""A block longer than this without a year is prose, not an entry."""
_NO_ENTRIES = (BlockKind.TABLE, BlockKind.CAPTION, BlockKind.TITLE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d[a-z]?\b")
_MARK = re.compile(r"(?:\[[\w+]{1,12}\]|\d{1,3}[.)])\s+\S")
_AUTHOR = re.compile(r"[^\W\d_][\w'\u2019 -]+,(?: ?[^\W\d_]\.)+")
_SOURCE = re.compile(
    r"doi|https?:|arxiv|isbn|\bpp?\. ?\d|\bpages? \d|\d ?\(\d+\)|\bvol(?:ume|\.)? ?\d|\bin: "
    r"|\bpress\b|\bjournal\b|\bproceedings\b|\bverlag\b",
    re.IGNORECASE,
)


def reference_blocks(result: ConversionResult) -> frozenset[int]:
    """The indexes of the blocks, headings included, that make up reference lists.

    A list is a section titled as one, without its tables and the prose after it; without such a
    section, several consecutive entries at the document's end.
    """
    roles = section_roles(result.headings)
    titled = [
        index
        for index, block in enumerate(result.blocks)
        if block.section is not None
        and roles[block.section] is SectionRole.REFERENCES
        and block.kind not in _NO_ENTRIES
    ]
    if not titled:
        return frozenset(_untitled(result))
    prose = _prose_behind(result, titled)
    return frozenset(titled) - prose


def _prose_behind(result: ConversionResult, listed: Sequence[int]) -> frozenset[int]:
    """The prose blocks that follow the last entry of their section."""
    prose: set[int] = set()
    ended: set[int | None] = set()
    for index in reversed(listed):
        block = result.blocks[index]
        if block.section not in ended and _is_prose(result.text_of(block), block):
            prose.add(index)
        else:
            ended.add(block.section)
    return frozenset(prose)


def _is_prose(text: str, block: Block) -> bool:
    plain = block.kind is BlockKind.PARAGRAPH and not _MARK.match(text)
    return plain and len(text) > _PROSE and not _YEAR.search(text)


def _untitled(result: ConversionResult) -> list[int]:
    """The entries at the document's end, if they are enough to be a list."""
    entries: list[int] = []
    for index in range(len(result.blocks) - 1, -1, -1):
        block = result.blocks[index]
        if block.kind in _NO_ENTRIES:
            continue
        if not _is_entry(result.text_of(block)):
            break
        entries.append(index)
    return entries if len(entries) >= _LEAST_UNTITLED else []


def _is_entry(text: str) -> bool:
    """Whether a text looks like an entry: a mark or an author first, then year and source."""
    opens = _MARK.match(text) or _AUTHOR.match(text)
    return bool(opens and _YEAR.search(text) and _SOURCE.search(text))
