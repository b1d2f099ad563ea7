"""HTML reduced to what a reader sees, and its metadata."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString, PageElement, Tag

from citeloom.domain.documents.conversion import EmbeddedMetadata, LeftOutKind
from citeloom.domain.references.titles import normalise_doi
from citeloom.infrastructure.conversion.formats.archive import Bounds
from citeloom.infrastructure.conversion.formats.mathml import formula_text, is_formula
from citeloom.infrastructure.conversion.formats.printed_text import (
    around_notes,
    join_unspaced_lines,
    take_pictures,
    take_readings,
    write_markers,
    write_notes,
    write_quotes,
    write_scripts,
)

_DROPPED = {
    **dict.fromkeys(("script", "style", "embed", "source", "input"), None),
    **dict.fromkeys(("noscript", "template", "iframe", "audio", "video"), LeftOutKind.UNSEEN),
    **dict.fromkeys(("button", "select", "textarea"), LeftOutKind.FIELD),
    "nav": LeftOutKind.NAVIGATION,
}
"""What the text of elements that are dropped is; of some it is none."""
_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark picture q rb"
    " ruby s samp small span strike strong sub sup time tt u var wbr"
).split()
_ROWS = ["table", "thead", "tbody", "tfoot"]
_OF_TABLES = [*_ROWS[1:], "caption", "colgroup", "col", "tr", "td", "th"]
_ENDS: Mapping[str, tuple[frozenset[str], list[str]]] = {
    "p": (frozenset({"p"}), []),
    "li": (frozenset({"li"}), "ul ol menu".split()),
    **dict.fromkeys(("dt", "dd"), (frozenset({"dt", "dd"}), ["dl"])),
    **dict.fromkeys(("td", "th"), (frozenset({"td", "th"}), ["tr", *_ROWS])),
    "tr": (frozenset({"tr", "td", "th"}), _ROWS),
}
"""The elements that one ends, and those around it that have others of their own, where these are
not all that are no phrases.
"""
_SECTIONING = "main article section aside blockquote details dialog fieldset figure td".split()
_HEADINGS = [f"h{level}" for level in range(1, 7)]
_HIDING = ("hidden", "aria-hidden", "style")
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MAIN_SHARE = 0.5
_DEEPEST = 1000
_CELLS = ["td", "th"]
_WIDEST = 1000  # columns, as HTML has it
_FRONT_CHARACTERS = 6000
KEPT_SPACE = {ord(space): 0x10FE00 + ord(space) for space in "\n\t "}
"""Placeholders for significant white space, which Docling would collapse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Title, authors and DOI as a file's metadata declare them.

    `shown` says that a reader sees them though they are not in the body, as in front matter.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    doi: str = ""
    shown: bool = True


def embedded_metadata(declared: Declared, text: str) -> EmbeddedMetadata:
    """The declared metadata; what a reader sees of it is put before the front text."""
    doi = normalise_doi(declared.doi)
    shown = (declared.title, ", ".join(declared.authors), doi) if declared.shown else ()
    return EmbeddedMetadata(
        title=declared.title,
        author="; ".join(declared.authors),
        doi=doi,
        front_text="\n".join([*filter(None, shown), text[:_FRONT_CHARACTERS]]),
    )


def parse_html(html: str, bounds: Bounds) -> BeautifulSoup:
    """The parsed HTML page; nothing is fetched and only HTML's own entities are known.

    Raises `RecursionError` as soon as elements lie too deep in one another to be read, and
    `TooManyCells` as soon as tables have too many.
    """
    soup = _BoundedSoup(html, bounds)
    for frame in soup("iframe", srcdoc=True):
        inner = parse_html(str(frame["srcdoc"]), bounds)
        frame.insert_before(*(inner.body or inner).contents[:])
        frame.decompose()
    _open_shadows(soup)
    bounds.check_cells(sum(_grid_size(table) for table in soup("table")))
    return soup


def _open_shadows(soup: BeautifulSoup) -> None:
    """Put what a page declares to be shown in place of an element's content there, with that
    content where it has slots. As in browsers an element has one such declaration.
    """
    hosts = set[int]()
    for shadow in soup("template", shadowrootmode=True):
        if id(shadow.parent) in hosts:
            continue
        hosts.add(id(shadow.parent))
        slotted: dict[str, list[PageElement]] = {}
        for child in shadow.next_siblings:
            name = str(child.get("slot", "")) if isinstance(child, Tag) else ""
            slotted.setdefault(name, []).append(child)
        for slot in shadow("slot"):
            if shown := slotted.pop(str(slot.get("name", "")), None):
                slot.clear()
                slot.extend(shown)
            slot.unwrap()
        shadow.unwrap()


class _BoundedSoup(BeautifulSoup):
    """A page that is no deeper, and has no more cells, than what works on it can follow."""

    def __init__(self, html: str, bounds: Bounds) -> None:
        self._bounds = bounds
        self._cells = 0
        super().__init__(html, "html.parser")

    def handle_starttag(self, name: str, *args: Any, **named: Any) -> Tag | None:
        """Begin an element, and end those before it whose end tags may be missing."""
        ended = 0
        ends, around = _ENDS.get(name, (frozenset(), []))
        for depth, tag in enumerate(reversed(self.tagStack if ends else []), 1):
            if tag.name in ends:
                ended = depth
            elif tag.name in around if around else tag.name not in _INLINE:
                break
        if ended:
            self.endData()
        for _ in range(ended):
            self.popTag()
        return super().handle_starttag(name, *args, **named)

    def pushTag(self, tag: Tag) -> None:  # noqa: N802 - the library's name
        if len(self.tagStack) > _DEEPEST:
            raise RecursionError(f"elements lie more than {_DEEPEST} deep")
        if tag.name in _CELLS:
            self._cells += 1
            self._bounds.check_cells(self._cells)
        super().pushTag(tag)


def _grid_size(table: Tag) -> int:
    """The cells of a table's grid, where a cell that spans columns counts for each of them."""
    rows = table("tr")
    return len(rows) * max((sum(map(_columns, row(_CELLS))) for row in rows), default=0)


def _columns(cell: Tag) -> int:
    span = str(cell.get("colspan", ""))
    return max(1, min(int(span), _WIDEST)) if span.isascii() and span.isdigit() else 1


def declared_in(soup: BeautifulSoup) -> Declared:
    """The metadata in `citation_*`, Dublin Core and plain meta tags, else the page's title."""
    title = _meta(soup, "citation_title", "dc.title")
    authors = _meta(soup, "citation_author", "dc.creator") or _meta(soup, "author")
    named = soup.title.get_text(" ", strip=True) if soup.title else ""
    return Declared(
        title=title[0] if title else named,
        authors=authors,
        doi=next(iter(_meta(soup, "citation_doi", "dc.identifier", "doi")), ""),
        shown=bool(title),
    )


def _meta(soup: BeautifulSoup, *names: str) -> tuple[str, ...]:
    """The contents of the meta tags with the first name that occurs."""
    for name in names:
        tags = (tag for tag in soup("meta") if str(tag.get("name", "")).lower() == name)
        if contents := tuple(" ".join(str(tag.get("content", "")).split()) for tag in tags):
            return contents
    return ()


LeftOutTexts = list[tuple[LeftOutKind, str]]
"""Texts that are in no passage on purpose, and what they are."""


class Simplified(NamedTuple):
    """A page reduced to its text, notes of what that leaves out, and what it leaves out on
    purpose; `text` has the words that are to arrive in passages.
    """

    html: str
    notes: tuple[str, ...]
    left_out: LeftOutTexts
    text: str


def simplify(soup: BeautifulSoup, *, is_book: bool = False) -> Simplified:
    """The page as HTML without scripts, styles, images, hidden and navigation elements;
    inline markup is unwrapped, so that each paragraph is one text. A book has no heads and foots
    that are those of a site, and nothing beside its main content.
    """
    left_out = drop_unseen(soup)
    for comment in soup(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    body = soup.body or soup
    if not is_book:
        body = _main_content(body, left_out)
        _drop_page_edges(body, left_out)
    for edge in body(["header", "footer"]):
        edge.name = "div"  # Docling takes what stands in these for furniture
    for foot in body("tfoot"):
        foot.name = "tbody"  # which Docling reads, and stands last
        if table := foot.find_parent("table"):
            table.append(foot.extract())
    _place_in_tables(body)
    _place_in_terms(body)
    for math in body(is_formula):
        math.replace_with(formula_text(math))
    notes = (*take_pictures(body), *take_readings(body))
    write_notes(body)
    write_scripts(body)
    write_quotes(body)
    write_markers(body)
    _unwrap_phrases(body)
    _name_figures(body)
    _rank_headings(body)
    for listing in body("pre"):
        if listing.find_parent("li"):
            listing.replace_with(f"\n{listing.get_text().rstrip()}".translate(KEPT_SPACE))
    body.smooth()
    join_unspaced_lines(body)
    html, text = f"<html><body>{body.decode_contents()}</body></html>", body.get_text(" ")
    return Simplified(html, notes, left_out, text)


def drop_unseen(soup: BeautifulSoup) -> LeftOutTexts:
    """Remove scripts, styles, and hidden and navigation elements; notes that show up once their
    mark is clicked are kept.
    """
    left_out: LeftOutTexts = []
    for tag in soup(list(_DROPPED)):
        _take(tag, _DROPPED.get(tag.name), left_out)
    kept = around_notes(soup)
    for tag in soup(_is_navigation):
        _take(tag, LeftOutKind.NAVIGATION, left_out)
    for tag in soup(_is_hidden):
        if id(tag) not in kept:
            _take(tag, LeftOutKind.UNSEEN, left_out)
        elif not tag.decomposed:
            tag.attrs = {key: said for key, said in tag.attrs.items() if key not in _HIDING}
    return left_out


def _take(tag: Tag, kind: LeftOutKind | None, left_out: LeftOutTexts) -> None:
    """Remove an element, and keep its text apart."""
    if tag.decomposed:
        return
    if kind:
        left_out.append((kind, tag.get_text(" ")))
    tag.decompose()


def _is_navigation(tag: Tag) -> bool:
    return tag.get("role") in ("navigation", "search")


def _is_hidden(tag: Tag) -> bool:
    return (
        tag.has_attr("hidden")
        or (tag.get("aria-hidden") == "true" and tag.name != "img")
        or bool(_UNSEEN.search(str(tag.get("style", ""))))
    )


def _main_content(body: Tag, left_out: LeftOutTexts) -> Tag:
    """The main content element if it holds most of the text, else the body."""
    mains = [tag for tag in body(True) if tag.name == "main" or tag.get("role") == "main"]
    share = _MAIN_SHARE * len(body.get_text())
    if len(mains) != 1 or len(mains[0].get_text()) < share:
        return body
    main = mains[0].extract()
    left_out.append((LeftOutKind.MARGIN, body.get_text(" ")))
    return main


def _drop_page_edges(body: Tag, left_out: LeftOutTexts) -> None:
    for edge in body(["header", "footer"]):
        if not edge.decomposed and not edge.find_parent(_SECTIONING) and not edge.find(_HEADINGS):
            _take(edge, LeftOutKind(edge.name), left_out)


def _place_in_tables(body: Tag) -> None:
    """Put what stands in a table beside its cells before it, as browsers do, and cells into rows:
    Docling would pass over them.
    """
    for part in body(["table", "thead", "tbody", "tr"]):
        for form in part("form", recursive=False):
            form.unwrap()
        table = part if part.name == "table" else part.find_parent("table")
        if table is None:
            continue
        for child in _strays(part, _OF_TABLES):
            table.insert_before(child.wrap(Tag(name="div")).extract())
    for cell in body(_CELLS):
        if cell.parent is not None and cell.parent.name in _ROWS:
            cell.wrap(Tag(name="tr"))
    for rule in body("hr"):
        rule.name = "br" if rule.find_parent(_CELLS) else "hr"
    for part in body(lambda tag: tag.name not in _INLINE):
        if part.find_parent(_CELLS):
            part.insert_before(" ")  # else Docling glues its words to those beside it
            part.insert_after(" ")


def _place_in_terms(body: Tag) -> None:
    """Make what stands in a list of terms beside these a description, and lists within a cell or a
    term paragraphs and descriptions: Docling would pass over them.
    """
    for terms in body("dl"):
        for group in terms("div", recursive=False):
            group.unwrap()
        for child in _strays(terms, ("dt", "dd")):
            child.wrap(Tag(name="dd"))
        if terms.find_parent(_CELLS):
            terms.name = "div"
            for line in terms(["dt", "dd"], recursive=False):
                line.name = "p"
    for term in body("dt"):
        if term.find(["table", "dl", "ul", "ol"]):
            term.name = "dd"


def _strays(around: Tag, parts: Collection[str]) -> list[Tag | NavigableString]:
    """The children with text that are none of these parts."""
    return [
        child
        for child in around.contents
        if (isinstance(child, NavigableString) and child.strip())
        or (isinstance(child, Tag) and child.name not in parts)
    ]


def _unwrap_phrases(body: Tag) -> None:
    for link in body("a"):
        if not re.search(r"\w", link.get_text()):
            link.decompose()
    phrases = {
        id(phrase): phrase
        for phrase in body(_INLINE)
        if not (phrase.name == "code" and phrase.find_parent("pre"))
    }
    around = {id(phrase.parent): phrase.parent for phrase in phrases.values()}
    for key, parent in around.items():
        if parent is not None and key not in phrases:
            _unwrap_in(parent, phrases)


def _unwrap_in(parent: Tag, phrases: Mapping[int, Tag]) -> None:
    """Unwrap all phrases of an element at once, and join the texts: one by one, each is looked for
    among all others, which takes a minute for a listing of ten thousand coloured words.
    """
    unwrapped, rest = list[PageElement](), parent.contents[::-1]
    while rest:
        node = rest.pop()
        if id(node) in phrases:
            rest += phrases[id(node)].contents[::-1]
        else:
            unwrapped.append(node)
    parent.clear()
    for is_text, nodes in groupby(unwrapped, key=lambda node: type(node) is NavigableString):
        parts = list(nodes)
        parent.extend([NavigableString("".join(map(str, parts)))] if is_text else parts)


def _name_figures(body: Tag) -> None:
    """Replace each figure by a paragraph with its caption."""
    for caption in body("figcaption"):
        figure = caption.find_parent("figure")
        if figure is not None and not figure.find("table"):
            caption.name = "p"


def _rank_headings(body: Tag) -> None:
    """Lower all headings by one level if there are several `h1`, since none is the title."""
    if len(body("h1")) < 2:
        return
    for heading in body(_HEADINGS[:-1]):
        heading.name = f"h{int(heading.name[1]) + 1}"
