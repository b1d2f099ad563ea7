"""Writing a file's citekey into citeloom.toml; everything else in it stays as it is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from shutil import copymode
from tempfile import NamedTemporaryFile
from typing import Any

import tomli

from citeloom.domain.errors import ConfigError

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
        _replace(target, content, (text[: len(text) - len(body)] + changed).encode())
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
    tried = edit.replacing(old) if old is not None else edit.adding()
    return next((one for one in tried if _parsed(one) == expected), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """The edits that may be right, the likeliest first."""

    text: str
    project_id: str
    path: str
    citekey: str

    def replacing(self, old: str) -> Iterator[str]:
        """The text with another citekey in the place of each that reads as the old one."""
        for written in (_quoted(old), f"'{old}'"):
            for match in re.finditer(re.escape(written), self.text):
                yield self.text[: match.start()] + _quoted(self.citekey) + self.text[match.end() :]

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
        header = f"[project.{_quoted(self.project_id)}.files]"
        places = [*self._ends(lambda keys: keys[:2] == table)]
        for place in (*reversed(places), len(self._lines)):
            yield self._with_lines(place, "", header, self._entry)

    @property
    def _entry(self) -> str:
        return f"{_quoted(self.path)} = {_quoted(self.citekey)}"

    @property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def _ends(self, is_meant: Callable[[tuple[str, ...]], bool]) -> list[int]:
        """Where each table ends whose keys are meant: behind its last line that says something."""
        lines = self._lines
        headers = [at for at, line in enumerate(lines) if _HEADER.fullmatch(line.rstrip("\r"))]
        ends = []
        for at, following in zip(headers, [*headers[1:], len(lines)]):
            if is_meant(_keys(lines[at].strip())):
                saying = [n for n in range(at, following) if _says_something(lines[n])]
                ends.append(saying[-1] + 1)
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


def _keys(header: str) -> tuple[str, ...]:
    """The keys of a table's header."""
    node: object = _parsed(header) or {}
    keys = []
    while isinstance(node, dict) and node:
        key = next(iter(node))
        keys.append(key)
        node = node[key]
    return tuple(keys)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _parsed(text: str) -> Tree | None:
    with suppress(tomli.TOMLDecodeError, RecursionError):
        return tomli.loads(text)
    return None


def _quoted(text: str) -> str:
    """The text as a basic string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace(target: Path, content: bytes, changed: bytes) -> None:
    """Write a file anew, all or nothing, if it still has the content."""
    if not os.access(target, os.W_OK):
        raise PermissionError(13, "it is write-protected")
    if target.read_bytes() != content:
        raise InterruptedError(4, "another program is writing it")
    with NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(changed)
            file.flush()
            os.fsync(file.fileno())
            copymode(target, partial)
        except BaseException:
            partial.unlink()
            raise
    partial.replace(target)


def _refusal(config: Path, reason: str, project_id: str, path: str, citekey: str) -> ConfigError:
    header = f"[project.{_quoted(project_id)}.files]"
    return ConfigError(
        f"{config} {reason}; it was not changed",
        f"Add under {header} by hand: {_quoted(path)} = {_quoted(citekey)}",
    )
