"""YAML and TOML front matter of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

import tomli
import yaml

from citeloom.domain.errors import InvalidMetadata
from citeloom.infrastructure.conversion.formats.markup import Declared

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)??\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_LONGEST = 64 * 1024
_DEEPEST = 100
"""How deep tables of TOML may be nested, which a dotted key does without brackets."""
_TOO_LONG = f"it is longer than {_LONGEST // 1024} KB"
_TOO_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of front matter, None where there is none, and where the body begins."""

    fields: Mapping[str, object] | None
    end: int

    @property
    def declared(self) -> Declared:
        """Title, authors and DOI as the fields declare them."""
        named = {key.lower(): value for key, value in (self.fields or {}).items()}
        return Declared(
            title=" ".join(_words(named.get("title"))),
            authors=tuple(_names(named.get("author", named.get("authors")))),
            doi=" ".join(_words(named.get("doi"))),
        )


def front_matter_of(text: str) -> FrontMatter:
    """The front matter of a text: YAML between lines `---`, or TOML between lines `+++`; every
    scalar is text. Raises `InvalidMetadata` if it is invalid, too long or deep, or uses aliases.
    """
    if toml := _TOML.match(text):
        return _toml_front_matter(toml[1] or "", toml.end())
    found = _FRONT_MATTER.match(text)
    if found is None:
        return FrontMatter(None, 0)
    fields = _loaded(found[1] or "")
    if fields in (None, ""):
        return FrontMatter({}, found.end())
    if not isinstance(fields, dict):
        return FrontMatter(None, 0)
    return FrontMatter({str(key): value for key, value in fields.items()}, found.end())


def _toml_front_matter(text: str, end: int) -> FrontMatter:
    if text.strip() and "=" not in text and "[" not in text:  # a text between two lines of signs
        return FrontMatter(None, 0)
    if len(text) > _LONGEST:
        raise _invalid(_TOO_LONG, "TOML")
    try:
        tables = tomli.loads(text, parse_float=str)
        return FrontMatter({key: _as_texts(value) for key, value in tables.items()}, end)
    except tomli.TOMLDecodeError as error:
        line = f"line {error.lineno + 1}: " if error.lineno else ""
        raise _invalid(f"{line}{error.msg}", "TOML") from error
    except (ValueError, RecursionError) as error:
        raise _invalid(str(error) or _TOO_DEEP, "TOML") from error


def _as_texts(value: object, depth: int = 0) -> object:
    """A value of TOML with each scalar as text. Raises `ValueError` if it is nested too deeply."""
    if depth > _DEEPEST:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, dict):
        return {key: _as_texts(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_as_texts(one, depth + 1) for one in value]
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def _loaded(text: str) -> object:
    if len(text) > _LONGEST:
        raise _invalid(_TOO_LONG)
    try:
        # The base loader reads each scalar as the text it is, and guesses at no date or `no`.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise _invalid("it has an alias, by which a short text may become a huge value")
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts only
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise _invalid(f"{line}{error.problem}") from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise _invalid(str(error)) from error
    except RecursionError as error:
        raise _invalid(_TOO_DEEP) from error


def _invalid(reason: str, language: str = "YAML") -> InvalidMetadata:
    lines = {"YAML": "---", "TOML": "+++"}[language]
    return InvalidMetadata(
        f"invalid frontmatter: {reason}", f"Correct the {language} between the lines {lines}."
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
    return " ".join(value for value in values if isinstance(value, str)).split()
