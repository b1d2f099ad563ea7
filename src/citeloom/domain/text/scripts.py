"""Superscripts and subscripts in the forms in which texts write them: `r²`, `r^2`, `x_(max)`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# of Unicode's blocks with such letters, those that stand for plain ones
_FORMS = [
    (chr(code), kind)
    for first, last in (
        (0xB2, 0xB9),
        (0x2B0, 0x2B8),
        (0x1D2C, 0x1DBF),
        (0x2070, 0x209C),
        (0x2C7C, 0x2C7D),
    )
    for code in range(first, last + 1)
    if (kind := unicodedata.decomposition(chr(code)).split(" ")[0]) in {"<super>", "<sub>"}
]
_SUPERSCRIPT = "".join(form for form, kind in _FORMS if kind == "<super>")
_SUBSCRIPT = "".join(form for form, kind in _FORMS if kind == "<sub>")
_RUN = re.compile(f"(?P<raised>[{_SUPERSCRIPT}]+)|(?P<lowered>[{_SUBSCRIPT}]+)")
_BRACKETS = re.compile(r"([\^_])(?:\(([^(){}]*)\)|\{([^(){}]*)\})")
_MARK = re.compile(r"[\^_]")
_ENDS = ".,;:!?\"'"


def scripts_written_otherwise(quotation: str, work: str) -> Iterator[tuple[str, str]]:
    """The words with a script that a quotation has in the line, each with that of the work."""
    if not _RUN.search(work) and not _MARK.search(work):
        return
    written = "".join(_marked(quotation).split())
    plain = _MARK.sub("", written)
    for word in dict.fromkeys(work.split()):
        marked = _marked(word).strip(_ENDS)
        flat = _MARK.sub("", marked)
        if flat != marked and marked not in written and flat in plain:
            yield flat, word.strip(_ENDS)


def _marked(text: str) -> str:
    """The text with `^` or `_` before each script, and no brackets about it."""
    text = _RUN.sub(lambda run: f"{'^' if run['raised'] else '_'}{run[0]}", text)
    text = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    return _BRACKETS.sub(lambda found: found[1] + (found[2] or found[3] or ""), text)
