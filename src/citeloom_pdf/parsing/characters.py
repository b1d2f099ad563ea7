"""Characters of a page from PDFium, for what the parser does not report."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice, pairwise

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw
from numpy.typing import NDArray

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.fonts import bare_name, font_kind
from citeloom_pdf.elements.geometry import Glyph, PlacedGlyphs, Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.elements.text import SOFT_HYPHEN
from citeloom_pdf.parsing.accents import composed_glyphs
from citeloom_pdf.parsing.fast_calls import LetterLooks, address_of, char_at, loose_box
from citeloom_pdf.parsing.opened_pages import OpenedPage, Turning

# The letters of a page as PDFium reads them.

_AS_LETTERS = str.maketrans(
    {
        **dict.fromkeys("\x02\ufffe", "-"),  # what PDFium makes of a hyphen at a line's end
        "\x0b": "\ufb00",
        "\x0c": "\ufb01",
        "\x0e": "\ufb03",
        "\x0f": "\ufb04",
    }
)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LIGATURES = frozenset(map(chr, range(0xFB00, 0xFB07)))
_LIGATURE = re.compile("[\ufb00-\ufb06]")
# the signs that Quartz gives a hyphen: whatever has its shape
_HYPHENS = re.compile("-\u00ad[-\u2010]")
_SOFT_WITHIN = re.compile(f"{SOFT_HYPHEN}(?=[^-\u2010{SOFT_HYPHEN}])")
# a soft hyphen at the end of a line, and what is printed for it
_SOFT_AND_PRINTED = re.compile(f"{SOFT_HYPHEN}[-\u2010{SOFT_HYPHEN}]$")


def glyphs_of(text: pdfium.PdfTextPage, read: str, turning: Turning) -> list[Glyph]:
    """The letters of a page as they are `read`, in the order of its text."""
    letters: Sequence[str] = read.translate(_AS_LETTERS)
    pairs = {pair.start(): pair[0] for pair in _PAIR.finditer(read)}
    if pairs:  # letters of mathematics, each of which PDFium counts as two
        halves = list(letters)
        for start, pair in pairs.items():
            whole = pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
            halves[start : start + 2] = [whole, " "]
        letters = halves
    lengths = dict.fromkeys(pairs, 2) | {  # in codes of PDFium, unless it is 1
        hyphen.start(): 3 for hyphen in _HYPHENS.finditer(read)
    }
    behind = {start + n for start, length in lengths.items() for n in range(1, length)}
    positions = [
        n
        for n, letter in enumerate(letters)
        if letter.isprintable() and letter != " " and n not in behind
    ]
    inked = [letters[position] for position in positions]
    spaces = [at != before + lengths.get(before, 1) for before, at in pairwise([-2, *positions])]
    sides: NDArray[np.float32] = np.zeros((len(positions), 4), dtype=np.float32)
    page, places = (
        address_of(text.raw),
        range(sides.ctypes.data, sides.ctypes.data + sides.nbytes, 16),
    )
    for position, place in zip(positions, places):
        loose_box(page, position, place)
    left, top, right, bottom = sides.astype(float).T
    boxes = map(Rect._make, np.column_stack(turning.shown(left, bottom, right, top)).tolist())
    if _LIGATURES.isdisjoint(inked):
        return list(map(Glyph._make, zip(range(len(inked)), inked, boxes, spaces, positions)))
    glyphs: list[Glyph] = []
    for letter, box, spaced, at in zip(inked, boxes, spaces, positions):
        if letter in _LIGATURES:
            parts = _letters(letter, box, len(glyphs), spaced)
            glyphs += [part._replace(at=at) for part in parts]
        else:
            glyphs.append(Glyph(len(glyphs), letter, box, spaced, at))
    return glyphs


def _letters(ligature: str, box: Rect, first: int, spaced: bool) -> list[Glyph]:
    """The letters of a ligature, each with an even part of its width."""
    letters = unicodedata.normalize("NFKC", ligature)
    width = box.width / len(letters)
    return [
        Glyph(
            first + number,
            letter,
            Rect(box.left + number * width, box.top, box.left + (number + 1) * width, box.bottom),
            spaced and not number,
        )
        for number, letter in enumerate(letters)
    ]


_BUFFER = 512  # characters: the text of a line is hardly longer
_NARROW = 0.75  # of the width of the widest figure of the same height of line
_LOWEST = 0.52  # of the size
_ABOVE, _BELOW = 0.15, 0.05  # of the size
_SUPERIOR = 0.65  # of the size: what theirs would be
_CHARGES = frozenset("-+\u2212\u2013")  # signs that stand beside them
_HIGH = 0.4  # of the size: the middle of such a sign is above its baseline, in a row at .25
_DENSE = 10_000  # characters on a page
_REACH = 1.5  # points around a position in which a character is looked for
_AROUND = 0.5  # points by which a character may stick out of its cell
_FREE = 0.1  # of a letter: what another may share of it
# the parser replaces typographic characters by plain ones
_PLAIN = {
    **dict.fromkeys("‘’‚‛′", "'"),  # noqa: RUF001
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‐‑‒–—―−\x02\ufffe", "-"),  # noqa: RUF001
}
_AS_PLAIN = str.maketrans(_PLAIN)
# pieces of large brackets, under the private codes the Symbol font had before Unicode knew them
_PIECES = dict(zip(range(0xF8E6, 0xF8FF), "⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"))
# the size that a font has a sign of mathematics in: Unicode knows none
_SIZE = re.compile(r"(?<=[^\w\s])[\ufe00-\ufe0d]")
_MARKS = frozenset(mark for mark in _PLAIN if mark.isprintable())
_AMBIGUOUS = frozenset("'\"-")
_ANY_MARK = _MARKS | _AMBIGUOUS
# what the parser makes of a font without a character map: the dingbat of each code, or its name
_GLYPH_NAME = re.compile(r"a\d{2,3}")
_GARBLED = re.compile(
    r"[\u2460-\u2469\u25a0\u25b2\u25bc\u25c6\u25cf\u25d7\u2605\u260e\u261b\u261e\u2660-\u2667"
    r"\u2700-\u27bf]|a\d{2,3}"
    r"|[\ufffd\x00-\x08\x0e-\x1f]"
)
_BRACKETS = frozenset("()[]{}")
_ONE_LETTER = re.compile(r"a\d{2,3}|.", re.DOTALL)
# the standard fonts whose codes of letters are those of signs
_SYMBOL_FONT = re.compile(r"Symbol|ZapfDingbats", re.IGNORECASE)
_SIGN_OF_FONT = re.compile("[\u0391-\u03d6\u2022\u2032\u2033\u2044\u2111-\u27bf§¶†‡]")
_MARKS_OF_TEXT = frozenset("§¶†‡")
_ANGLES = frozenset("〈〉⟨⟩")
_NO_LETTER = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd\ufffe]")  # what PDFium has for such a code
_UNAMBIGUOUS = re.compile(r"[A-Za-z .,:;!?()\[\]=+*/%&]*")  # printed as the parser has it
_SAME_LENGTH = 0.2  # of the letters of a text: how many more or fewer PDFium may read in its place
# names of two signs that Ghostscript gives the glyphs of drawn fonts: their codes, 360 added, to
# the base of 36, so that `A0` is the first and `H3` the last
_PAIRS = re.compile(r"(?:[A-G][\dA-Z]|H[0-3])+(?: (?:[A-G][\dA-Z]|H[0-3])+)*")
_PAIR_OF_SIGNS, _FIRST_PAIR = re.compile(r"[A-H][\dA-Z]"), 360
_PAIRED, _LEAST_PAIRED = 0.2, 8  # of a page's words
# a letter that its font names by its code alone, `#28`, and what TeX has at the codes of controls
_CODED = re.compile(r"#([0-7][0-9A-F])")
_TEX_LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl"}


class PageCharacters:
    """The characters of one page, by position in points from its top left corner."""

    def __init__(self, page: OpenedPage) -> None:
        self._page = page
        self._text = page.text
        self._address = address_of(page.text.raw)
        self._looks = LetterLooks(self._address)
        self._turning = page.turning
        self.is_dense = page.count > _DENSE
        marks = _MARKS.intersection(page.letters)
        self._replaced = {_PLAIN[mark] for mark in marks}  # plain marks that may stand for another
        self._sizes: dict[tuple[str, float], float | None] = {}
        self._signs = frozenset[str]()
        self._superiors: dict[int, float] = {}  # and how far they are above their baseline
        self._has_pairs = False
        self._prints_soft_hyphens = False
        self._unread = dict.fromkeys(map(ord, page.unread_controls), "\ufffd")

    def size_of(self, word: Word) -> float | None:
        """The font size in points of a word, if a character is found in its place.

        A parsed word's height depends on the font's metrics and does not give its size. On a dense
        page, where a look for a character takes long, words of one font and height share theirs.
        """
        reach = min(2.0, word.box.width / 2)
        y = word.box.middle_y
        # at the left of a word from the right the number of a note may be
        x = word.box.right - reach if has_from_right(word.text) else word.box.left + reach
        if not self.is_dense:
            return self.size_at(x, y)
        kind = (word.font, round(word.box.height, 1))
        if kind not in self._sizes:
            self._sizes[kind] = self.size_at(x, y)
        return self._sizes[kind]

    def size_at(self, x: float, y: float) -> float | None:
        """The font size in points of the character at this position, if there is one."""
        place = self._turning.own(Rect(x, y, x, y))
        position = char_at(self._address, place.left, place.top, 0.0, 0.0)
        if position < 0:  # a look around takes twice as long, and most positions are in a letter
            position = char_at(self._address, place.left, place.top, _REACH, _REACH)
        return self._looks.size(position) if position >= 0 else None

    def size(self, position: int) -> float:
        """The font size in points of a letter, by its position in the page's text."""
        small = self._superiors.get(position)
        return self._looks.size(position) * (_SUPERIOR if small is not None else 1.0)

    def font(self, position: int) -> str:
        """The name of a letter's font, by its position in the page's text."""
        return self._looks.font(position)

    def baseline(self, position: int) -> float:
        """How far up the page, as it is shown, the baseline of a letter is, in points."""
        return self._baseline(position) + self._superiors.get(position, 0.0)

    def _baseline(self, position: int) -> float:
        x, y = self._looks.origin(position)
        return -self._turning.shown(x, y, x, y).top

    def as_printed(self, text: str, box: Rect, *, is_doubtful: bool = False) -> str:
        """The text of this box with its printed quotation marks and dashes.

        Text that the parser could not decode is taken from PDFium, if it could; so is all text of a
        font that is `is_doubtful` since the parser could not decode some of its letters. What
        neither could is `\ufffd`.
        """
        read = self._as_printed(text, box, is_doubtful=is_doubtful)
        return read.translate(self._unread) if self._unread else read

    def _as_printed(self, text: str, box: Rect, *, is_doubtful: bool) -> str:
        text = _HYPHENS.sub("-", text)
        if SOFT_HYPHEN in text:
            text = self._with_hyphens(text)
        if self._has_pairs and _PAIRS.fullmatch(text):
            text = of_pairs(text, self._printed(box))
        if self._signs:
            text = with_signs(text, self._printed(box), self._signs)
        if not is_doubtful and _UNAMBIGUOUS.fullmatch(text):
            return text
        text = with_known_pieces(text)
        if is_doubtful:
            return decoded_alike(text, self._printed(box))
        if _CODED.search(text):
            text = with_coded_letters(text, self._printed(box))
        garbled = _GARBLED.search(text) is not None
        if not garbled and self._replaced.isdisjoint(text):
            return text
        printed = self._printed(box)
        if text in _AMBIGUOUS and _ANY_MARK.isdisjoint(printed):  # drawn above its low box
            printed = self._printed(box._replace(top=box.top - box.height))
        readable = decoded(text, printed) if garbled else text
        return with_printed_marks(text, printed) if readable == text else readable

    def compare(self, words: Sequence[str]) -> None:
        """Find out what the parser may have read otherwise than PDFium in the words of the page."""
        self._find_misread_signs("".join(words))
        self._find_pairs(words)
        self._find_soft_hyphens(words)

    def _find_misread_signs(self, parsed: str) -> None:
        """Find the signs of Symbol, Zapf Dingbats and fonts of mathematics that the parser has
        fewer of than PDFium: it takes their codes for those of letters.
        """
        letters = self._page.letters
        counts = Counter(_SIGN_OF_FONT.findall(letters))
        self._signs = frozenset(
            sign
            for sign, count in counts.items()
            if count > parsed.count(sign) and is_of_signs(sign, self.font(letters.index(sign)))
        )

    def _find_soft_hyphens(self, words: Sequence[str]) -> None:
        """Find out whether soft hyphens within the words of the page are printed: PDFium has
        letters for them, in places of their own.
        """
        within = sum(len(_SOFT_WITHIN.findall(word)) for word in words if SOFT_HYPHEN in word)
        if not within:
            return
        letters = self._page.letters
        at = letters.find(SOFT_HYPHEN)
        if at < 0:  # as codes of Windows they are hyphens
            hyphens = sum(word.count("-") for word in words)
            self._prints_soft_hyphens = letters.count("-") >= hyphens + within
        else:
            before = self._text.get_charbox(at - 1) if at else None
            self._prints_soft_hyphens = before != self._text.get_charbox(at)

    def _with_hyphens(self, text: str) -> str:
        """The text with hyphens for soft ones that are printed, and one where it divides a word."""
        if self._prints_soft_hyphens:
            return text.replace(SOFT_HYPHEN, "-")
        return _SOFT_AND_PRINTED.sub(SOFT_HYPHEN, text)

    def _find_pairs(self, words: Sequence[str]) -> None:
        """Find out whether many words of the page have two signs for each letter."""
        pairs = sum(_PAIRS.fullmatch(word) is not None for word in words)
        self._has_pairs = pairs >= max(_LEAST_PAIRED, _PAIRED * len(words))

    def has_more(self, parsed: str) -> bool:
        """Whether the page has letters without a code, or more letters than the parser's words."""
        letters = self._page.letters
        return _NO_LETTER.search(letters) is not None or sum(map(len, letters.split())) > len(
            parsed
        )

    def left_out(self, parsed: Iterable[Rect]) -> Iterator[Word]:
        """Drawn letters with the codes of controls that are in none of the boxes `parsed`."""
        signs = {at: s for at, s in self._page.signs_of_controls.items() if not self.font(at)}
        boxes = list(parsed) if signs else []
        for at, sign in signs.items():
            box = self._turning.shown(*self._text.get_charbox(at))
            if not any(box.lies_in(each, _FREE) for each in boxes):
                yield Word(box, sign, "")

    def as_coded(self, text: str, box: Rect) -> str:
        """What PDFium reads in the box of `text` that has no codes, if it has letters for all."""
        printed = self._printed(box)
        return decoded_alike(text, printed) if _NO_LETTER.search(printed) is None else text

    def placed(self) -> PlacedGlyphs:
        """All letters by their place."""
        glyphs = composed_glyphs(glyphs_of(self._text, self._page.letters, self._turning))
        self._find_superiors(glyphs)
        return PlacedGlyphs(glyphs)

    def _find_superiors(self, glyphs: Sequence[Glyph]) -> None:
        """Find the figures that a font draws small, above or below the row, in its own size, as
        superiors and inferiors of OpenType are: in Libertinus they are .66 as wide as the others
        and .34 of the size high, and raised ones are .36 of it above the baseline; old-style ones
        that are as low stand on it. Zero and five of Arabic are small in any font.
        """
        widths = defaultdict[int, float](float)
        figures = [
            (n, glyph)
            for n, glyph in enumerate(glyphs)
            if glyph.text.isdecimal() and not has_from_right(glyph.text)
        ]
        for _, glyph in figures:
            height = round(glyph.box.height)
            widths[height] = max(widths[height], glyph.box.width)
        for n, glyph in figures:
            if glyph.box.width > _NARROW * widths[round(glyph.box.height)]:
                continue
            shift = self._shift(glyph.at)
            if shift is None:
                continue
            self._superiors[glyph.at] = shift
            for sign in glyphs[max(0, n - 1) : n + 2]:
                if sign.text in _CHARGES and self._is_off_row(sign.at, shift):
                    self._superiors[sign.at] = shift

    def _shift(self, position: int) -> float | None:
        """How far the ink of a figure is above its baseline or, negative, below it, if it is small;
        None if it stands on it, or is as high as others.
        """
        ink = self._looks.ink(position)
        if ink is None:
            return None
        box, size = self._turning.shown(*ink), self._looks.size(position)
        shift = -box.bottom - self._baseline(position)
        is_off = shift >= _ABOVE * size or shift <= -_BELOW * size
        return shift if is_off and 0 < box.height <= _LOWEST * size else None

    def _is_off_row(self, position: int, shift: float) -> bool:
        """Whether a sign is in the row of raised figures."""
        ink = self._looks.ink(position)
        if ink is None:
            return False
        box, size = self._turning.shown(*ink), self._looks.size(position)
        middle = -box.middle_y - self._baseline(position)
        return shift > 0 and middle >= _HIGH * size

    def _printed(self, box: Rect) -> str:
        left, bottom, right, top = self._turning.own(box.grown(_AROUND, _AROUND))
        text = bounded_text(self._text, left, bottom, right, top)
        read = _HYPHENS.sub("-", self._page.codes(text))
        return text if read == text else _LIGATURE.sub(_parts_of, read)


def _parts_of(ligature: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", ligature[0])


def bounded_text(
    text: pdfium.PdfTextPage, left: float, bottom: float, right: float, top: float
) -> str:
    """The text in a box of the page's own points, by one search of the page if it is short."""
    buffer = (ctypes.c_ushort * _BUFFER)()
    length = pdfium_raw.FPDFText_GetBoundedText(text, left, top, right, bottom, buffer, _BUFFER)
    if length >= _BUFFER:
        return str(text.get_text_bounded(left=left, bottom=bottom, right=right, top=top))
    return bytes(buffer)[: 2 * length].decode("utf-16-le", "ignore").removesuffix("\0")


def with_coded_letters(text: str, printed: str) -> str:
    """`text` with the letters that its font names by their codes, unless they are `printed` so."""
    if _CODED.search(printed):
        return text

    def letter(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return _TEX_LIGATURES.get(code) or (chr(code) if code >= ord(" ") else "")

    return _CODED.sub(letter, text)


def is_of_signs(sign: str, font: str) -> bool:
    """Whether a parser may have a letter for a sign of this font: of Symbol and Zapf Dingbats any,
    of a font of mathematics the marks of text, whose codes the others share.
    """
    if _SYMBOL_FONT.match(bare_name(font)):
        return True
    return sign in _MARKS_OF_TEXT and font_kind(font).math


def of_pairs(text: str, printed: str) -> str:
    """What is `printed` in the place of names of glyphs, if it has about a letter for each: all of
    it, or the letters of their codes.
    """
    parts = printed.split()
    names, letters = len("".join(text.split())) / 2, sum(map(len, parts))
    if letters == names:
        return _NO_LETTER.sub("\ufffd", " ".join(parts))
    is_near = abs(letters - names) <= _SAME_LENGTH * names
    return _PAIR_OF_SIGNS.sub(_letter_of_pair, text) if is_near else text


def _letter_of_pair(name: re.Match[str]) -> str:
    letter = chr(int(name[0], 36) - _FIRST_PAIR)
    return letter if " " < letter < "\x7f" else "\ufffd"


def with_signs(text: str, printed: str, signs: Set[str]) -> str:
    """`text` with the `signs` that are `printed` in it, one for one."""
    letters = "".join(printed.split())
    if signs.isdisjoint(letters) or len(letters) != len("".join(text.split())):
        return text
    following = iter(letters)
    return "".join(
        letter if letter.isspace() or (sign := next(following)) not in signs else sign
        for letter in text
    )


def with_known_pieces(text: str) -> str:
    """`text` with the pieces of large brackets, and large signs, as Unicode characters."""
    return _SIZE.sub("", text.translate(_PIECES))


def decoded(text: str, printed: str) -> str:
    """`printed` instead of garbled `text`, unless it is no better.

    Where PDFium reads letter-spaced text as single words, the spaces of `text` are used.
    """
    lengths = [len(_GLYPH_NAME.sub("a", word)) for word in text.split()]
    parts = _row_of(text, printed).replace("\x02", "-").replace("\ufffe", "-").split()
    letters = "".join(parts)
    if not letters or _garbled(parts) >= _garbled([text]):
        return text
    if sum(lengths) < len(letters) == sum(lengths) + len(letters) - len(letters.strip("_")):
        letters = letters.strip("_")  # a neighbour's, drawn below the letters
    if len(letters) < sum(lengths) and (filled := _filled(text, letters)):
        return filled
    if len(lengths) == 1:
        return letters
    if sum(lengths) != len(letters) or not any(
        len(first) == len(second) == 1 for first, second in zip(parts, parts[1:])
    ):
        return " ".join(parts)
    following = iter(letters)
    return " ".join("".join(islice(following, length)) for length in lengths)


def _filled(text: str, letters: str) -> str:
    """`text` with all of the `letters`, its own brackets where PDFium has none: it leaves out signs
    with the code 0, as a bracket's in fonts of TeX. Nothing if the two differ otherwise.
    """
    filled, at = "", 0
    for own in _ONE_LETTER.findall(text):
        letter = letters[at : at + 1]
        if letter and (_GARBLED.match(own) or letter.translate(_AS_PLAIN) == own):
            filled, at = filled + letter, at + 1
        elif own.isspace() or own in _BRACKETS:
            filled += own
        else:
            return ""
    return filled if at == len(letters) else ""


def _row_of(text: str, printed: str) -> str:
    """Of rows that reach into a box, the only one with the readable letters of `text`, if any."""
    rows = printed.splitlines()
    letters = _GLYPH_NAME.sub("\ufffd", "".join(text.split()))
    alike = ["." if _GARBLED.match(letter) else re.escape(letter) for letter in letters]
    if len(rows) == 1 or alike.count(".") == len(alike):
        return printed
    row = re.compile("".join(alike))
    found = [each for each in rows if row.fullmatch("".join(each.split()).translate(_AS_PLAIN))]
    return found[0] if len(found) == 1 else printed


def _garbled(parts: Sequence[str]) -> int:
    """How many letters are garbled, each part by itself: `Figura 10` has no glyph `a10`."""
    return sum(len(_GARBLED.findall(part)) for part in parts)


def decoded_alike(text: str, printed: str) -> str:
    """`printed` instead of `text`, unless its length is another or as many letters are garbled."""
    parts = printed.replace("\x02", "-").replace("\ufffe", "-").split()
    letters, own = "".join(parts), "".join(text.split())
    length, garbled = len(own), _garbled(parts)
    if not letters or (garbled and garbled >= _garbled([text])):
        return text
    if length == len(letters) and not _ANGLES.isdisjoint(own):  # which PDFium takes for `h` and `i`
        signs = iter(own)
        return "".join(
            letter if letter == " " or (sign := next(signs)) not in _ANGLES else sign
            for letter in " ".join(parts)
        )
    return " ".join(parts) if abs(len(letters) - length) <= _SAME_LENGTH * length else text


def with_printed_marks(text: str, printed: str) -> str:
    """`text` with its plain quotation marks and dashes replaced, one for one, by the printed ones.

    If the two differ in number or order of marks, `text` is unchanged.
    """
    flat = printed.translate(_AS_PLAIN)
    if text and flat.count(text) == 1:  # beside it, marks of its neighbours may be
        printed = printed[(at := flat.index(text)) : at + len(text)]
    marks = [mark for mark in printed if mark in _AMBIGUOUS or mark in _PLAIN]
    plain = [_PLAIN.get(mark, mark) for mark in marks]
    if plain != [character for character in text if character in _AMBIGUOUS]:
        return text
    following = iter(mark if mark.isprintable() else "-" for mark in marks)
    return "".join(next(following) if c in _AMBIGUOUS else c for c in text)
