"""Translation of filters into a selection, and notes on filters that select nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from citeloom.application.ports.vector_index import Capability, VectorReader
from citeloom.domain.chunks.chunk import LEFT_OUT
from citeloom.domain.documents.sections import section_key, section_keys
from citeloom.domain.errors import nearest
from citeloom.domain.project import Project
from citeloom.domain.retrieval.filters import Filters, resolved
from citeloom.domain.retrieval.passage import Selection, StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterTranslation:
    """Translates the filters of one project's queries."""

    reader: VectorReader
    project: Project

    def selection(self, filters: Filters) -> Selection:
        """The selection for the filters. Tags match case-insensitively; without `kinds`, reference
        lists are excluded. Raises `InvalidFilter` for a condition on an unknown field of front
        matter, or one that does not fit its type.
        """
        return Selection(
            project_id=self.project.id,
            doc_id=filters.doc_id,
            citekey=filters.citekey,
            tags=self._spellings(filters.tags),
            year_from=filters.year_from,
            year_to=filters.year_to,
            kinds=filters.kinds,
            without_kinds=() if filters.kinds else LEFT_OUT,
            section=filters.section,
            source_path=filters.source_path,
            where=tuple(resolved(where, self.project.front_matter) for where in filters.where),
        )

    def notes(self, filters: Filters) -> tuple[str, ...]:
        """Why the filters select nothing: unknown values with the nearest known ones, or that no
        passage matches all filters; empty if something is selected.
        """
        selection = self.selection(filters)
        if filters == Filters() or self.reader.count(self.project.collection, selection):
            return ()
        return tuple(self._unknown(filters)) or ("no passage in the project meets all the filters",)

    def _spellings(self, tags: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        if not tags:
            return ()
        stored = sorted(self._values("tags"))
        return tuple(
            tuple(value for value in stored if value.casefold() == tag.casefold()) or (tag,)
            for tag in tags
        )

    def _unknown(self, filters: Filters) -> Iterator[str]:
        requested = [("tag", "tags", tag) for tag in filters.tags]
        for what, key, value in (
            ("document", "doc_id", filters.doc_id),
            ("citekey", "citekey", filters.citekey),
            ("section", "section_keys", filters.section and section_key(filters.section)),
            ("source", "source_path", filters.source_path),
        ):
            if value:
                requested.append((what, key, str(value)))
        for what, key, value in requested:
            known = self._values(key)
            if value.casefold() not in {value.casefold() for value in known}:
                yield _note(what, value, known)

    def _values(self, key: str) -> Iterable[str]:
        """The values of a field in the project."""
        everything = Selection(project_id=self.project.id)
        if Capability.FACETS in self.reader.capabilities:
            return self.reader.facets(self.project.collection, key, everything)
        stored = self.reader.scroll(self.project.collection, everything)
        return Counter(value for stored_value in stored for value in _FIELDS[key](stored_value))


_FIELDS: dict[str, Callable[[StoredChunk], tuple[str, ...]]] = {
    "doc_id": lambda stored: (stored.chunk.doc_id,),
    "citekey": lambda stored: (stored.citation.citekey,) if stored.citation else (),
    "tags": lambda stored: stored.citation.tags if stored.citation else (),
    "section_keys": lambda stored: section_keys(stored.chunk.section_path),
    "source_path": lambda stored: (stored.source_path,),
}


def _note(what: str, value: str, known: Iterable[str]) -> str:
    near = nearest(value, known)
    return f"the project has no {what} '{value}'" + (
        f"; nearest: {', '.join(near)}" if near else ""
    )
