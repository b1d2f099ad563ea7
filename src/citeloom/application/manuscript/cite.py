"""The use cases `cite` and `bib`: which works are cited, and with which pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from citeloom.application.manuscript.works import WorkTexts
from citeloom.domain.errors import MetadataMissing, NotFound, nearest
from citeloom.domain.manuscript.cited_place import CitedPlace, PageLocator
from citeloom.domain.manuscript.draft import Draft, DraftCitation, with_citekeys
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import StoredChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class FindCited:
    """Finds cited works in the bibliography and in the index; changes nothing."""

    works: WorkTexts
    references: Callable[[], Sequence[CitationMeta]]

    def places(self, names: Iterable[str]) -> list[CitedPlace]:
        """What citekeys, citations such as `[@key, p. 45]` and chunk ids cite.

        Raises `NotFound` for names that are none of these, with the nearest citekeys, and
        `MetadataMissing` for a chunk without a reference.
        """
        return [self._place(name) for name in names]

    def references_of(self, citekeys: Iterable[str]) -> list[CitationMeta]:
        """The reference of each citekey, each once. Raises `NotFound` with the nearest ones."""
        wanted = list(dict.fromkeys(citekeys))
        known = {reference.citekey: reference for reference in self.references()}
        for key in wanted:
            if key not in known and (citation := self._indexed(key)) is not None:
                known[key] = citation
        unknown = [key for key in wanted if key not in known]
        if unknown:
            raise self._unknown(unknown, known)
        return [known[key] for key in wanted]

    def citekeys_of(self, drafts: Iterable[Draft]) -> list[str]:
        """The citekeys that drafts cite, each once, in the order of their first citation."""
        references = self.references()
        resolved = (with_citekeys(draft, references) for draft in drafts)
        return list(dict.fromkeys(key for draft in resolved for key in draft.citekeys))

    def cited_pages(
        self, drafts: Iterable[Draft]
    ) -> Iterator[tuple[DraftCitation, StoredChunk, int]]:
        """The citations of drafts that name pages of a work in the index, each with a chunk of the
        work and the first of the pages, counted in the file.

        Raises `InvalidProject` if nothing has been ingested yet.
        """
        references, ingested = self.references(), self.works.citekeys()
        for draft in drafts:
            for citation in with_citekeys(draft, references).citations:
                works = self.works.of(citation.citekey) if citation.citekey in ingested else ()
                pages = (_first_page(work, citation.locator) for work in works)
                place = next((page for page in pages if page is not None), None)
                if place is not None:
                    yield citation, *place

    def _place(self, name: str) -> CitedPlace:
        check_text("citekey or chunk id", name)
        project = self.works.project
        if project.find_collection() is not None and "@" not in name:
            for stored in project.index.fetch(project.collection, project.everything, [name]):
                if stored.citation is None:
                    raise MetadataMissing(
                        f"the document of chunk {name} has no reference",
                        "Choose one: citeloom match",
                    )
                locator = stored.cited_locator(0, len(stored.chunk.text))
                return CitedPlace.of(stored.citation.citekey, locator)
        place = CitedPlace.read(name)
        self.references_of([place.citekey])
        return place

    def _indexed(self, citekey: str) -> CitationMeta | None:
        """The reference of a work in the index, which its bibliography may not have."""
        if self.works.project.find_collection() is None:
            return None
        return next((work.citation for work in self.works.of(citekey) if work.citation), None)

    def _unknown(self, unknown: Sequence[str], known: Iterable[str]) -> NotFound:
        keys = set(known)
        if self.works.project.find_collection() is not None:
            keys |= self.works.citekeys()
        hints = [
            f"{key}: did you mean {' or '.join(near)}?"
            for key in unknown
            if (near := nearest(key, keys))
        ]
        are = "is no citekey" if len(unknown) == 1 else "are no citekeys"
        return NotFound(
            f"{', '.join(unknown)} {are} of project '{self.works.project.id}'",
            " ".join(hints) or "`citeloom list` shows the citekeys.",
        )


def _first_page(work: WorkText, locator: PageLocator | None) -> tuple[StoredChunk, int] | None:
    """A chunk of a work, and the first page that a locator means; None where it has none."""
    pages = work.pages.physical(locator) if locator else ()
    return (work.chunks[0], min(pages)) if pages else None
