"""Which works are cited: by citekey, by citation, by chunk, by drafts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.manuscript.cite import (
    cited_pages,
    cited_places,
    citekeys_of,
    references_of,
)
from citeloom.application.manuscript.works import CitedWorks
from citeloom.domain.errors import InvalidFilter, MetadataMissing, NotFound
from citeloom.domain.references.citation import CitationMeta
from tests.fakes.works import stored
from tests.unit.application.manuscript.test_check import draft, works_of

POE = CitationMeta(citekey="poe1999", title="Poems", year=1999)


@pytest.fixture
def works() -> CitedWorks:
    return works_of([stored("Words of it.", citekey="doe2020", pages=(3, 3))], [POE])


def test_citekeys_citations_and_chunks(works: CitedWorks) -> None:
    places = cited_places(works, ["poe1999", "[@doe2020, p. 2]", "doe2020-0"])
    assert [place.pandoc() for place in places] == [
        "[@poe1999]",
        "[@doe2020, p. 2]",
        "[@doe2020, p. 3]",
    ]


def test_a_work_of_the_index_needs_no_bibliography(works: CitedWorks) -> None:
    assert [one.title for one in references_of(works, ["poe1999", "doe2020", "poe1999"])] == [
        "Poems",
        "Work",
    ]


def test_unknown_names_are_an_error_with_the_nearest(works: CitedWorks) -> None:
    with pytest.raises(NotFound) as raised:
        references_of(works, ["poe1998", "doe2020", "nobody"])
    assert "poe1998, nobody are no citekeys" in raised.value.message
    assert raised.value.hint == "poe1998: did you mean poe1999?"
    with pytest.raises(NotFound):
        cited_places(works, ["nothing"])
    with pytest.raises(InvalidFilter):
        cited_places(works, [""])


def test_the_citekeys_of_drafts_come_once(works: CitedWorks) -> None:
    first = draft(("As @.", "doe2020"), ("And @.", "poe1999"))
    second = draft(("As @.", "poe1999,p. 3"))
    assert citekeys_of(works, [first, second]) == ["doe2020", "poe1999"]


def test_a_chunk_of_a_document_without_a_reference_cannot_be_cited() -> None:
    alone = replace(stored("Words of it.", citekey="doe2020"), citation=None)
    works = works_of([alone], [POE])
    with pytest.raises(MetadataMissing):
        cited_places(works, ["doe2020-0"])


def test_citations_with_pages_are_found_on_the_physical_ones() -> None:
    printed = stored("Words.", pages=(2, 3), labels=("101", "102"))
    works = works_of([printed], [POE])
    text = draft(
        ("So @.", "doe2020,p. 102"),
        ("So @.", "doe2020,p. 1"),
        ("So @.", "doe2020,p. 9"),
        ("So @.", "doe2020"),
        ("So @.", "poe1999,p. 1"),
    )
    found = [
        (one.place.line, chunk.chunk.id, page) for one, chunk, page in cited_pages(works, [text])
    ]
    assert found == [(1, "doe2020-0", 3), (2, "doe2020-0", 1)]
