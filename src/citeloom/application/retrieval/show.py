"""The use case `show`: a chunk with its neighbours, or all chunks of a work or a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from citeloom.application.binding import existing_collection
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.application.retrieval.neighbours import neighbours
from citeloom.domain.errors import NotFound
from citeloom.domain.filters import check_text
from citeloom.domain.nearest import nearest
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Project

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The requested chunks in reading order, and the neighbours of a single one."""

    chunks: tuple[StoredChunk, ...]
    before: tuple[StoredChunk, ...] = ()
    after: tuple[StoredChunk, ...] = ()


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
        found = self.index.fetch(self.project.collection, everything, [name])
        if found:
            name = self.project.collection
            [(before, after)] = neighbours(self.index, name, found, context)
            return Shown(chunks=tuple(found), before=before, after=after)
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
