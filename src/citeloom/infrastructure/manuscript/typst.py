"""What of Typst Pandoc reads otherwise than Typst does: supplements of citations, and single
quotation marks within double ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = re.compile(r"(?P<cited>(?:cite\(\s*|(?:attribution|key):\s*))?<(?P<name>[\w][\w:.-]*)>")
_AT = re.compile(r"(?<![\w\\/.@])@(?P<key>[\w](?:[\w:.-]*\w)?)(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?")
_SINGLE = re.compile(r"(?<![\w\\])'|'(?!\w)")
_RAW = re.compile(r"```.*?```|`[^`\n]*`|(?<!:)//[^\n]*|/\*.*?\*/|\$[^$]*\$", re.DOTALL)
_BRACKETED = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_ARGUMENTS = re.compile(r"\s*>\s*,?((?:[^()\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\)")
_SUPPLEMENT = re.compile(r"supplement:\s*\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_PROSE = re.compile(r'form:\s*"(?:prose|author)"')


def prepared_typst(text: str) -> str:
    """The text with `@key[p. 45]` as `#cite(<key>)`, since Pandoc drops the short form where the
    key is named by the long one, too, and with single quotation marks as they are typed, since it
    closes them as double ones. References to labels of the draft stay.
    """
    labels = {found["name"] for found in _LABEL.finditer(text) if not found["cited"]}

    def call(found: re.Match[str]) -> str:
        return found[0] if found["key"] in labels else f"#cite(<{found['key']}>)"

    parts, at = [], 0
    for raw in _RAW.finditer(text):
        parts += [_SINGLE.sub(r"\\'", _AT.sub(call, text[at : raw.start()])), raw[0]]
        at = raw.end()
    return "".join([*parts, _SINGLE.sub(r"\\'", _AT.sub(call, text[at:]))])


@dataclass(frozen=True, slots=True)
class Supplement:
    """What a citation says beside its key; `in_text` where it names the author in the sentence."""

    text: str = ""
    in_text: bool = False


def supplement_behind(text: str, end: int) -> Supplement:
    """The supplement of the citation whose key ends there."""
    if short := _BRACKETED.match(text, end):
        return Supplement(_plain(short[1]))
    arguments = _ARGUMENTS.match(text, end)
    if arguments is None:
        return Supplement()
    found = _SUPPLEMENT.search(arguments[1])
    return Supplement(_plain(found[1]) if found else "", bool(_PROSE.search(arguments[1])))


def _plain(content: str) -> str:
    return content.replace("~", " ").replace("\\", "").strip()
