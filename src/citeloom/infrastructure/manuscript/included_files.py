"""The files that a draft includes as text: where it names them, and where they are."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from citeloom.domain.manuscript.cited_place import MARKUPS, markup_of
from citeloom.domain.manuscript.draft import Draft
from citeloom.infrastructure.manuscript.citation_scan import (
    ASIDE_IN_ORG,
    ASIDE_IN_TYPST,
    SCANS,
    plain_latex,
    plain_markdown,
    plain_org,
    plain_typst,
)

_BEGIN_DOCUMENT = re.compile(r"\\begin\{document\}")
_INCLUDES: Mapping[str, tuple[Callable[[str], str], re.Pattern[str]]] = {
    "latex": (
        plain_latex,
        re.compile(
            r"\\(?:input|include|subfile(?:include)?"
            r"|(?:sub)?(?:import|inputfrom|includefrom)\*?[ \t]*\{(?P<folder>[^{}#\\]*)\})"
            r"(?:[ \t]*\{(?P<name>[^{}#\\]+)\}|[ \t]+(?P<bare>[^\s{}#\\]+))"
        ),
    ),
    "markdown": (
        plain_markdown,
        re.compile(
            r"\{\{<[ \t]*include[ \t]+(?P<name>[^\s>]+)[ \t]*>\}\}"
            r"|^[ \t>]*(?:`{3,}|~{3,})[ \t]*\{[^\n]*\bchild[ \t]*=[ \t]*"
            r"[\"'](?P<child>[^\"'\n]+)[\"']"
            r"|^[ \t>]*#\|[ \t]*child:[ \t]*[\"']?(?P<option>[^\"'\n]+?)[\"']?[ \t]*$",
            re.MULTILINE,
        ),
    ),
    "typst": (
        partial(plain_typst, no_text=ASIDE_IN_TYPST),
        re.compile(r"\binclude[ \t]+\"(?P<name>[^\"\n]+)\""),
    ),
    "org": (
        partial(plain_org, no_text=ASIDE_IN_ORG),
        re.compile(
            r"^[ \t]*#\+include:[ \t]*(?:\"(?P<name>[^\"\n:]+)[^\"\n]*\"|(?P<bare>[^\s\":]+))"
            r"(?![ \t]+(?:src|example|export)\b)",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
}


def included_names(text: str, markup: str) -> Iterator[tuple[str, int, int]]:
    """The names of the files that a text includes, and where they stand; of LaTeX those that the
    document's body includes.
    """
    plain_of, pattern = _INCLUDES[markup]
    plain = plain_of(text)
    begin = _BEGIN_DOCUMENT.search(plain) if markup == "latex" else None
    for match in pattern.finditer(plain, begin.end() if begin else 0):
        named = match.groupdict()
        folder = named.pop("folder", None) or ""
        name = next(filter(None, named.values()))
        yield posixpath.join(folder.strip(), name.strip()), match.start(), match.end()


_SUFFIXES = frozenset(suffix for language in MARKUPS.values() for suffix in language.suffixes)


@dataclass(frozen=True, slots=True)
class IncludingFile:
    """A file of a draft, and the names by which it includes files that are read, too, or have
    nothing to be checked.
    """

    path: Path
    read: frozenset[str] = frozenset()

    def without_read(self, draft: Draft) -> Draft:
        """The draft in it, whose unread files are those that are not read with it."""
        left = (one for one in draft.unread_files if one.name not in self.read)
        return replace(draft, unread_files=tuple(left))


def with_included_files(
    paths: Iterable[Path], text_of: Callable[[Path], str | None]
) -> dict[Path, list[IncludingFile]]:
    """Each file with those that it includes, and they with theirs, behind it; each of these once.

    A file is looked for in the folder of the one that was named, in that of the one that includes
    it, and above the first up to the current folder; it has to be in one of them or below. One of
    another kind is not read as a draft; it has nothing to be checked if it cites nothing. `text_of`
    gives the text of a file, None for what is no text.
    """
    files: dict[Path, list[IncludingFile]] = {path: [] for path in paths}
    done = {path.resolve() for path in files}
    for root, found in files.items():
        waiting = [root]
        while waiting:
            path = waiting.pop()
            folders, markup = _folders(root, path), markup_of(path.name)
            read, inner = set[str](), list[Path]()
            for name, _, _ in included_names(text_of(path) or "", markup):
                place = _find(name, folders, markup)
                if place is None:
                    continue
                if place.suffix.lower() in _SUFFIXES:
                    read.add(name)
                    if place.resolve() not in done:
                        done.add(place.resolve())
                        inner.append(place)
                elif _cites_nothing(text_of(place), markup):
                    read.add(name)
            found.append(IncludingFile(path, frozenset(read)))
            waiting += reversed(inner)
    return files


def _folders(root: Path, path: Path) -> list[Path]:
    here = Path.cwd()
    above = (one for one in root.absolute().parents if one.is_relative_to(here))
    return [root.parent, path.parent, *(Path(os.path.relpath(one)) for one in above)]


def _find(name: str, folders: Sequence[Path], markup: str) -> Path | None:
    within = [folder.resolve() for folder in folders]
    for folder in folders:
        for written in (f"{name}.tex", name) if markup == "latex" else (name.lstrip("/"),):
            place = Path(os.path.normpath(folder / written))
            with suppress(OSError, ValueError):
                if place.is_file() and any(place.resolve().is_relative_to(one) for one in within):
                    return place
    return None


def _cites_nothing(text: str | None, markup: str) -> bool:
    return text is not None and not any(one.is_certain for one in SCANS[markup](text))
