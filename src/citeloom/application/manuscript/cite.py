"""The use cases `cite` and `bib`: which works are cited, and with which pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from citeloom.application.manuscript.works import CitedWorks
from citeloom.domain.errors import MetadataMissing, NotFound, nearest
from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.manuscript.draft import Draft, DraftCitation
from citeloom.domain.manuscript.named_works import with_citekeys
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import check_text
from citeloom.domain.retrieval.passage import StoredChunk


def cited_places(works: CitedWorks, names: Iterable[str]) -> list[CitedPlace]:
    """What citekeys, citations such as `[@key, p. 45; @other]` and chunk ids cite.

    Raises `NotFound` for names that are none of these, with the nearest citekeys, and
    `MetadataMissing` for a chunk without a reference.
    """
    return [place for name in names for place in _cited_places(works, name)]


def _cited_places(works: CitedWorks, name: str) -> list[CitedPlace]:
    check_text("citekey or chunk id", name)
    project = works.project
    if project.find_collection() is not None and "@" not in name:
        for stored in project.index.fetch(project.collection, project.everything, [name]):
            if stored.citation is None:
                raise MetadataMissing(
                    f"the document of chunk {name} has no reference",
                    "Choose one: citeloom match",
                )
            locator = stored.cited_locator(0, len(stored.chunk.text))
            return [CitedPlace.of(stored.citation.citekey, locator)]
    places = CitedPlace.read_all(name)
    references_of(works, [place.citekey for place in places])
    return places


def references_of(works: CitedWorks, citekeys: Iterable[str]) -> list[CitationMeta]:
    """The reference of each citekey, each once: that of the bibliography, or else of the index.
    Raises `NotFound` with the nearest ones.
    """
    keys = list(dict.fromkeys(citekeys))
    known = {reference.citekey: reference for reference in works.references}
    is_ingested = works.project.find_collection() is not None
    if is_ingested:
        for key in [key for key in keys if key not in known]:
            indexed = (work.citation for work in works.of(key) if work.citation)
            known.update((key, reference) for reference in indexed)
    unknown = [key for key in keys if key not in known]
    if not unknown:
        return [known[key] for key in keys]
    candidates = {*known, *(works.citekeys() if is_ingested else ())}
    hints = [
        f"{key}: did you mean {' or '.join(near)}?"
        for key in unknown
        if (near := nearest(key, candidates))
    ]
    are = "is no citekey" if len(unknown) == 1 else "are no citekeys"
    raise NotFound(
        f"{', '.join(unknown)} {are} of project '{works.project.id}'",
        " ".join(hints) or "`citeloom list` shows the citekeys.",
    )


def citekeys_of(works: CitedWorks, drafts: Iterable[Draft]) -> list[str]:
    """The citekeys that drafts cite, each once, in the order of their first citation."""
    resolved = (with_citekeys(draft, works.references) for draft in drafts)
    return list(dict.fromkeys(key for draft in resolved for key in draft.citekeys))


def cited_pages(
    works: CitedWorks, drafts: Iterable[Draft]
) -> Iterator[tuple[DraftCitation, StoredChunk, int]]:
    """The citations of drafts that name pages of a work in the index, each with a chunk of the work
    and the first of the pages, counted in the file.

    Raises `InvalidProject` if nothing has been ingested yet.
    """
    ingested = works.citekeys()
    for draft in drafts:
        for citation in with_citekeys(draft, works.references).citations:
            if citation.citekey not in ingested or citation.locator is None:
                continue
            for work in works.of(citation.citekey):
                if pages := work.pages.physical(citation.locator):
                    yield citation, work.chunks[0], min(pages)
                    break
