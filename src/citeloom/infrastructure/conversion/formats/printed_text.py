"""What HTML sets otherwise than as plain letters: pictures of formulas, raised and lowered letters,
marks of notes, readings above Chinese characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from bs4.element import NavigableString, Tag

from citeloom_pdf.elements.scripts import plain_script, script_text
from citeloom_pdf.elements.text import UNSPACED

_PICTURES = ["img", "svg", "canvas", "object"]
_TEXT_BLOCKS = "p li td th dd dt h1 h2 h3 h4 h5 h6".split()
_MATH_CLASS = re.compile(r"math|equation|formula|\btex\b|latex", re.IGNORECASE)
_TEX = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9})][_^][{A-Za-z0-9]")
_FORMULA = re.compile(r"[=<>^\\\u2200-\u22ff\u0391-\u03c9]")
_NOTE_REFERENCES = ("noteref", "doc-noteref")
_NOTES = ("footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote")
_LISTS_OF_NOTES = ("footnotes", "endnotes", "rearnotes", "doc-endnotes")
_QUOTES = (
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
)  # around a quotation, and around one within it
_FIGURES = re.compile(r"[\d+-]+|[\d+=()-]*\d[\d+=()-]*")
_NUMBERS = re.compile(r"\d{1,3}(?:[,;\u2013-] ?\d{1,3})+")  # of notes, or of works cited
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT = 2  # letters of a name in mathematics: behind a longer one, letters are of an abbreviation
_LINE_END = re.compile(rf"(?<={UNSPACED})\s*\n\s*(?={UNSPACED})")


def take_pictures(body: Tag) -> tuple[str, ...]:
    """Replace pictures of formulas, and those within a sentence, by the text that the author gave
    instead, and remove the others; a note says how many.
    """
    unread = 0
    for picture in body(_PICTURES):
        if picture.decomposed:
            continue
        alternative = " ".join(str(picture.get("alt", "")).split())
        if picture.name == "img" and alternative and _stands_for_text(picture, alternative):
            is_tex = _TEX.search(alternative) is not None and "$" not in alternative
            picture.replace_with(f"${alternative}$" if is_tex else alternative)
            continue
        unread += picture.get("alt") != ""  # an empty text says that it is an ornament
        picture.decompose()
    plural = "s are" if unread > 1 else " is"
    return (f"{unread} picture{plural} not read",) if unread else ()


def _stands_for_text(picture: Tag, alternative: str) -> bool:
    """Whether it is a formula, or stands behind words or for the first letters of its block."""
    named = " ".join((*picture.get_attribute_list("class"), str(picture.get("role", ""))))
    if _MATH_CLASS.search(named) or _TEX.search(alternative):
        return True
    block = picture.find_parent(_TEXT_BLOCKS)
    if block is None or not block.get_text().strip():
        return False
    before = (node for node in picture.previous_elements if isinstance(node, NavigableString))
    has_words = any(node.strip() for node in before if block in node.parents)
    return has_words or " " not in alternative or _FORMULA.search(alternative) is not None


def take_readings(body: Tag) -> tuple[str, ...]:
    """Remove the readings above characters, which part the words; a note says so."""
    read = sum(bool(reading.get_text().strip()) for reading in body("rt"))
    for reading in body(["rt", "rp", "rtc"]):
        if not reading.decomposed:
            reading.decompose()
    for ruby in body("ruby"):
        for text in ruby(string=True):
            text.replace_with(text.strip("\n\t "))
    return readings_left_out(read)


def readings_left_out(count: int) -> tuple[str, ...]:
    """The note that says so, if there are any."""
    words = "words are" if count > 1 else "word is"
    return (f"what is read above {count} {words} left out",) if count else ()


def write_notes(body: Tag) -> None:
    """The mark of each note in brackets, and notes that stand within a paragraph behind it."""
    for link in body("a"):
        if has_role(link, _NOTE_REFERENCES) or link.find_parent("sup"):
            mark = link.find_parent("sup") or link
            text = mark.get_text().strip()
            if text and not text.startswith(("[", "(")):
                mark.string = f"[{text}]"
            elif text:
                mark.string = text
            if mark is link and text:
                link.unwrap()  # a link without letters is no text otherwise
    for note in body(lambda tag: has_role(tag, _NOTES)):
        paragraph = note.find_parent("p")
        if paragraph is not None:
            paragraph.insert_after(note.extract())


def has_role(tag: Tag, roles: Sequence[str]) -> bool:
    """Whether an element has one of these roles, as EPUB or as HTML names them."""
    named = f"{tag.get('epub:type', '')} {tag.get('role', '')}"
    return any(role in roles for role in named.split())


def around_notes(body: Tag) -> set[int]:
    """The ids of notes, and of the elements that these stand in."""
    around: set[int] = set()
    for note in body(lambda tag: has_role(tag, (*_NOTES, *_LISTS_OF_NOTES))):
        for element in (note, *note.parents):
            if id(element) in around:
                break
            around.add(id(element))
    return around


def write_quotes(body: Tag) -> None:
    """The quotation marks that are set around a `q`."""
    for quotation in body("q"):
        opening, closing = _QUOTES[quotation.find_parent("q") is not None]
        quotation.insert(0, opening)
        quotation.append(closing)


def write_markers(body: Tag) -> None:
    """The number or letter of each item of a list that does not simply count on, as a style that
    Docling reads.
    """
    for numbered in body("ol"):
        items = numbered("li", recursive=False)
        start, step = _number(numbered.get("start")), 1
        if numbered.has_attr("reversed"):
            start, step = len(items) if start is None else start, -1
        written = _COUNTED_IN.get(str(numbered.get("type", "1")), str)
        if step > 0 and written is str and not any(item.has_attr("value") for item in items):
            continue
        number = 1 if start is None else start
        for item in items:
            value = _number(item.get("value"))
            number = number if value is None else value
            item["style"] = f"list-style-type: '{written(number)}.'"
            number += step


def _number(written: object) -> int | None:
    found = re.match(r"\s*([+-]?\d{1,9})", str(written))
    return int(found[1]) if found else None


def _in_letters(number: int) -> str:
    letters = ""
    rest = number
    while rest > 0:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters or str(number)


def _in_roman(number: int) -> str:
    if not 0 < number < _FIRST_NOT_ROMAN:
        return str(number)
    written = ""
    for value, sign in _ROMAN:
        written += number // value * sign
        number %= value
    return written


_FIRST_NOT_ROMAN = 4000
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        "m cm d cd c xc l xl x ix v iv i".split(),
    )
)
_COUNTED_IN: Mapping[str, Callable[[int], str]] = {
    "a": _in_letters,
    "A": lambda number: _in_letters(number).upper(),
    "i": _in_roman,
    "I": lambda number: _in_roman(number).upper(),
}


def write_scripts(body: Tag) -> None:
    """Raised and lowered figures, and such letters of formulas, as Unicode has them."""
    for mark in body(["sup", "sub"]):
        text = mark.get_text().strip()
        before = mark.find_previous(string=True)
        if text and before is not None:
            raised = mark.name == "sup"
            mark.string = script_of(text, str(before), raised=raised)


def script_of(text: str, before: str, *, raised: bool) -> str:
    """A script behind a text; raised letters of an ordinal or an abbreviation, as in `1st`, stay
    plain.
    """
    if _FIGURES.fullmatch(plain_script(text)):
        return script_text(text, raised=raised)
    if raised and _NUMBERS.fullmatch(text):
        return re.sub(r"\d+", lambda number: script_text(number[0], raised=True), text)
    if text.startswith("[") or not any(char.isalnum() for char in text):
        return text
    word = _LAST_WORD.search(before)
    is_name = word is not None and len(word[0]) <= _SHORT
    is_in_formula = is_name or before.endswith((")", "]", "}"))
    is_note = raised and len(text) == 1 and not before[-1:].isalnum()
    is_ordinal = raised and len(text) > 1 and text.isalpha()
    if is_note or (is_in_formula and not is_ordinal and " " not in text):
        return script_text(text, raised=raised)
    return text


def join_unspaced_lines(body: Tag) -> None:
    """Join lines between characters of Chinese and Japanese, as a browser does."""
    for text in body(string=_LINE_END):
        if text.find_parent("pre") is None:
            text.replace_with(_LINE_END.sub("", text))
