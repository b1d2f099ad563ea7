"""The use case `facets`: how many works of a project have each tag, author, year and the like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.application.documents import ListedDocument, list_documents

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject

_RECENT = 8
_SECONDS = 60.0
"""How long facets are kept at most, since a reference may change without any chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFacets:
    """How many works there are, and how many have each value, the most frequent first; years in
    their order. `recent` are the works that were taken up last.
    """

    works: int
    tags: Mapping[str, int]
    collections: Mapping[str, int]
    authors: Mapping[str, int]
    item_types: Mapping[str, int]
    languages: Mapping[str, int]
    years: Mapping[int, int]
    recent: tuple[ListedDocument, ...]

    @classmethod
    def of(cls, documents: Iterable[ListedDocument]) -> WorkFacets:
        """Those of the documents in the index, of each work one."""
        works = {one.citekey or one.doc_id: one for one in documents if one.chunks}.values()

        def counted(values: Iterable[str | None]) -> Mapping[str, int]:
            counts = Counter(value for value in values if value)
            return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].casefold())))

        return cls(
            works=len(works),
            tags=counted(tag for work in works for tag in work.tags),
            collections=counted(name for work in works for name in work.collections),
            authors=counted(author for work in works for author in work.authors),
            item_types=counted(work.item_type for work in works),
            languages=counted(work.language for work in works),
            recent=tuple(sorted(works, key=_age, reverse=True)[:_RECENT]),
            years=dict(sorted(Counter(work.year for work in works if work.year).items())),
        )


def _age(document: ListedDocument) -> tuple[float, str]:
    taken_up = document.created_at
    return (taken_up.timestamp() if taken_up else 0.0, document.path)


class FacetsCache:
    """The facets of a project, until its index has changed, or for a minute."""

    def __init__(self) -> None:
        self._known: tuple[Hashable, float, WorkFacets] | None = None

    def facets(self, project: OpenProject) -> WorkFacets:
        """Raises `InvalidProject` if nothing has been ingested yet."""
        project.existing_collection()
        count = project.index.count(project.collection, project.everything)
        now = project.clock.monotonic()
        if self._known and self._known[0] == count and now - self._known[1] < _SECONDS:
            return self._known[2]
        facets = WorkFacets.of(list_documents(project))
        self._known = (count, now, facets)
        return facets
