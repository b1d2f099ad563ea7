"""Text style: what a font's name says, and the style of a piece of text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from math import sqrt
from statistics import median
from typing import NamedTuple

from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.page import Style, Word

_BOLD = re.compile(
    r"bold|black|heavy|semib|demi|medi(?!um)|cmb(x|sy|ti)?\d|cm[a-z]*bx|bx\d+$|sfb[xt]|[-,]b$"
    r"|[-,]bd|bd(it|cn)?$|tb$|tbi$|-sb\b|ntxbmi|ptmb|phvb|pncb|advp.*b$|\.b$",
    re.IGNORECASE,
)
_ITALIC = re.compile(r"ital|obli|cmti|sfti|slant|[-,]it?$|ti$|ptmri|-i\b", re.IGNORECASE)
_MONO = re.compile(
    r"cour|mono|consol|cmtt|cmtcsc|sf(?:tt|st|it|tc)\d|typew|menlo|inconsol|nimbusmon|fixed|luximono|pcrr"
    r"|tt\d{0,4}(-|$)|code(pro|-)|firacode|jetbrains|cascadia|anonymous|andale|lettergothic|zi4\b"
    r"|\bhack-|iosevka",
    re.IGNORECASE,
)
_MATH = re.compile(
    r"cmmi|cmb?sy|cmex|msam|msbm|mtmi|mtsy|math|rsfs|eufm|symbol|standardsym|stmary|esint|[np]txmi|ntxsy"
    r"|txsy|txmi|pxsy",
    re.IGNORECASE,
)
# a size that a quarter of the sampled characters have is the line's: small capitals are smaller
_FAIR_SHARE = 0.25
_SAMPLES = 4  # words of a line whose font size is looked up
_LEAST_SIZE = 1.0  # points: no text is smaller; drawn fonts (Type 3) have any size
_UNNAMED = re.compile(r"[A-Z]{1,2}\d+")  # what a font without a name goes by
_TELLING = 4  # letters: a shorter word does not tell its font's pitch
_LEAST_TELLING = 3  # such words
_SAME_PITCH = 0.08  # of the pitch: how far letters of one pitch may differ
_BEARINGS = 0.3  # of the pitch: what a word's ink leaves free at its two ends
_SLACK = 0.45  # of the pitch: how far a word of any length may differ
_MOST = 0.9  # of its words

# of the height from the highest to the lowest of Latin letters, as in Computer Modern and Times
_ASCENT, _DESCENT = 0.3, 0.22
_ASCENDING = re.compile(r"[^\Wacegmnopqrsuvwxyz_]")
_DESCENDING = re.compile(r"[gjpqy()\[\],;]")

SizeOf = Callable[[Word], "float | None"]


class FontKind(NamedTuple):
    """The style that a font's name indicates."""

    bold: bool
    italic: bool
    mono: bool
    math: bool


@lru_cache(maxsize=1024)
def font_kind(name: str) -> FontKind:
    """The kind of a PostScript font name, such as `ABCDEF+CMBX12`."""
    bare = bare_name(name)
    return FontKind(
        bold=_BOLD.search(bare) is not None,
        italic=_ITALIC.search(bare) is not None,
        mono=_MONO.search(bare) is not None,
        math=_MATH.search(bare) is not None,
    )


def bare_name(name: str) -> str:
    """A font's name without the prefix of an embedded subset."""
    return name.rsplit("+", 1)[-1].lstrip("/")


def font_family(name: str) -> str:
    """The prefix of a font's name that its styles share."""
    return re.split(r"[-,]|(?<=[a-z])(?=[A-Z])", name)[0][:9].lower()


def fixed_pitch_fonts(words: Iterable[Word]) -> frozenset[str]:
    """The unnamed fonts that are monospaced, by the pitch of their letters."""
    telling: dict[str, list[Word]] = defaultdict(list)
    for word in words:
        if is_unnamed(word.font):
            text = word.text
            letters = sum(map(str.isalpha, text))  # figures have one pitch in any font
            is_telling = len(text) >= _TELLING and text.isalnum() and 2 * letters > len(text)
            telling[word.font] += [word] if is_telling else []
    usual = {font: median(map(_pitch, found)) for font, found in telling.items() if found}
    fixed = {font for font in usual if _is_one_pitch(telling[font], usual[font])}
    alike = (
        font
        for font, found in telling.items()
        if 0 < len(found) < _LEAST_TELLING
        and any(all(_is_alike(word, usual[other]) for word in found) for other in fixed)
    )
    return frozenset([*fixed, *alike])


@lru_cache(maxsize=1024)
def is_unnamed(font: str) -> bool:
    """Whether a font goes by the name that a page has for it: `F8`."""
    return _UNNAMED.fullmatch(bare_name(font)) is not None


def _pitch(word: Word) -> float:
    return word.box.width / (len(word.text) - _BEARINGS)


def _is_one_pitch(words: Sequence[Word], usual: float) -> bool:
    alike = sum(_is_alike(word, usual) for word in words)
    return len(words) >= _LEAST_TELLING and alike >= _MOST * len(words)


def _is_alike(word: Word, usual: float) -> bool:
    """Whether a word is as wide as its letters are at a pitch, but for what its ends leave free."""
    slack = abs(word.box.width - (len(word.text) - _BEARINGS) * usual)
    return abs(_pitch(word) - usual) <= _SAME_PITCH * usual and slack <= _SLACK * usual


def style_of_words(
    words: Sequence[Word], fallback: Style, size_of: SizeOf, fixed: Set[str] = frozenset()
) -> Style:
    """The style of a line from its words; the fallback if the words do not show it.

    `fixed` are fonts known to be monospaced, whatever their name. A word with letters from the
    right is none of code, in whatever font it is.
    """
    characters, typed = Counter[str](), Counter[str]()
    for word in words:
        length = len(word.text)
        characters[word.font] += length
        typed[word.font] += 0 if has_from_right(word.text) else length
    total = characters.total()
    if not total:
        return fallback
    kinds = [(font_kind(font), count / total) for font, count in characters.items()]
    return Style(
        size=_sampled_size(words, size_of) or _size_by_boxes(words),
        font=bare_name(characters.most_common(1)[0][0]),
        bold=sum(share for kind, share in kinds if kind.bold),
        italic=sum(share for kind, share in kinds if kind.italic),
        mono=sum(
            count / total
            for font, count in typed.items()
            if count and (font in fixed or font_kind(font).mono)
        ),
        math=sum(share for kind, share in kinds if kind.math),
    )


def _sampled_size(words: Sequence[Word], size_of: SizeOf) -> float | None:
    sizes, count = Counter[float](), len(words)
    if count > _SAMPLES:
        words = [words[0], words[count // 3], words[2 * count // 3], words[-1]]
    for word in words:
        size = size_of(word)
        if size and size >= _LEAST_SIZE:
            sizes[round(size, 1)] += len(word.text)
    fair = [size for size, count in sizes.items() if count >= _FAIR_SHARE * sizes.total()]
    return max(fair, default=None)


def _size_by_boxes(words: Sequence[Word]) -> float:
    """The size that the heights of the words tell: that of most, or where boxes are those of the
    ink, as in fonts of bitmaps, that of letters from the highest to the lowest.
    """
    heights = [(_extent(word.text), word.box.height, len(word.text)) for word in words]
    telling = [height for height, word in zip(heights, words) if word.text.isalpha()]
    least, most = (choose(telling)[0] if telling else 1.0 for choose in (min, max))
    lower, higher = (
        weighted_median((height, n) for extent, height, n in telling if extent == each)
        for each in (least, most)
    )
    # nearer to what the letters have than to one height for all
    if lower < higher * sqrt(least / most):
        return weighted_median((height / extent, n) for extent, height, n in telling)
    return weighted_median((height, n) for _, height, n in heights)


def _extent(text: str) -> float:
    """How high the ink of a word is, of that of letters which ascend and letters which descend."""
    rises, falls = _ASCENDING.search(text), _DESCENDING.search(text)
    return 1.0 - (0.0 if rises else _ASCENT) - (0.0 if falls else _DESCENT)


def weighted_median(values: Iterable[tuple[float, int]]) -> float:
    """The weighted median."""
    ordered = sorted(values)
    half = sum(weight for _, weight in ordered) / 2
    reached = 0
    for value, weight in ordered:
        reached += weight
        if reached >= half:
            return value
    return 0.0


def mixed_style(styles: Sequence[tuple[Style, int]]) -> Style:
    """The style of several parts, weighted by their numbers of characters."""
    total = sum(count for _, count in styles) or 1
    fonts = Counter[str]()
    for style, count in styles:
        fonts[style.font] += count

    def share(of: Callable[[Style], float]) -> float:
        return sum(of(style) * count for style, count in styles) / total

    return Style(
        size=weighted_median((style.size, count) for style, count in styles),
        font=fonts.most_common(1)[0][0],
        bold=share(lambda style: style.bold),
        italic=share(lambda style: style.italic),
        mono=share(lambda style: style.mono),
        math=share(lambda style: style.math),
    )
