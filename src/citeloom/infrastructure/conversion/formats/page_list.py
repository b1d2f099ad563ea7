"""Printed pages of an EPUB: its page list, and the page breaks that are marked in its text.

Where a page begins is carried through the conversion by a private character before its first word,
`_NO_PAGE` and the page's number further on; `_NO_PAGE` itself begins text whose page is unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PreformattedString, Tag
from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.manuscript.page_locator import labelled_pages
from citeloom.infrastructure.conversion.docling_document import DocumentPart
from citeloom.infrastructure.conversion.formats.epub_sections import Entry, places_of
from citeloom.infrastructure.conversion.formats.printed_text import has_role

_NO_PAGE = 0x100000
_MOST_PAGES = 50_000
_MARK = re.compile(f"[{chr(_NO_PAGE)}-{chr(_NO_PAGE + _MOST_PAGES)}]")
_PLACEHOLDER, _NUMBER = "page-begins", "number"
_BREAKS = ("pagebreak", "doc-pagebreak")
_NOTES = (
    "footnote footnotes endnote endnotes rearnote rearnotes doc-footnote doc-endnote doc-endnotes"
).split()
_AROUND_NUMBERS = " .[](){}|-\u2013\u2014"
_LONGEST_LABEL = 30  # characters; a longer text is no name of a page
_MOST_NAMED = 10  # pages in a note
_SIGNS = ("a", "math", "sup", "sub", "ruby", "svg")
"""Elements that are rewritten as a whole: no mark may stand in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageList:
    """The labels of the pages in their order, and what is to be said of them."""

    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def mark_pages(chapters: Mapping[str, Tag], listed: Sequence[Entry]) -> PageList:
    """Put a placeholder where each page begins, by the page list and the marks of page breaks.

    The pages are in the order of the text. One that begins at no place of its own stands behind the
    page before it in the list: where that one ends is then unknown, too.
    """
    elements = [tag for body in chapters.values() for tag in (body, *body(True))]
    numbers = {id(tag): number for number, tag in enumerate(elements)}
    breaks = {
        number: label
        for number, tag in enumerate(elements)
        if _is_break(tag) and (label := _label_of(tag))
    }
    by_label = {label: number for number, label in reversed(breaks.items())}
    anchors = {name: places_of(body) for name, body in chapters.items()}
    begun: dict[int, str] = {}
    unplaced: dict[int, list[str]] = defaultdict(list)
    order = [-1]
    for entry in listed:
        target, label = anchors.get(entry.chapter, {}).get(entry.anchor), _named(entry.title)
        place = numbers[id(target)] if target is not None else None
        if place is None or not entry.anchor:
            place = by_label.get(label, place)
        if place is None or begun.get(place, label) != label:
            unplaced[order[-1]].append(label)
        elif label:
            begun[place] = label
            order.append(place)
    named = set(begun.values())
    begun |= {at: label for at, label in breaks.items() if at not in begun and label not in named}
    pages: list[tuple[Tag | None, str]] = [(None, label) for label in unplaced[-1]]
    for place in sorted(begun):
        pages.append((elements[place], begun[place]))
        pages.extend((None, label) for label in unplaced[place])
    if len(pages) > _MOST_PAGES:
        return PageList(notes=(f"it lists more than {_MOST_PAGES} pages, which are not read",))
    for number, (begins, label) in enumerate(pages, start=1):
        if begins is not None:
            _put_placeholder(begins, number, label)
    for body in chapters.values() if begun else ():
        _leave_notes(body)
    labels = tuple(label for _, label in pages)
    return PageList(
        labels=labels if begun else (),
        notes=tuple(_notes(labels, [page for begins, page in pages if begins is None], order)),
    )


def _notes(labels: Sequence[str], unplaced: Sequence[str], order: Sequence[int]) -> Iterator[str]:
    if unplaced:
        yield f"its page list has no place of their own for {_counted(unplaced)}"
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        yield f"its page list names several pages {_counted(repeated)}"
    if list(order) != sorted(order):
        yield "its page list is not in the order of its text, which counts"


def _counted(labels: Sequence[str]) -> str:
    named = ", ".join(labels[:_MOST_NAMED])
    more = len(labels) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _is_break(tag: Tag) -> bool:
    return has_role(tag, _BREAKS)


def _is_note(tag: Tag) -> bool:
    return has_role(tag, _NOTES)


def _label_of(page_break: Tag) -> str:
    """The label that a page break has as its title, as its name for screen readers, or as text."""
    written = (page_break.get("title"), page_break.get("aria-label"), page_break.get_text())
    return next(filter(None, (_named(str(text or "")) for text in written)), "")


def _named(text: str) -> str:
    """The page that a text names, such as `45` or `Page 45`; empty where it names none."""
    text = " ".join(_MARK.sub("", text).split()).strip(_AROUND_NUMBERS)
    if len(text) > _LONGEST_LABEL:
        return ""
    pages = labelled_pages(text) if len(text.split()) > 1 else None
    return str(pages) if pages is not None and text.endswith(str(pages)) else text


def _put_placeholder(begins: Tag, number: int, label: str) -> None:
    """Put it before the element, and before all that begins with it, as a paragraph does; the
    number that is set at a page break is none of the text.
    """
    if _is_break(begins) and _named(begins.get_text()) == label:
        begins.clear()
    placeholder = _placeholder(number)
    if begins.name in ("body", "[document]"):
        begins.insert(0, placeholder)
        return
    while begins.parent is not None and begins.parent.name not in ("body", "[document]"):
        if any(isinstance(node, Tag) or str(node).strip() for node in begins.previous_siblings):
            break
        begins = begins.parent
    begins.insert_before(placeholder)


def _placeholder(number: int) -> Tag:
    return Tag(name=_PLACEHOLDER, attrs={_NUMBER: str(number)})


def _leave_notes(chapter: Tag) -> None:
    """Put notes on no page that a chapter gathers: in print they stood at the feet of its pages.

    One that is called on the page where it stands is there; so are those among which pages begin.
    """
    page, called = 0, dict[str, int]()
    for tag in chapter(lambda tag: tag.name in (_PLACEHOLDER, "a") or _is_note(tag)):
        if tag.name == _PLACEHOLDER:
            page = int(str(tag[_NUMBER]))
        elif not _is_note(tag):
            called[str(tag.get("href", "")).rpartition("#")[2]] = page
        elif not (
            tag.find_parent(_is_note)
            or tag.find(_PLACEHOLDER)
            or called.get(str(tag.get("id"))) == page
        ):
            tag.insert(0, _placeholder(0))
            tag.insert_after(_placeholder(page))


class PageBeginnings:
    """The first words of the pages of a book in which these have placeholders.

    They are looked up while all of the text is there, and marked when nothing more is taken out of
    it: the mark of a page break is often hidden itself.
    """

    def __init__(self, book: BeautifulSoup) -> None:
        self._texts: list[NavigableString] = []
        self._pages: list[tuple[int, int]] = []  # a page's number, and the index of its first text
        for node in list(book.descendants):
            if isinstance(node, Tag) and node.name == _PLACEHOLDER:
                self._pages.append((int(str(node[_NUMBER])), len(self._texts)))
            elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
                text = NavigableString(_MARK.sub("", node)) if _MARK.search(node) else node
                if text is not node:
                    node.replace_with(text)
                if text.strip():
                    self._texts.append(text)
        for placeholder in book(_PLACEHOLDER):
            placeholder.decompose()

    def mark(self) -> None:
        """Put each page's mark before the first of its words that are still there."""
        shown = [text for text in self._texts if not text.decomposed]
        places = [at for at, text in enumerate(self._texts) if not text.decomposed]
        marks: dict[int, str] = defaultdict(str)
        for number, at in self._pages:
            marks[bisect_left(places, at)] += chr(_NO_PAGE + number)
        if shown and (at_end := marks.pop(len(shown), "")):
            shown[-1].insert_after(at_end)
        for index, written in marks.items() if shown else ():
            text = shown[index]
            signs = [around for around in text.parents if around.name in _SIGNS]
            if signs:
                signs[-1].insert_before(written)
            else:
                words = text.lstrip()
                text.replace_with(f"{text[: len(text) - len(words)]}{written}{words}")


def with_doubtful_ends(html: str, pages: int) -> str:
    """The marked page in which a page has no text if no mark says where the next one begins."""
    marked = {ord(mark) - _NO_PAGE for mark in _MARK.findall(html)}
    last, endless = 0, set[int]()
    for number in range(1, pages + 1):
        if number in marked:
            last = number
        else:
            endless.add(last)
    return html.translate({_NO_PAGE + number: chr(_NO_PAGE) for number in endless})


def without_marks(text: str) -> str:
    """The text without the marks of pages, which may stand within a word."""
    return _MARK.sub("", text)


def on_pages(parts: Iterable[DocumentPart], *, pages: int) -> Iterator[DocumentPart]:
    """The parts of a marked document without the marks, and with their pages."""
    page: int | None = None
    for part in parts:
        text, ended, turns = "", 0, {0: page}
        for mark in _MARK.finditer(part.text):
            text += part.text[ended : mark.start()]
            ended = mark.end()
            number = ord(mark[0]) - _NO_PAGE
            if number <= pages:
                page = number or None
                is_bullet = part.label == DocItemLabel.LIST_ITEM and len(text.split()) == 1
                turns[0 if is_bullet else len(text)] = page
        text += part.text[ended:]
        if text.strip():
            begins = {at: page for at, page in turns.items() if at < len(text)}
            yield replace(part, text=text, turns=tuple(begins.items()))
