"""Superscripts and subscripts as Unicode has them."""

from __future__ import annotations

import unicodedata

RAISED_FORMS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᵠᵡ"
_LOWERED_FORMS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"


def plain_script(text: str) -> str:
    """The letters and signs of a script in their usual form, with a hyphen for a minus sign."""
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")


_SCRIPTS = frozenset(RAISED_FORMS + _LOWERED_FORMS)  # in a script, they are scripts of its letters
_SUPER = {plain_script(form): form for form in RAISED_FORMS}
_SUB = {plain_script(form): form for form in _LOWERED_FORMS}


_NO_SCRIPTS = dict.fromkeys(map(ord, _SCRIPTS), " ")


def without_scripts(text: str) -> str:
    """The text with a space for each script: `wₖcₙ` is no word."""
    return text.translate(_NO_SCRIPTS)


def script_text(text: str, *, raised: bool) -> str:
    """A script as Unicode has it: `²`, or else behind a sign: `^(2q)`, `_q`."""
    plain, forms = plain_script(text), _SUPER if raised else _SUB
    if all(char in forms for char in plain) and _SCRIPTS.isdisjoint(text):
        return "".join(map(forms.__getitem__, plain))
    mark = "^" if raised else "_"
    return f"{mark}{text}" if len(plain) == 1 else f"{mark}({text})"
