"""The names of sections and paragraphs in locators."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.domain.conversion import BlockKind, ConversionResult, Heading

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z](?:\.\d+)*\.)\s+")
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
    own = [_own_number(heading) for heading in headings]
    times = Counter(filter(None, own))
    if len(times) < 2 or next(iter(times)) not in _FIRST_NUMBERS:
        return _places_in_tree(headings)
    names: list[str] = []
    nearest: list[str] = []
    for heading, number in zip(headings, own):
        around = "" if heading.parent is None else nearest[heading.parent]
        unique = number if times[number] == 1 else ""
        names.append(unique or _named(heading, around))
        nearest.append(unique or around)
    return tuple(names)


def _named(heading: Heading, around: str) -> str:
    return "" if heading.is_title else f'{around} "{heading.title}"'.strip()


def _own_number(heading: Heading) -> str:
    found = None if heading.is_title else _OWN_NUMBER.match(heading.title)
    return (found[1] or found[2]) if found else ""


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


def section_key(path: Sequence[str]) -> str:
    """The key of the titles of a path; case, numbering and spacing do not count.

    `("2 Methods", "2.1 Sampling")` → `"methods > sampling"`.
    """
    titles = (" ".join(_NUMBERING.sub("", title).casefold().split()) for title in path)
    return " > ".join(titles)


def section_keys(path: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of all titles that follow one another in a path, those from its root first.

    `("2 Methods", "2.1 Sampling")` → `("methods", "methods > sampling", "sampling")`.
    """
    keys = (
        section_key(path[first:last])
        for first in range(len(path))
        for last in range(first + 1, len(path) + 1)
    )
    return tuple(dict.fromkeys(keys))
