"""Sections of an EPUB by its table of contents, where its text has no such headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

_HEADINGS = tuple(f"h{level}" for level in range(1, 7))
_BLOCKS = "p div blockquote pre section article center ul ol dl table figure".split()
_WHOLE = ["ul", "ol", "dl", "table", "figure"]
_UNSEEN = ("script", "style", "title")
_NO_WORDS = re.compile(r"[\W_]+")
_NUMBER = 40  # characters: `Chapter 1` may stand before the heading that an entry leads to


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the table of contents: its depth from 1, and the chapter and the element there
    that it leads to.
    """

    depth: int
    title: str
    chapter: str
    anchor: str = ""


class _Start(NamedTuple):
    """The beginning of a section: its heading, if it has one, else its first block."""

    heading: Tag | None
    block: Tag | None


def head_sections(chapters: Mapping[str, Tag], entries: Sequence[Entry]) -> None:
    """Give the section of each entry a heading, unless it has one.

    A line that is the entry's title becomes the heading, else one is put before the section. Where
    the headings' levels contradict the depths of the entries, these count.
    """
    places = {name: places_of(body) for name, body in chapters.items()}
    starts = [
        (entry, _start(places[entry.chapter][entry.anchor], entry.title))
        for entry in entries
        if entry.anchor in places.get(entry.chapter, ())
    ]
    found = [(entry.depth, _level(start.heading)) for entry, start in starts if start.heading]
    levels = dict(sorted(found))
    agree = len(set(found)) == len(levels) and all(
        outer < inner for outer, inner in pairwise(levels.values())
    )
    declared: dict[int, int] = {}
    for entry, (found_heading, block) in starts:
        nearest = max((depth for depth in levels if agree and depth <= entry.depth), default=0)
        level = levels.get(nearest, 0) + entry.depth - nearest
        heading = found_heading or (_heading(block, entry.title) if block else None)
        if heading is not None and (heading is not found_heading or not agree):
            heading.name = _name(level)
        if heading is not None:
            declared.setdefault(id(heading), level)
    if not (agree and levels):
        _place_below(chapters.values(), declared)


def _place_below(chapters: Iterable[Tag], declared: Mapping[int, int]) -> None:
    """Headings that no entry leads to, below the one before that an entry does lead to."""
    level = 0
    for heading in (heading for body in chapters for heading in body(_HEADINGS)):
        if id(heading) in declared:
            level = declared[id(heading)]
        elif level:
            heading.name = _name(max(_level(heading), level + 1))


def _level(heading: Tag) -> int:
    return _HEADINGS.index(heading.name) + 1


def _name(level: int) -> str:
    return _HEADINGS[min(level, len(_HEADINGS)) - 1]


def places_of(body: Tag) -> dict[str, Tag]:
    """The elements of a chapter by their anchors; itself by the empty one."""
    named = {str(tag.get("id") or tag.get("name")): tag for tag in body(_is_named)}
    return {**named, "": body}


def _is_named(tag: Tag) -> bool:
    return tag.has_attr("id") or (tag.name == "a" and tag.has_attr("name"))


def _start(target: Tag, title: str) -> _Start:
    """What the section begins with at the element that its entry leads to."""
    around = target if target.name in _HEADINGS else target.find_parent(_HEADINGS)
    if around is not None:
        return _Start(around, None)
    block, before = None, ""
    for element in target.next_elements:
        if isinstance(element, Tag) and element.name in _HEADINGS:
            named = not before or _letters(element.get_text()) in _letters(title)
            return _Start(element if named else None, block)
        if _is_seen(element):
            block = block or _block(element)
            before += str(element).strip()
        if len(before) > _NUMBER:
            break
    return _Start(None, block)


def _is_seen(element: PageElement) -> bool:
    is_text = isinstance(element, NavigableString) and not isinstance(element, PreformattedString)
    hidden = element.parent is not None and element.parent.name in _UNSEEN
    return is_text and not hidden and bool(str(element).strip())


def _block(text: PageElement) -> Tag | None:
    """The block that the text is in; of a list or a table the whole."""
    wholes = text.find_parents(_WHOLE)
    return wholes[-1] if wholes else text.find_parent(_BLOCKS)


def _heading(block: Tag, title: str) -> Tag:
    """The block itself, if it is the title, else a new element before it."""
    if _letters(block.get_text()) == _letters(title) and block.name not in _WHOLE:
        return block
    heading = Tag(name=_HEADINGS[0])
    heading.string = title
    block.insert_before(heading)
    return heading


def _letters(text: str) -> str:
    return _NO_WORDS.sub("", text).casefold()
