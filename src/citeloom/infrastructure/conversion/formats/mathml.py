"""MathML in one line: `(a + b)/2`, `x²`, `√(y)`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from bs4.element import Tag

from citeloom_pdf.elements.scripts import script_text

_TEX = "application/x-tex"
_UNREAD = ("annotation", "annotation-xml", "mphantom")
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))  # applied functions, invisible products
_SIMPLE = re.compile(r"[\w.,\u00b2\u00b3\u00b9\u2070-\u209c]*")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_OVER = {
    **dict.fromkeys("\u00af\u203e\u0304\u0305", "\u0304"),
    **dict.fromkeys("^\u02c6\u0302", "\u0302"),
    **dict.fromkeys("~\u02dc\u0303", "\u0303"),
    **dict.fromkeys("\u02d9\u0307", "\u0307"),
    **dict.fromkeys("\u00a8\u0308", "\u0308"),
    **dict.fromkeys("\u2192\u20d7", "\u20d7"),
}
"""The signs above a letter by what sets them there."""
_OVER_SEVERAL = dict.fromkeys("\u00af\u203e\u0304\u0305", "\u0305")
_PRIMES = frozenset("'\u2032\u2033\u2034")


def formula_text(math: Tag) -> str:
    """The formula's TeX source between dollar signs, if it has one, else what it says in one line:
    fractions with a slash, scripts as Unicode has them or behind `^` and `_`.
    """
    source = math.find(lambda tag: _name(tag) == "annotation" and tag.get("encoding") == _TEX)
    if isinstance(source, Tag):
        return f"${source.get_text().strip()}$"
    return " ".join(_in_line(math).split())


def is_formula(tag: Tag) -> bool:
    """Whether it is a formula's outermost element, whatever the prefix of its name."""
    return _name(tag) == "math"


def _name(tag: Tag) -> str:
    return tag.name.rpartition(":")[2]


def _in_line(tag: Tag) -> str:
    name, parts = _name(tag), tag.find_all(True, recursive=False)
    if name in _UNREAD:
        return ""
    if name in _WRITTEN:
        return _WRITTEN[name]([_in_line(part) for part in parts], tag)
    if parts:
        return "".join(map(_in_line, parts))
    text = " ".join(tag.get_text().split()).translate(_INVISIBLE)
    return f" {text} " if name == "mtext" and text else text


def _group(text: str) -> str:
    """A part as it stands beside a slash or below a root."""
    return text if _SIMPLE.fullmatch(text) or _IN_BRACKETS.fullmatch(text) else f"({text})"


def _fraction(parts: Sequence[str], tag: Tag) -> str:
    above, below = (*parts, "", "")[:2]
    if str(tag.get("linethickness", "")).rstrip("ptxem%") == "0":
        return f"{above}¦{below}"  # a binomial coefficient, in its brackets
    return f"{_group(above)}/{_group(below)}"


def _root(parts: Sequence[str], tag: Tag) -> str:
    if _name(tag) == "mroot" and len(parts) == 2:
        return f"{script_text(parts[1], raised=True)}√{_group(parts[0])}"
    return f"√{_group(''.join(parts))}"


def _scripts(parts: Sequence[str], tag: Tag) -> str:
    base, *scripts = parts or [""]
    raised = _name(tag) in ("msup", "mover")
    if len(scripts) == 1 and raised and scripts[0] in _OVER and _name(tag) == "mover":
        sign = _OVER[scripts[0]] if len(base) == 1 else _OVER_SEVERAL.get(scripts[0])
        over = "".join(f"{letter}{sign}" for letter in base) if sign else f"{base}^{scripts[0]}"
        return unicodedata.normalize("NFC", over)
    return base + "".join(
        script if _PRIMES.issuperset(script) else script_text(script, raised=raised or place > 0)
        for place, script in enumerate(scripts)
        if script
    )


def _bracketed(parts: Sequence[str], tag: Tag) -> str:
    separator = str(tag.get("separators", ","))[:1]
    return f"{tag.get('open', '(')}{separator.join(parts)}{tag.get('close', ')')}"


_WRITTEN: Mapping[str, Callable[[Sequence[str], Tag], str]] = {
    "mfrac": _fraction,
    **dict.fromkeys(("msqrt", "mroot"), _root),
    **dict.fromkeys(("msup", "msub", "msubsup", "mover", "munder", "munderover"), _scripts),
    "mfenced": _bracketed,
    "mtable": lambda rows, _: "; ".join(rows),
    "mtr": lambda cells, _: ", ".join(cells),
    "mspace": lambda *_: " ",
}
