"""The captions that Quarto and R Markdown have in chunks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import yaml

_OPTION = re.compile(r"^[ \t>]*(?:#|//|%%|--)\| ?(?P<yaml>[^\n]*)$", re.MULTILINE)
_CAPTION = re.compile(r"(?:\w+-)?(?:sub)?cap")
_STRING = re.compile(r"\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'", re.DOTALL)
_BETWEEN = r"(?:[\w.$]{1,40}(?:\([\w., $]{0,80}\))?\s*,\s*)?"
"""A variable or a simple call between the strings that are put together."""
_STRINGS = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_IN_CODE = re.compile(
    r"\b(?:\w+[._])?(?:sub)?cap(?:tion)?\s*=\s*(?:[\w.]{1,40}\(\s*){0,2}"
    rf"(?P<strings>{_STRINGS}(?:\s*,\s*{_BETWEEN}{_STRINGS})*)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LONGEST_OPTIONS, _DEEPEST_OPTIONS = 50_000, 5
MOST_OPTIONS = 500_000
"""Up to how many characters of chunks the options of a draft are read."""
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""That of libyaml, which is seven times as fast."""


def captions_of_chunk(chunk: str, *, with_options: bool = True) -> Iterator[str]:
    """The captions, in Markdown, among the options of a chunk and in its code; an option that is
    no YAML has none.
    """
    options = "\n".join(match["yaml"] for match in _OPTION.finditer(chunk))
    if with_options and "cap" in options and len(options) <= _LONGEST_OPTIONS:
        yield from _in_options(options)
    for match in _IN_CODE.finditer(_OPTION.sub("", chunk)):
        for string in _STRING.finditer(match["strings"]):
            yield _ESCAPED.sub(
                lambda sign: " " if sign[1] in "nt" else sign[1], string[string.lastgroup or 0]
            )


def _in_options(options: str) -> Iterator[str]:
    name, depth = "", 0
    with suppress(yaml.YAMLError):  # the scan of the text counts what stands there as not read
        for event in yaml.parse(options, Loader=_LOADER):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.ScalarEvent) and depth == 1 and not name:
                name = event.value
                continue
            elif isinstance(event, yaml.ScalarEvent) and _CAPTION.fullmatch(name):
                yield event.value
            if depth > _DEEPEST_OPTIONS:
                return
            if depth <= 1:
                name = ""
