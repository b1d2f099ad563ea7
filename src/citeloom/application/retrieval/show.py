"""The use case `show`: a chunk with its neighbours, a work or document, or the picture of a
page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from citeloom.application.retrieval.search import neighbours
from citeloom.domain.errors import InvalidFilter, NotFound, SourceChanged, nearest_hint
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import Passage, Selection, StoredChunk

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.conversion import PageImages

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


def show(project: OpenProject, name: str, *, context: int = 1) -> Shown:
    """The chunk of that id with `context` neighbours a side, else all chunks of the work or of
    the document; of a path, its end is enough.

    Raises `NotFound` when the name is none of them, or the end of several paths,
    `InvalidFilter` when it is empty or no text.
    """
    check_text("chunk id, citekey, document id or path", name)
    project.existing_collection()
    stored = project.index.fetch(project.collection, project.everything, [name])
    if stored:
        [(before, after)] = neighbours(project.index, project.collection, stored, context)
        return Shown(chunks=tuple(stored), before=before, after=after)
    for selection in _selections(project, name):
        in_order = sorted(
            project.chunks(selection),
            key=lambda stored: (stored.chunk.doc_id, stored.chunk.chunk_idx),
        )
        if in_order:
            return Shown(chunks=tuple(in_order))
    where = "Chunk ids are in the output of query; citekeys and paths in that of list."
    raise NotFound(
        f"project '{project.id}' has no chunk, citekey, document id or path '{name}'",
        nearest_hint(name, project.facets("citekey"), where),
    )


def _selections(project: OpenProject, name: str) -> Iterator[Selection]:
    """What the name may stand for, one after another."""
    yield replace(project.everything, citekey=name.removeprefix("@"))
    yield replace(project.everything, doc_id=name)
    end = f"/{PurePath(name).as_posix().lstrip('/')}"
    paths = project.facets("source_path")
    ending = sorted(path for path in paths if f"/{path.lstrip('/')}".endswith(end))
    ending = ending or sorted(path for path in paths if end.endswith(f"/{path.lstrip('/')}"))
    if len(ending) > 1:
        raise NotFound(
            f"{len(ending)} documents are at a path that ends in {name}",
            f"Name one of them: {', '.join(ending[:_NAMED])}.",
        )
    yield from (replace(project.everything, source_path=path) for path in ending)


# The use case `page image`: a page of a passage, with the passage highlighted.

LEAST_SCALE, MOST_SCALE = 0.25, 4.0
"""Pixels a point."""


def draw_page(
    project: OpenProject,
    images: PageImages,
    chunk_id: str,
    *,
    page: int | None = None,
    scale: float = 1.5,
    marked: bool = True,
    words: str = "",
) -> bytes:
    """A page of a passage as PNG, the first without a `page`, with the passage highlighted if
    `marked`, or these `words` of it alone, where they are found on the page.

    Raises `NotFound` for an unknown passage, a page that it is not on and a file that is gone,
    `UnsupportedFormat` where the document has no pages to draw, `SourceChanged` when its file
    has changed since it was indexed.
    """
    check_scale(scale)
    check_text("chunk id", chunk_id)
    stored = project.passage(chunk_id)
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
    boxes = [placed.box for placed in stored.chunk.boxes if marked and placed.page == number]
    sought = words if marked else ""
    file = source_file(project, stored.source_path)
    return images.draw(file, number, boxes, scale=scale, words=sought)


def check_scale(scale: float) -> None:
    """Raise `InvalidFilter` for a scale at which no page is drawn."""
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        raise InvalidFilter(
            f"the scale must lie in {LEAST_SCALE}..{MOST_SCALE}, not {scale}",
            "It is in pixels a point; 1.5 suits most screens.",
        )


def source_file(project: OpenProject, source_path: str) -> Path:
    """The file of a document, as it was indexed.

    Raises `NotFound` for one that is gone, `SourceChanged` for one that has changed since.
    """
    name, files = Path(source_path).name, project.files
    entry = project.manifest.get(project.id, source_path)
    listing = files.find([source_path], frozenset()) if entry else None
    if entry is None or listing is None or not listing.files:
        raise NotFound(f"the file {name} is no longer there", "Put it back, or ingest again.")
    file = listing.files[0]
    if (file.size, file.modified_ns) != (entry.size, entry.modified_ns) and (
        files.content_hash(file.path) != entry.content_hash
    ):
        raise SourceChanged(
            f"the file {name} has changed since it was indexed", "Run ingest on it again."
        )
    return file.path
