"""A Lua filter for Pandoc, in which citations lead to the pages of the works' files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_FILTER = Path(__file__).with_name("page_links.lua")
_PLACE = "-- LINKS\n"
_ESCAPED = re.compile(r'[\\"]')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def links_filter(links: Iterable[tuple[str, str, str]]) -> str:
    """The filter with the links of a draft: the citekey and the suffix of each citation, as the
    draft has it, and the address of the page.
    """
    targets = {}
    for citekey, suffix, target in links:
        plain = " ".join(suffix.replace("\xa0", " ").split()).lstrip(" ,")  # as the filter has it
        targets[f"{citekey} {plain}"] = target
    rows = "".join(f"  [{_text(key)}] = {_text(targets[key])},\n" for key in sorted(targets))
    return _FILTER.read_text(encoding="utf-8").replace(_PLACE, rows)


def _text(text: str) -> str:
    """A text as Lua has it."""
    return '"' + _ESCAPED.sub(r"\\\g<0>", _CONTROL.sub(" ", text)) + '"'
