"""An HTML page as simplified HTML with metadata, hidden text marked."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bs4 import BeautifulSoup
from bs4.dammit import EncodingDetector
from bs4.element import Tag
from soupsieve import SelectorSyntaxError

from citeloom.application.ports.conversion import FileConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.docling_document import body_of
from citeloom.infrastructure.conversion.formats.archive import Bounds, decode, read_bytes
from citeloom.infrastructure.conversion.formats.markup import (
    Declared,
    LeftOutTexts,
    declared_in,
    parse_html,
    simplify,
)
from citeloom.infrastructure.conversion.formats.office import document_of_html, result_of
from citeloom.infrastructure.conversion.formats.page_list import on_pages
from citeloom.infrastructure.conversion.formats.printed_text import around_notes
from citeloom.infrastructure.conversion.formats.word_text import unread
from citeloom.infrastructure.conversion.hidden_passages import (
    HiddenPassage,
    left_out_of,
    note_of_lost,
    with_hidden,
)

# Text of HTML that no reader sees: off the screen, white on white, tiny or transparent.

OFF_SCREEN = "off the screen"
COLOUR = "in the colour of its background"
TINY = "too small to be read"
TRANSPARENT = "transparent"
NOT_DISPLAYED = "not displayed"

_Style = Mapping[str, str]
_STYLE = re.compile(r"""\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_RULE = re.compile(r"([^{}@]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_MEDIUM = re.compile(r"@(?:media|supports)[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
"""Rules for some readers alone, as for a printed page."""
_FAR = re.compile(r"-(?:\d{4,}|[3-9]\d\d)(?:\.\d+)?px|-\d{2,}(?:\.\d+)?r?em|-(?:\d{3,})(?:vw|vh|%)")
_SIZE = re.compile(r"(\d*\.?\d+)(px|pt|em|rem|%)?")
_POINTS = {"px": 0.75, "pt": 1.0, "em": 12.0, "rem": 12.0, "%": 0.12, None: 0.75}
_TINIEST = 3.2  # points
_CHANNELS = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+)(%?))?\s*\)")
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_NAMES = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250)}
_Colour = tuple[int, int, int]
_WHITE = (255, 255, 255)
_UNKNOWN = (-1, -1, -1)
"""Of a picture, or of a colour that is not read."""
_ALIKE = 30  # of 255, in each channel
_MOST_RULES = 2000
_FILE = re.compile(r"^(?!about:|javascript:).")
"""What a frame shows, if it is not made by the page itself."""


def take_hidden(soup: BeautifulSoup) -> tuple[HiddenPassage, ...]:
    """Remove the elements that a style hides from the page, and return their text."""
    # the declarations for each element that has any: those of rules, then its own
    styles: dict[int, dict[str, str]] = {}
    for selector, declared in _rules(soup):
        with suppress(SelectorSyntaxError, NotImplementedError):
            for tag in soup.select(selector) if ":" not in selector else ():
                styles.setdefault(id(tag), {}).update(declared)
    for tag in soup(True):
        declarations = _own(str(tag.get("style", "")))
        if colour := str(tag.get("color", "")) if tag.name == "font" else "":
            declarations.setdefault("color", colour.lower())
        if colour := str(tag.get("bgcolor", "")):
            declarations.setdefault("background", colour.lower())
        if declarations:
            styles.setdefault(id(tag), {}).update(declarations)
    passages: list[HiddenPassage] = []
    notes = around_notes(soup)  # may show up once their mark is clicked
    for tag in [tag for tag in soup(True) if id(tag) in styles]:
        if tag.decomposed:
            continue
        style = styles[id(tag)]
        hidden = "color" in style and _is_background(tag, style["color"], styles)
        reason = _reason_alone(style) or (COLOUR if hidden else "")
        if not reason or (reason == NOT_DISPLAYED and id(tag) in notes):
            continue
        text = " ".join(tag.get_text(" ").split())
        tag.decompose()
        if text:
            passages.append(HiddenPassage(text=text, reason=reason))
    return tuple(passages)


def reason_of_tag(written: str) -> str:
    """Why an element's text is hidden, from its tag as written; empty if it is visible."""
    match = _STYLE.search(written)
    style = _own(match[1] or match[2] or "") if match else {}
    behind = _background(style) or _WHITE
    colour = _colour(style.get("color", ""))
    unseen = colour is not None and behind is not _UNKNOWN and _alike(colour, behind)
    return _reason_alone(style) or (COLOUR if unseen else "")


def _rules(soup: BeautifulSoup) -> Iterator[tuple[str, dict[str, str]]]:
    """The rules of the page's style sheets that may hide something, or colour a background."""
    sheets = _COMMENT.sub("", "\n".join(sheet.get_text() for sheet in soup("style")))
    sheets = _MEDIUM.sub("", sheets)
    for number, rule in enumerate(_RULE.finditer(sheets)):
        if number >= _MOST_RULES:
            return
        declared = _declarations(rule[2])
        if declared:
            yield rule[1].strip(), declared


_KNOWN = (
    "color display background background-color background-image font-size opacity position left top"
    " right bottom text-indent clip clip-path margin-left"
).split()


def _own(written: str) -> dict[str, str]:
    """Of an element's own style; what its `display` does not show, readers leave out."""
    declarations = _declarations(written)
    declarations.pop("display", None)
    return declarations


def _declarations(written: str) -> dict[str, str]:
    pairs = (declaration.partition(":") for declaration in written.lower().split(";"))
    named = ((name.strip(), value.replace("!important", "").strip()) for name, _, value in pairs)
    return {name: value for name, value in named if name in _KNOWN and value}


def _reason_alone(style: _Style) -> str:
    if _is_off_screen(style):
        return OFF_SCREEN
    if style.get("display") == "none":
        return NOT_DISPLAYED
    opacity = _SIZE.fullmatch(style.get("opacity", ""))
    if style.get("color") == "transparent" or (opacity is not None and float(opacity[1]) < 0.05):
        return TRANSPARENT
    size = _SIZE.fullmatch(style.get("font-size", ""))
    return TINY if size and float(size[1]) * _POINTS[size[2]] <= _TINIEST else ""


def _is_off_screen(style: _Style) -> bool:
    placed = style.get("position") in ("absolute", "fixed", "relative")
    edges = [style.get(edge, "") for edge in ("left", "top", "right", "bottom") if placed]
    moved = [*edges, style.get("text-indent", ""), style.get("margin-left", "")]
    clip = style.get("clip", "").replace(" ", "").replace("px", "").replace(",", "")
    clipped = clip in ("rect(0000)", "rect(1111)") or style.get("clip-path", "").startswith(
        ("inset(50%", "inset(100%", "circle(0")
    )
    return clipped or any(_FAR.fullmatch(offset) for offset in moved)


def _is_background(tag: Tag, written: str, styles: Mapping[int, _Style]) -> bool:
    """Whether the colour is that of the nearest background; a page's is white."""
    colour = _colour(written)
    around = (styles.get(id(element), {}) for element in (tag, *tag.parents))
    behind = next(filter(None, map(_background, around)), _WHITE)
    return colour is not None and behind is not _UNKNOWN and _alike(colour, behind)


def _background(style: _Style) -> _Colour | None:
    """The colour of an element's own background, None where it has none."""
    if "url(" in style.get("background", "") or "background-image" in style:
        return _UNKNOWN
    named = style.get("background-color") or style.get("background", "")
    if not named or named in ("none", "transparent", "inherit", "initial"):
        return None
    return _colour(named if "(" in named else named.split()[0]) or _UNKNOWN


def _alike(first: _Colour, second: _Colour) -> bool:
    return all(abs(here - there) <= _ALIKE for here, there in zip(first, second))


def _colour(written: str) -> _Colour | None:
    if written in _NAMES:
        return _NAMES[written]
    if match := _CHANNELS.fullmatch(written):
        return int(match[1]), int(match[2]), int(match[3])
    if match := _HEX.fullmatch(written):
        digits = match[1] if len(match[1]) > 4 else "".join(2 * digit for digit in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    return None


# An HTML page as simplified HTML with metadata.


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPage:
    """Simplified HTML, the file's metadata, the assumptions made to read it, text that was left out
    because no reader sees it, the labels of the pages that are marked in it, the words that are to
    arrive, and what is in no passage on purpose.
    """

    html: str
    declared: Declared
    notes: tuple[str, ...] = ()
    hidden: tuple[HiddenPassage, ...] = ()
    labels: tuple[str, ...] = ()
    text: str
    left_out: LeftOutTexts


class PageConverter(FileConverter):
    """Converts a format that becomes one HTML page."""

    @abstractmethod
    def read(self, path: Path, bounds: Bounds) -> HtmlPage:
        """The page of the file."""

    def convert(self, source: SourceFile, _emit: EmitEvent = lambda _: None, /) -> ConversionResult:
        bounds = Bounds(self._options.limits)
        with bounds.refusing(source.path):
            page = self.read(source.path, bounds)
            placed = partial(on_pages, pages=len(page.labels)) if page.labels else tuple
            body = body_of(document_of_html(page.html), marked=True, on_pages=placed)
        notes = (*page.notes, *note_of_lost(page.text, body.plain_text))
        result = result_of(source, body, page.declared, notes=notes, labels=page.labels)
        result = replace(result, left_out=left_out_of(page.left_out))
        return with_hidden(result, page.hidden)


class HtmlConverter(PageConverter):
    """Converts HTML and XHTML."""

    def read(self, path: Path, bounds: Bounds) -> HtmlPage:
        content = read_bytes(path, bounds)
        header = EncodingDetector.find_declared_encoding(content, is_html=True)
        text = decode(path.name, content, header)
        soup = parse_html(text.text, bounds)
        declared, hidden = declared_in(soup), take_hidden(soup)
        frames = len(soup("iframe", src=_FILE))
        page = simplify(soup)
        return HtmlPage(
            html=page.html,
            declared=declared,
            notes=(*text.notes, *page.notes, *unread(frame=frames)),
            hidden=hidden,
            text=page.text,
            left_out=page.left_out,
        )
