"""YAML front matter of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from citeloom.infrastructure.conversion.formats.markup import Declared

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def without_front_matter(text: str) -> tuple[str, Declared, tuple[str, ...]]:
    """The text without front matter, its metadata, and a note if it is not valid YAML."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return text, Declared(), ()
    body = text[found.end() :]
    try:
        fields = yaml.safe_load(found[1] or "")
    except yaml.YAMLError:
        return body, Declared(), ("its front matter is not valid YAML and was left out",)
    if not isinstance(fields, dict):
        return (body, Declared(), ()) if fields is None else (text, Declared(), ())
    named = {str(key).lower(): value for key, value in fields.items()}
    return (
        body,
        Declared(
            title=" ".join(_words(named.get("title"))),
            authors=tuple(_names(named.get("author", named.get("authors")))),
            doi=" ".join(_words(named.get("doi"))),
        ),
        (),
    )


def _names(value: object) -> Iterator[str]:
    """Authors as a name, a list of names, or a list of `name`, or of `family` and `given`."""
    for author in value if isinstance(value, list) else [value]:
        if isinstance(author, dict):
            parts = [author.get("given"), author.get("family")]
            yield " ".join(_words(author.get("name"), *parts))
        elif words := _words(author):
            yield " ".join(words)


def _words(*values: object) -> list[str]:
    """The words of all scalar values; lists are left out."""
    return " ".join(str(v) for v in values if isinstance(v, str | int | float)).split()
