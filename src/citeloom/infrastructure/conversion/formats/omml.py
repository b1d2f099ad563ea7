"""The formulas of Word (Office MathML) as MathML, to be written in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape

from bs4 import BeautifulSoup
from lxml import etree

from citeloom.infrastructure.conversion.formats.mathml import formula_text

_NAMESPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_HIDDEN = ("1", "on", "true")


def formula_in_line(formula: etree._Element) -> str:
    """A formula of Word in one line: `x²`, `(a+b)/2`."""
    soup = BeautifulSoup(f"<math>{_mathml(formula)}</math>", "html.parser")
    return formula_text(soup.math) if soup.math else ""


def _mathml(element: etree._Element) -> str:
    name = str(element.tag).removeprefix(_NAMESPACE)
    if name in _WRITTEN:
        return _WRITTEN[name](element)
    return "" if name.endswith("Pr") else _all(element)


def _all(elements: Iterable[etree._Element]) -> str:
    return "".join(map(_mathml, elements))


def _part(element: etree._Element, name: str) -> str:
    """The first of its parts of this name, as one."""
    part = element.find(f"{_NAMESPACE}{name}")
    return f"<mrow>{_all(part) if part is not None else ''}</mrow>"


def _setting(element: etree._Element, name: str, default: str) -> str:
    """What the element's properties say; a setting without a value is on or empty."""
    found = element.find(f"{_NAMESPACE}{element.tag.removeprefix(_NAMESPACE)}Pr/{_NAMESPACE}{name}")
    return default if found is None else str(found.get(f"{_NAMESPACE}val", ""))


def _of_parts(tag: str, *names: str) -> Callable[[etree._Element], str]:
    return lambda element: f"<{tag}>{''.join(_part(element, name) for name in names)}</{tag}>"


def _text(element: etree._Element) -> str:
    words = "".join(part.text or "" for part in element.iter(f"{_NAMESPACE}t"))
    return f"<mi>{escape(words)}</mi>"


def _fraction(element: etree._Element) -> str:
    bare = ' linethickness="0"' if _setting(element, "type", "bar") == "noBar" else ""
    return f"<mfrac{bare}>{_part(element, 'num')}{_part(element, 'den')}</mfrac>"


def _root(element: etree._Element) -> str:
    degree = element.find(f"{_NAMESPACE}deg")
    hidden = _setting(element, "degHide", "0") in ("", *_HIDDEN)
    if hidden or degree is None or not len(degree):
        return f"<msqrt>{_part(element, 'e')}</msqrt>"
    return f"<mroot>{_part(element, 'e')}{_part(element, 'deg')}</mroot>"


def _with_limits(element: etree._Element) -> str:
    sign = escape(_setting(element, "chr", "\u222b"))
    limits = f"{_part(element, 'sub')}{_part(element, 'sup')}"
    return f"<msubsup><mo>{sign}</mo>{limits}</msubsup>{_part(element, 'e')}"


def _in_brackets(element: etree._Element) -> str:
    opening, closing = _setting(element, "begChr", "("), _setting(element, "endChr", ")")
    separator = f"<mo>{escape(_setting(element, 'sepChr', '|'))}</mo>"
    parts = separator.join(_all(part) for part in element.iterfind(f"{_NAMESPACE}e"))
    return f"<mo>{escape(opening)}</mo>{parts}<mo>{escape(closing)}</mo>"


def _accent(element: etree._Element) -> str:
    sign = escape(_setting(element, "chr", "\u0302"))
    return f"<mover>{_part(element, 'e')}<mo>{sign}</mo></mover>"


def _bar(element: etree._Element) -> str:
    if _setting(element, "pos", "bot") != "top":
        return _part(element, "e")
    return f"<mover>{_part(element, 'e')}<mo>\u00af</mo></mover>"


def _function(element: etree._Element) -> str:
    return f"{_part(element, 'fName')}<mspace></mspace>{_part(element, 'e')}"


def _matrix(element: etree._Element) -> str:
    rows = (
        "".join(f"<mtd>{_all(cell)}</mtd>" for cell in row.iterfind(f"{_NAMESPACE}e"))
        for row in element.iterfind(f"{_NAMESPACE}mr")
    )
    return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"


def _lines(element: etree._Element) -> str:
    rows = (f"<mtr>{_all(row)}</mtr>" for row in element.iterfind(f"{_NAMESPACE}e"))
    return f"<mtable>{''.join(rows)}</mtable>"


_WRITTEN: Mapping[str, Callable[[etree._Element], str]] = {
    "r": _text,
    "sSup": _of_parts("msup", "e", "sup"),
    "sSub": _of_parts("msub", "e", "sub"),
    "sSubSup": _of_parts("msubsup", "e", "sub", "sup"),
    "limLow": _of_parts("munder", "e", "lim"),
    "limUpp": _of_parts("mover", "e", "lim"),
    "f": _fraction,
    "rad": _root,
    "nary": _with_limits,
    "d": _in_brackets,
    "acc": _accent,
    "bar": _bar,
    "func": _function,
    "m": _matrix,
    "eqArr": _lines,
}
