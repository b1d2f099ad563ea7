"""The use case `show`: a chunk with its neighbours, or all chunks of a work."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.application.binding import existing_collection
from citeloom.application.ports.vector_reader import VectorReader
from citeloom.application.retrieval.neighbours import neighbours
from citeloom.domain.errors import NotFound
from citeloom.domain.filters import check_text
from citeloom.domain.nearest import nearest
from citeloom.domain.passage import Selection, StoredChunk
from citeloom.domain.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The requested chunks in reading order, and the neighbours of a single one."""

    chunks: tuple[StoredChunk, ...]
    before: tuple[StoredChunk, ...] = ()
    after: tuple[StoredChunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Shows stored chunks by chunk id or citekey."""

    project: Project
    index: VectorReader

    def __call__(self, name: str, *, context: int = 1) -> Shown:
        """The chunk of that id with `context` neighbours a side, else all chunks of the work.

        Raises `NotFound` when the name is neither, `InvalidFilter` when it is empty or no text.
        """
        check_text("chunk id or citekey", name)
        existing_collection(self.index, self.project)
        everything = Selection(project_id=self.project.id)
        found = self.index.fetch(self.project.collection, everything, [name])
        if found:
            before, after = neighbours(self.index, self.project.collection, found[0], context)
            return Shown(chunks=tuple(found), before=before, after=after)
        work = Selection(project_id=self.project.id, citekey=name.removeprefix("@"))
        chunks = self.index.scroll(self.project.collection, work)
        in_order = sorted(chunks, key=lambda c: (c.chunk.doc_id, c.chunk.chunk_idx))
        if not in_order:
            raise self._not_found(name)
        return Shown(chunks=tuple(in_order))

    def _not_found(self, name: str) -> NotFound:
        everything = Selection(project_id=self.project.id)
        near = nearest(name, self.index.facets(self.project.collection, "citekey", everything))
        return NotFound(
            f"project '{self.project.id}' has neither a chunk nor a citekey '{name}'",
            f"Did you mean {' or '.join(near)}?"
            if near
            else "Chunk ids are in the output of query; citekeys in that of list.",
        )
