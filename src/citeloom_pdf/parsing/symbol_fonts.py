# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Signs of the fonts Wingdings and Symbol, whose codes are those of letters or for private use.

A font with an encoding of its own has its signs at U+F000 and up, by their codes; a reader that
takes the codes for those of a usual font has letters instead: `l` for a bullet of Wingdings.
Sources: Microsoft's table of Wingdings, and the encoding of Symbol in Adobe's PostScript Language
Reference, appendix E.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from citeloom_pdf.elements.fonts import bare_name

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


def signs_of(text: str, font: str) -> str:
    """A text in a font as it is printed."""
    table = _signs(font) if text else None
    return text.translate(table) if table else text


@lru_cache(maxsize=1024)
def _signs(font: str) -> Mapping[int, str] | None:
    """By their codes, the signs of a font; None for one of letters."""
    name = bare_name(font).casefold().partition("-")[0].partition(",")[0].removesuffix("mt")
    if name in ("wingdings", "wingdingsregular"):
        signs = {int(code, 16): sign for code, sign in _WINGDINGS.items()}
        return signs | {_PRIVATE + code: sign for code, sign in signs.items()}
    if name == "symbol":
        return {_PRIVATE + code: sign for code, sign in _SYMBOL.items()}
    return None
