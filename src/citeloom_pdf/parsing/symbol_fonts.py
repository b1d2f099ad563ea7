# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Signs of the fonts Wingdings, Symbol and MarVoSym, whose codes are those of letters or for
private use.

A font with an encoding of its own has its signs at U+F000 and up, by their codes; a reader that
takes the codes for those of a usual font has letters instead: `l` for a bullet of Wingdings.
Sources: Microsoft's table of Wingdings, the encoding of Symbol in Adobe's PostScript Language
Reference, appendix E, and the codes in LaTeX's `marvosym.sty`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import ascii_letters

from citeloom_pdf.elements.fonts import bare_name
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.accents import Piece, holds

_PRIVATE = 0xF000  # where the signs of a font with an encoding of its own begin
_WINGDINGS = dict(
    pair.split(":")
    for pair in (
        "21:✏ 22:✂ 23:✁ 28:☎ 29:✆ 2a:✉ 36:⌛ 3f:✍ 41:✌ 45:☜ 46:☞ 47:☝ 48:☟ 4a:☺ 4c:☹ 4e:☠ 51:✈ "
        "52:☼ 54:❄ 5b:☯ 5e:♈ 5f:♉ 6c:● 6d:❍ 6e:■ 6f:□ 71:❑ 72:❒ 73:⬧ 74:⧫ 75:◆ 76:❖ 77:⬥ 78:⌧ "
        "79:⍓ 7a:⌘ 7b:❀ 7c:✿ 80:⓪ 81:① 82:② 83:③ 84:④ 85:⑤ 86:⑥ 87:⑦ 88:⑧ 89:⑨ 8a:⑩ 8b:⓿ 8c:❶ "
        "8d:❷ 8e:❸ 8f:❹ 90:❺ 91:❻ 92:❼ 93:❽ 94:❾ 95:❿ 9e:· 9f:• a0:▪ a1:○ a4:◉ a5:◎ a7:▪ a8:◻ "
        "aa:✦ ab:★ ac:✶ af:✵ d8:➢ dc:➲ df:← e0:→ e1:↑ e2:↓ e8:➔ ef:⇦ f0:⇨ f1:⇧ f2:⇩ f3:⬄ fb:✗ "
        "fc:✓ fd:☒ fe:☑"
    ).split()
)
_SYMBOL = dict(
    zip(
        (*range(0x21, 0x7F), *range(0xA1, 0xF0), *range(0xF1, 0xFF)),
        "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
        "{|}∼ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
    )
)
_MARVOSYM = dict.fromkeys(map(ord, ascii_letters), "\ufffd") | {
    int(code, 16): sign
    for code, sign in (
        pair.split(":")
        for pair in (
            "3a:→ 42:✉ 44:€ 45:↯ 4b:☕ 4f:☐ 51:✂ 53:✂ 54:☎ 56:☑ 58:☒ 59:☯ 5a:☞ 62:✍ 63:€ 64:€ "
            "65:€ 68:☣ 69:ℹ 6a:☢ 6b:✉ 6c:↓ 6f:⚽ 77:♿ 7a:☇ 7c:♂ 7d:⚥ 7e:♀ 86:✝ 88:☥ 8c:♥ 8d:℮ "
            "a4:€ a7:☹ a9:☺ b3:⚒ c0:☉ c1:☾ c2:☿ c3:♀ c4:♂ c5:♃ c6:♄ c7:♅ c8:♆ c9:♇ ca:♁ de:♲ "
            "e0:♈ e1:♉ e2:♊ e3:♋ e4:♌ e5:♍ e6:♎ e7:♏ e8:♐ e9:♑ ea:♒ eb:♓"
        ).split()
    )
}


# LaTeX's symbols, of which two make a guillemet: the parser has the dingbats of their names
_LASY = re.compile(r"lasyb?\d")


def signs_of(text: str, font: str) -> str:
    """A text in a font as it is printed."""
    table = _signs(font) if text else None
    return text.translate(table) if table else text


def has_signs(font: str) -> bool:
    """Whether the font is one of signs."""
    return _signs(font) is not None


def with_signs_of_fonts(pieces: Sequence[Piece], letters: Sequence[Word]) -> list[Piece]:
    """The words or the parts of lines with the signs among their `letters`: those beside a sign are
    of another font, though the parser has one font for all.
    """
    signs = [letter for letter in letters if has_signs(letter.font)]
    return [
        _with_signs(piece, letters) if any(holds(piece.box, sign.box) for sign in signs) else piece
        for piece in pieces
    ]


def _with_signs(piece: Piece, letters: Sequence[Word]) -> Piece:
    inside = [each for each in letters if holds(piece.box, each.box) and not each.text.isspace()]
    inside.sort(key=lambda letter: letter.box.left)
    fonts = [letter.font for letter in inside for _ in letter.text]
    if len(set(fonts)) == 1:
        fonts = [fonts[0]] * len("".join(piece.text.split()))
    if len(fonts) != len("".join(piece.text.split())):
        return piece
    following = iter(fonts)
    text = "".join(
        each if each.isspace() else signs_of(each, next(following)) for each in piece.text
    )
    return piece._replace(text=text.replace("\u2039\u2039", "«").replace("\u203a\u203a", "»"))


@lru_cache(maxsize=1024)
def _signs(font: str) -> Mapping[int, str] | None:
    """By their codes, the signs of a font; None for one of letters."""
    name = bare_name(font).casefold().partition("-")[0].partition(",")[0].removesuffix("mt")
    if name in ("wingdings", "wingdingsregular"):
        signs = {int(code, 16): sign for code, sign in _WINGDINGS.items()}
        return signs | {_PRIVATE + code: sign for code, sign in signs.items()}
    if _LASY.match(name):
        return {ord("\u272d"): "\u2039", ord("\u272e"): "\u203a"}
    if name == "marvosym":
        return _MARVOSYM
    if name == "symbol":
        return {_PRIVATE + code: sign for code, sign in _SYMBOL.items()}
    return None
