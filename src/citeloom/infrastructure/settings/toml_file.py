"""Writing a new citeloom.toml, and a file's citekey into one, the rest of which stays as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from citeloom.domain.errors import ConfigError
from citeloom.domain.project import Project
from citeloom.infrastructure.whole_file import replace_file

# The file that `citeloom init` writes.

_TEMPLATE_HEAD = """\
# The configuration of citeloom for this folder and those below it. Keys that are not set
# have their defaults: docs/reference/configuration.md lists every key. CITELOOM_SECTION__KEY in the
# environment, or in .env beside this file, overrides the file.

"""
_EXAMPLES = (
    ("references", "references.json", "CSL-JSON (a Better BibTeX export), BibTeX or RIS"),
    ("sources", ("papers/",), "what `citeloom ingest` reads when no files or folders are named"),
)


def default_toml(
    project_id: str,
    references: str | None,
    sources: Sequence[str],
    given: Mapping[str, Mapping[str, object]] | None = None,
    embedding_model: str | None = None,
) -> str:
    """The text of a configuration with one project and the tables `given`; everything else is left
    to its default.

    Raises `InvalidProject` for an invalid id.
    """
    project = Project(id=project_id, references=references, sources=tuple(sources))
    values = {"references": project.references, "sources": project.sources or None}
    lines = [f"[project.{toml_value(project.id)}]"]
    for name, example, said in _EXAMPLES:
        value = values[name]
        line = f"{name} = {toml_value(value or example)}"
        lines.append(line if value else f"#{line}  # {said}")
    if embedding_model is not None:
        lines.append(f"embedding_model = {toml_value(embedding_model)}")
    for table, keys in (given or {}).items():
        lines += [
            "",
            f"[{table}]",
            *(f"{key} = {toml_value(value)}" for key, value in keys.items()),
        ]
    return _TEMPLATE_HEAD + "\n".join(lines) + "\n"


def toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{toml_value(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    raise TypeError(f"a setting cannot be a {type(value).__name__}")


# The citekey of a file.

_BOM = "\ufeff"
_HEADER = re.compile(r"\s*\[(?!\[).+\]\s*(?:#.*)?")

Tree = dict[str, Any]


def write_file_mapping(config: Path, project_id: str, path: str, citekey: str) -> None:
    """Write `"path" = "citekey"` into the project's `files`, in place of another citekey of it.

    Raises `ConfigError` if the file cannot be changed, and says which lines to add by hand.
    """
    target = config.resolve()
    try:
        content = target.read_bytes()
        text = content.decode()
        body = text.removeprefix(_BOM)
        changed = with_file_mapping(body, project_id, path, citekey)
        if changed is None:
            raise _refusal(config, "cannot take this entry", project_id, path, citekey)
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "it is write-protected")
        if target.read_bytes() != content:
            raise InterruptedError(4, "another program is writing it")
        whole = (text[: len(text) - len(body)] + changed).encode()
        replace_file(target, whole, like=target)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise _refusal(config, reason, project_id, path, citekey) from error
    except UnicodeError as error:
        raise _refusal(config, "is not UTF-8 text", project_id, path, citekey) from error


def with_file_mapping(text: str, project_id: str, path: str, citekey: str) -> str | None:
    """The text of a citeloom.toml with the mapping; None where no line can be added for it.

    Each edit that may be right is tried, and the first is taken after which the file says what it
    said before, and the mapping.
    """
    before = _parsed(text)
    if before is None:
        return None
    expected = deepcopy(before)
    files = expected.setdefault("project", {}).setdefault(project_id, {}).setdefault("files", {})
    old = files.get(path)
    files[path] = citekey
    edit = _Edit(text=text, project_id=project_id, path=path, citekey=citekey)
    edits = edit.replacing(old) if old is not None else edit.adding()
    return next((edited for edited in edits if _parsed(edited) == expected), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """The edits that may be right, the likeliest first."""

    text: str
    project_id: str
    path: str
    citekey: str

    def replacing(self, old: str) -> Iterator[str]:
        """The text with another citekey in the place of each that reads as the old one."""
        for written in (toml_value(old), f"'{old}'"):
            for match in re.finditer(re.escape(written), self.text):
                head, tail = self.text[: match.start()], self.text[match.end() :]
                yield head + toml_value(self.citekey) + tail

    def adding(self) -> Iterator[str]:
        """The text with a line at the end of the table of files; with an entry in a table written
        in one line, or under dotted keys; with a new table behind the project's.
        """
        table = ("project", self.project_id)
        for place in self._ends(lambda keys: keys == (*table, "files")):
            yield self._with_lines(place, self._entry)
        for brace in re.finditer("}", self.text):
            head, tail = self.text[: brace.start()], self.text[brace.start() :]
            bare = head.rstrip(" \t")
            space = head[len(bare) :]
            yield f"{bare}, {self._entry}{space}{tail}"
            yield f"{bare} {self._entry} {tail}"
            yield f"{bare}, files = {{ {self._entry} }}{space}{tail}"
        for place in self._ends(lambda keys: keys == table):
            if re.search(r"^\s*files\s*\.", self.text, re.MULTILINE):
                yield self._with_lines(place, f"files.{self._entry}")
        header = f"[project.{toml_value(self.project_id)}.files]"
        places = [*self._ends(lambda keys: keys[:2] == table)]
        for place in (*reversed(places), len(self._lines)):
            yield self._with_lines(place, "", header, self._entry)

    @property
    def _entry(self) -> str:
        return f"{toml_value(self.path)} = {toml_value(self.citekey)}"

    @property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def _ends(self, is_meant: Callable[[tuple[str, ...]], bool]) -> list[int]:
        """Where each table ends whose keys are meant: behind its last line that says something."""
        lines = self._lines
        headers = [at for at, line in enumerate(lines) if _HEADER.fullmatch(line.rstrip("\r"))]
        ends = []
        for at, following in zip(headers, [*headers[1:], len(lines)]):
            node: object = _parsed(lines[at].strip()) or {}
            keys = list[str]()
            while isinstance(node, dict) and node:
                keys.append(next(iter(node)))
                node = node[keys[-1]]
            if is_meant(tuple(keys)):
                bare = [lines[n].strip() for n in range(at, following)]
                ends.append(1 + max(at + n for n, line in enumerate(bare) if line[:1] not in "#"))
        return ends

    def _with_lines(self, place: int, *added: str) -> str:
        lines = self._lines
        ending = "\r" if any(line.endswith("\r") for line in lines[:-1]) else ""
        new = [f"{line}{ending}" for line in added]
        if place >= len(lines):  # behind a last line without an end
            lines[-1] += ending
            new[-1] = added[-1]
        if place == len(lines) and not lines[-1].strip():
            place, new = place - 1, [f"{line}{ending}" for line in added]
        return "\n".join([*lines[:place], *new, *lines[place:]])


def _parsed(text: str) -> Tree | None:
    with suppress(tomli.TOMLDecodeError, RecursionError):
        return tomli.loads(text)
    return None


def _refusal(config: Path, reason: str, project_id: str, path: str, citekey: str) -> ConfigError:
    header = f"[project.{toml_value(project_id)}.files]"
    return ConfigError(
        f"{config} {reason}; it was not changed",
        f"Add under {header} by hand: {toml_value(path)} = {toml_value(citekey)}",
    )
