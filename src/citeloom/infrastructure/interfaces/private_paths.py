"""Keeps the places of files on this machine out of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from citeloom.infrastructure.answers.model import plain, with_texts

_ABSOLUTE = re.compile(
    r"(?<![\w:/.~\\-])(?!/api/)(?:/[^\s/'\"<>|,;:()]+){2,}|(?<!\w)[A-Za-z]:\\[^\s'\"<>|]+"
)
_MARK = "\0"
_REPEATED = re.compile(rf"({_MARK}[^{_MARK}]*{_MARK})(?:(?:, | or | and )\1)+")
_PUNCTUATION = re.compile("[,;:] ")


class PrivatePaths:
    """Makes paths below `folders` relative to them, and leaves only the names of all others, first
    of all of those that are `known`.
    """

    def __init__(self, *folders: Path, known: Iterable[str] = ()) -> None:
        resolved = {str(place) for folder in folders for place in (folder, folder.resolve())}
        self._folders = sorted(resolved - {"/"}, key=len, reverse=True)
        absolute = {path.rstrip("/") for path in known if path.startswith("/")}
        self._known = sorted(absolute - {""}, key=len, reverse=True)

    def path(self, path: str) -> str:
        """A path without the place it has on this machine."""
        for folder in self._folders:
            if path == folder:
                return "."
            if path.startswith(f"{folder}/"):
                return path.removeprefix(f"{folder}/")
        is_windows = PureWindowsPath(path).is_absolute() and not path.startswith("/")
        if is_windows:
            return PureWindowsPath(path).name
        return PurePosixPath(path).name if path.startswith("/") else path

    def text(self, text: str) -> str:
        """A message in which every path is treated so."""
        for folder in self._folders:
            text = text.replace(f"{folder}/", "")
            text = re.sub(rf"{re.escape(folder)}(?![\w/-])", ".", text)
        for known in self._known:
            text = re.sub(rf"{re.escape(known)}(?![\w-])", PurePosixPath(known).name, text)

        def mark(match: re.Match[str]) -> str:
            path = match[0].rstrip(".")  # before the full stop of its sentence
            return f"{_MARK}{self.path(path)}{_MARK}{match[0][len(path) :]}"

        return _REPEATED.sub(r"\1", _ABSOLUTE.sub(mark, text)).replace(_MARK, "")

    def value(self, value: object) -> object:
        """What JSON has for a value, with every text in it treated so."""

        def treated(text: str) -> str:
            is_path = text.startswith("/") and not _PUNCTUATION.search(text)
            return self.path(text) if is_path else self.text(text)

        return with_texts(plain(value), treated)
