"""The use case `collect`: passages with comments and tags in a Markdown file for each chapter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from citeloom.application.requests.manuscript import LONGEST_CHAPTER, CollectRequest, check_length
from citeloom.domain.errors import InvalidFilter, NotFound, nearest

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.records import ChapterFiles
    from citeloom.domain.retrieval.passage import StoredChunk

_LONGEST_FILE_NAME = 200  # bytes; file systems take 255, the suffix included
_SEPARATORS = re.compile(r"[\W_]+")
_HEADING = re.compile(r"^#[ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_MARKER = re.compile(r"^<!-- citeloom (\S+) (\S+) -->[ \t\r]*$", re.MULTILINE)
_CHAPTER_HINT = "Give it a name on one line, with a letter or a digit: 2 Methods."


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedPassage:
    """A passage in the file of a chapter; `added` unless it was there before."""

    project: str
    """The project."""
    chunk_id: str
    """The passage."""
    citation: str | None
    """Null for a document without a reference."""
    chapter: str
    """The heading of the file."""
    path: Path
    added: bool
    """False where the passage was there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """The file of a chapter: its heading, its text, and the project's passages in it, in order."""

    chapter: str
    path: Path
    chunk_ids: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """Collects passages; `entry` writes one as Markdown."""

    project: OpenProject
    files: ChapterFiles
    entry: Callable[[StoredChunk, CollectRequest], str]
    heading: Callable[[str], str]

    def __call__(self, request: CollectRequest) -> CollectedPassage:
        """Add a passage to the end of its chapter's file, unless it is there.

        Raises `InvalidFilter` for a chapter that cannot name a file, `NotFound` for an unknown
        passage, `ConfigError` if the file cannot be written.
        """
        name, marker = file_name(request.chapter), marker_of(self.project.id, request.chunk_id)
        stored = self.project.passage(request.chunk_id)

        def addition(text: str) -> str:
            if (self.project.id, request.chunk_id) in _markers(text):
                return ""
            heading = "" if text.strip() else f"# {self.heading(request.chapter)}\n\n"
            gap = "" if not text or text.endswith("\n\n") else "\n" * (1 + (text[-1] != "\n"))
            return f"{gap}{heading}{self.entry(stored, request)}\n\n{marker}\n"

        return CollectedPassage(
            project=self.project.id,
            chunk_id=request.chunk_id,
            citation=stored.cited,
            chapter=request.chapter.strip(),
            path=self.files.path(name),
            added=self.files.append(name, addition),
        )

    def chapters(self, chapter: str | None = None) -> list[Chapter]:
        """The chapters with passages of the project, sorted by file name, or the one named.

        Raises `NotFound` where nothing is collected for the one named.
        """
        requested = None if chapter is None else file_name(chapter)
        every = [self._chapter(name) for name in self.files.names()]
        collected = [chapter for chapter in every if chapter.chunk_ids]
        if chapter is None:
            return collected
        chapters = [
            chapter for chapter in collected if chapter.path == self.files.path(requested or "")
        ]
        if not chapters:
            near = nearest(chapter, [item.chapter for item in collected])
            raise NotFound(
                f"nothing is collected for the chapter '{chapter.strip()}'",
                f"Did you mean {' or '.join(near)}?" if near else "Collect a passage for it first.",
            )
        return chapters

    def _chapter(self, name: str) -> Chapter:
        text = self.files.read(name) or ""
        heading = _HEADING.search(text)
        ids = [chunk_id for project, chunk_id in _markers(text) if project == self.project.id]
        return Chapter(
            chapter=unescape(_ESCAPE.sub("", heading[1])) if heading else name,
            path=self.files.path(name),
            chunk_ids=tuple(dict.fromkeys(ids)),
            text=text,
        )


def file_name(chapter: str) -> str:
    """The name of a chapter's file without its suffix: `2-methods` of `2 Methods`.

    Raises `InvalidFilter` for a name without letters and digits, of several lines, or too long.
    """
    check_length("name of the chapter", chapter, LONGEST_CHAPTER, _CHAPTER_HINT)
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", chapter).casefold())
    name = _SEPARATORS.sub("-", folded).strip("-")
    if not name or len(chapter.strip().splitlines()) > 1:
        raise InvalidFilter(f"{chapter.strip()!r} cannot be the name of a chapter", _CHAPTER_HINT)
    if len(name.encode()) > _LONGEST_FILE_NAME:
        raise InvalidFilter("the name of the chapter is too long for a file", "Shorten it.")
    return name


def marker_of(project_id: str, chunk_id: str) -> str:
    """The comment below a passage in a chapter's file, by which it is recognised later."""
    return f"<!-- citeloom {_quoted(project_id)} {_quoted(chunk_id)} -->"


def _markers(text: str) -> list[tuple[str, str]]:
    """The project and the chunk id of each passage in a chapter's file."""
    return [(unquote(project), unquote(chunk_id)) for project, chunk_id in _MARKER.findall(text)]


def _quoted(name: str) -> str:
    return re.sub("-(?=-|$)", "%2D", quote(name, safe="/:+"))  # no two hyphens in a comment
