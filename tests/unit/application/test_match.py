"""Documents without a reference: what is known of each, the nearest references, the choice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.match import MatchCandidates, MatchDocuments
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.errors import ConfigError, InvalidFilter, InvalidProject, NotFound
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.references.file_library import EmptyReferenceLibrary
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import NOISE, PROJECT, RYE, Library, open_project, paper

A, B, C = "papers/a.txt", "papers/b.txt", "papers/c.txt"
WHEAT = CitationMeta(
    citekey="wheat2004", title="Storing wheat in damp barns", authors=("Moor, Ada",), year=2004
)
BARLEY = CitationMeta(citekey="barley1999", title="Barley under snow", authors=("Quint, Ben",))
OTHER = CitationMeta(citekey="other", title="Quasars at noon", authors=("Voss, Eva",), year=2004)
FRONT = "Annual report\nWheat in barns, damp or dry\nAda Moor, 2004\nText of the first page."


class Desk:
    """A library of two papers that are indexed, the first with a reference, and one that failed;
    `written` has what was configured.
    """

    def __init__(self, *citations: CitationMeta, pages: EmbeddedMetadata | None = None) -> None:
        self.library = Library({A: paper("wheat"), B: paper("barley"), C: NOISE})
        self.library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
        self.library.ingest()
        self.references = MemoryReferenceLibrary(*citations)
        self.pages = pages
        self.written: list[tuple[str, str]] = []

    @property
    def match(self) -> MatchDocuments:
        return MatchDocuments(
            project=open_project(self.library),
            references=self.references,
            first_pages=self._first_pages,
            configure=self._configure,
        )

    def _first_pages(self, entry: ManifestEntry) -> EmbeddedMetadata | None:
        return self.pages if entry.path == B else None

    def _configure(self, path: str, citekey: str) -> Path:
        self.written.append((path, citekey))
        return Path("citeloom.toml")

    def only(self) -> MatchCandidates:
        (one,) = self.match.candidates()
        return one


def test_the_nearest_references_say_what_the_document_shows_of_them() -> None:
    desk = Desk(RYE, WHEAT, BARLEY, OTHER, pages=EmbeddedMetadata(title="x", front_text=FRONT))
    one = desk.only()
    assert (one.path, one.title, one.citekey) == (B, "x", None)
    assert one.begins == "Annual report / Wheat in barns, damp or dry / Ada Moor, 2004"
    first = one.references[0]
    assert (first.citekey, first.title_words) == ("wheat2004", ("wheat", "damp", "barns"))
    assert (first.authors_found, first.year_found, first.doi_found) == (("Moor, Ada",), True, False)
    assert 0.6 < first.score < 0.9
    assert "other" not in [near.citekey for near in one.references]


def test_what_the_index_holds_stands_in_for_a_conversion_that_is_gone() -> None:
    one = Desk(WHEAT, BARLEY).only()
    assert "barley" in one.begins.lower()
    assert one.references[0].citekey == "barley1999"


def test_a_document_that_the_next_ingest_matches_is_not_asked_about() -> None:
    title = f"{WHEAT.title}\nAda Moor\n2004"
    desk = Desk(WHEAT, pages=EmbeddedMetadata(title=WHEAT.title, front_text=title))
    one = desk.only()
    assert (one.citekey, one.references) == ("wheat2004", ())


def test_a_choice_is_configured_under_the_path_of_the_document() -> None:
    desk = Desk(WHEAT, BARLEY)
    (entry,) = [e for e in desk.library.manifest.entries(PROJECT.id) if e.path == B]
    for name in (B, "b.txt", entry.doc_id):
        assert desk.match.configure_reference(name, "@wheat2004") == Path("citeloom.toml")
        assert [one.path for one in desk.match.candidates(name)] == [B]
    assert desk.written == [(B, "wheat2004")] * 3


@pytest.mark.parametrize(
    ("document", "citekey", "said"),
    [
        ("b.txt", "wheat2005", "no reference has the citekey 'wheat2005'"),
        ("d.txt", "wheat2004", "has no document 'd.txt'"),
        ("/elsewhere/b.txt", "wheat2004", "has no document"),
    ],
)
def test_what_is_unknown_is_not_configured(document: str, citekey: str, said: str) -> None:
    desk = Desk(WHEAT, BARLEY)
    with pytest.raises(NotFound, match=said):
        desk.match.configure_reference(document, citekey)
    with pytest.raises(InvalidFilter):
        desk.match.configure_reference("b.txt", " ")
    assert desk.written == []


def test_the_end_of_several_paths_names_none_of_them() -> None:
    desk = Desk(WHEAT)
    entries = desk.library.manifest.entries(PROJECT.id)
    again = next(one for one in entries if one.path == B)
    desk.library.manifest.put(replace(again, path="drafts/b.txt"))
    with pytest.raises(NotFound, match="the end of 2 paths") as raised:
        desk.match.configure_reference("b.txt", "wheat2004")
    assert raised.value.hint == "Name one of them: drafts/b.txt, papers/b.txt"


def test_a_document_of_zotero_has_the_reference_of_its_item() -> None:
    desk = Desk(WHEAT)
    (entry,) = [one for one in desk.library.manifest.entries(PROJECT.id) if one.path == B]
    desk.library.manifest.put(replace(entry, zotero_library="user", attachment_key="AAAA1111"))
    assert list(desk.match.candidates()) == []
    with pytest.raises(ConfigError, match="the reference of its item in Zotero"):
        desk.match.configure_reference(B, "wheat2004")


def test_a_project_without_references_or_documents_says_so() -> None:
    desk = Desk(WHEAT)
    without = replace(desk.match, references=EmptyReferenceLibrary())
    with pytest.raises(ConfigError, match="has no references to match"):
        without.candidates()
    desk.library = Library({})
    with pytest.raises(InvalidProject, match="nothing has been ingested"):
        desk.match.candidates()
