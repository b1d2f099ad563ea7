"""The use case `show`: a chunk with its neighbours, a work or document, or the picture of a
page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from citeloom.application.collection import existing_collection, stored_passage
from citeloom.application.retrieval.search import neighbours
from citeloom.domain.errors import InvalidFilter, NotFound, SourceChanged, nearest
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import Passage, Selection, StoredChunk

if TYPE_CHECKING:
    from citeloom.application.ports.conversion import PageImages
    from citeloom.application.ports.records import ManifestStore
    from citeloom.application.ports.sources import FoundFile, SourceFiles
    from citeloom.application.ports.vector_index import VectorReader
    from citeloom.domain.documents.manifest import ManifestEntry
    from citeloom.domain.project import Project

# The use case `show`: a chunk with its neighbours, or all chunks of a work or a document.

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The requested chunks in reading order, and the neighbours of a single one."""

    chunks: tuple[StoredChunk, ...]
    before: tuple[StoredChunk, ...] = ()
    after: tuple[StoredChunk, ...] = ()

    @property
    def passages(self) -> list[Passage]:
        """All of them in reading order, each a passage of its own."""
        shown = (*self.before, *self.chunks, *self.after)
        return [Passage(stored=stored, score=0.0, text=stored.chunk.text) for stored in shown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Shows stored chunks by chunk id, citekey, document id or path."""

    project: Project
    index: VectorReader

    def __call__(self, name: str, *, context: int = 1) -> Shown:
        """The chunk of that id with `context` neighbours a side, else all chunks of the work or of
        the document; of a path, its end is enough.

        Raises `NotFound` when the name is none of them, or the end of several paths,
        `InvalidFilter` when it is empty or no text.
        """
        check_text("chunk id, citekey, document id or path", name)
        existing_collection(self.index, self.project)
        everything = Selection(project_id=self.project.id)
        stored = self.index.fetch(self.project.collection, everything, [name])
        if stored:
            name = self.project.collection
            [(before, after)] = neighbours(self.index, name, stored, context)
            return Shown(chunks=tuple(stored), before=before, after=after)
        for selection in self._selections(name):
            chunks = self.index.scroll(self.project.collection, selection)
            in_order = sorted(chunks, key=lambda c: (c.chunk.doc_id, c.chunk.chunk_idx))
            if in_order:
                return Shown(chunks=tuple(in_order))
        raise self._not_found(name)

    def _selections(self, name: str) -> Iterator[Selection]:
        """What the name may stand for, one after another."""
        everything = Selection(project_id=self.project.id)
        yield replace(everything, citekey=name.removeprefix("@"))
        yield replace(everything, doc_id=name)
        end = f"/{PurePath(name).as_posix().lstrip('/')}"
        paths = self.index.facets(self.project.collection, "source_path", everything)
        ending = sorted(path for path in paths if f"/{path.lstrip('/')}".endswith(end))
        ending = ending or sorted(path for path in paths if end.endswith(f"/{path.lstrip('/')}"))
        if len(ending) > 1:
            raise NotFound(
                f"{len(ending)} documents are at a path that ends in {name}",
                f"Name one of them: {', '.join(ending[:_NAMED])}.",
            )
        yield from (replace(everything, source_path=path) for path in ending)

    def _not_found(self, name: str) -> NotFound:
        everything = Selection(project_id=self.project.id)
        near = nearest(name, self.index.facets(self.project.collection, "citekey", everything))
        return NotFound(
            f"project '{self.project.id}' has no chunk, citekey, document id or path '{name}'",
            f"Did you mean {' or '.join(near)}?"
            if near
            else "Chunk ids are in the output of query; citekeys and paths in that of list.",
        )


# The use case `page image`: a page of a passage, with the passage highlighted.

LEAST_SCALE, MOST_SCALE = 0.25, 4.0
"""Pixels a point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawPage:
    """Draws the pages of stored passages; changes nothing."""

    project: Project
    index: VectorReader
    manifest: ManifestStore
    files: SourceFiles
    images: PageImages

    def __call__(
        self,
        chunk_id: str,
        *,
        page: int | None = None,
        scale: float = 1.5,
        marked: bool = True,
        words: str = "",
    ) -> bytes:
        """A page of the passage as PNG, the first without a `page`, with the passage highlighted if
        `marked`, or these `words` of it alone, where they are found on the page.

        Raises `NotFound` for an unknown passage, a page that it is not on and a file that is gone,
        `UnsupportedFormat` where the document has no pages to draw, `SourceChanged` when its file
        has changed since it was indexed.
        """
        if not LEAST_SCALE <= scale <= MOST_SCALE:
            raise InvalidFilter(
                f"the scale must lie in {LEAST_SCALE}..{MOST_SCALE}, not {scale}",
                "It is in pixels a point; 1.5 suits most screens.",
            )
        check_text("chunk id", chunk_id)
        stored = stored_passage(self.index, self.project, chunk_id)
        number = _page_of(stored, page)
        boxes = [placed.box for placed in stored.chunk.boxes if marked and placed.page == number]
        sought = words if marked else ""
        return self.images.draw(self._file(stored), number, boxes, scale=scale, words=sought)

    def _file(self, stored: StoredChunk) -> Path:
        entry = self.manifest.get(self.project.id, stored.source_path)
        listing = self.files.find([stored.source_path], frozenset()) if entry else None
        if entry is None or listing is None or not listing.files:
            raise NotFound(
                f"the file {Path(stored.source_path).name} is no longer there",
                "Put it back, or ingest again.",
            )
        file = listing.files[0]
        if not self._is_unchanged(file, entry):
            raise SourceChanged(
                f"the file {Path(stored.source_path).name} has changed since it was indexed",
                "Run ingest on it again.",
            )
        return file.path

    def _is_unchanged(self, file: FoundFile, entry: ManifestEntry) -> bool:
        if (file.size, file.modified_ns) == (entry.size, entry.modified_ns):
            return True
        return self.files.content_hash(file.path) == entry.content_hash


def _page_of(stored: StoredChunk, page: int | None) -> int:
    """The page to draw, which must be one of the passage's."""
    span = stored.chunk.page_span
    if span is None:
        raise NotFound(
            f"passage '{stored.chunk.id}' has no pages",
            "Documents without fixed pages are cited by section and paragraph.",
        )
    number = span[0] if page is None else page
    if not span[0] <= number <= span[1]:
        raise NotFound(
            f"passage '{stored.chunk.id}' is on the pages {span[0]}..{span[1]}, not on {number}",
            "Pages are counted from the first of the file; without one, the passage's first is "
            "drawn.",
        )
    return number
