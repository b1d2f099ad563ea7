from __future__ import annotations

import pytest

from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.reference_matcher import (
    LibraryEntry,
    MatchedBy,
    ReferenceMatch,
    ReferenceMatcher,
)
from tests.fakes.reference_library import sequence_similarity


def work(
    citekey: str, title: str, *authors: str, doi: str | None = None, container: str | None = None
) -> CitationMeta:
    return CitationMeta(citekey=citekey, title=title, authors=authors, doi=doi, container=container)


TIDAL = work(
    "tidal", "Tidal mixing in shallow northern estuaries", "Moor, Ada", doi="10.5555/tidal"
)
SALT = work("salt", "Salt marshes as archives of storm surges", "Fenn, Cleo", doi="10.5555/salt")
SEDGE = work("sedge", "Sedge", "Quint, Ben", doi="10.5555/sedge")


def matched(
    *works: CitationMeta, path: str = "a.pdf", title: str = "", doi: str = "", front: str = ""
) -> ReferenceMatch:
    entries = [LibraryEntry(citation=work) for work in works]
    embedded = EmbeddedMetadata(title=title, doi=doi, front_text=front)
    return ReferenceMatcher(entries, sequence_similarity).match(path, embedded)


def key_of(match: ReferenceMatch) -> str | None:
    return match.citation.citekey if match.citation else None


def test_an_attached_file_is_matched_before_any_evidence() -> None:
    entries = [LibraryEntry(citation=TIDAL), LibraryEntry(citation=SALT, files=("x/salt.pdf",))]
    match = ReferenceMatcher(entries, sequence_similarity).match(
        "/library/salt.pdf", EmbeddedMetadata(doi="10.5555/tidal")
    )
    assert (key_of(match), match.by) == ("salt", MatchedBy.FILE)


def test_a_mapping_to_an_unknown_citekey_matches_nothing() -> None:
    matcher = ReferenceMatcher([LibraryEntry(citation=TIDAL)], sequence_similarity, {"a.pdf": "x"})
    assert matcher.match("a.pdf", EmbeddedMetadata(doi="10.5555/tidal")).citation is None


class TestDoi:
    def test_printed_under_the_title(self) -> None:
        front = "Tidal mixing in shallow northern estuaries\nAda Moor\nDOI: 10.5555/tidal\nText."
        match = matched(TIDAL, SALT, front=front)
        assert (key_of(match), match.by, match.score) == ("tidal", MatchedBy.DOI, 1.0)

    def test_tells_two_references_of_one_title_apart(self) -> None:
        preprint = work("preprint", TIDAL.title, "Moor, Ada", doi="10.5555/preprint")
        front = f"{TIDAL.title}\nAda Moor\nhttps://doi.org/10.5555/preprint\nText."
        assert key_of(matched(TIDAL, preprint, front=front)) == "preprint"

    def test_of_a_retitled_work_is_believed_when_its_author_is_named(self) -> None:
        front = "A wholly different heading\nAda Moor\nDOI: 10.5555/tidal\nText."
        assert key_of(matched(TIDAL, front=front)) == "tidal"
        assert key_of(matched(TIDAL, front=front.replace("Ada Moor", "Zoe Else"))) is None

    def test_among_the_references_is_a_citation(self) -> None:
        front = "Another study of water\nAda Moor\nText.\nReferences\nhttps://doi.org/10.5555/tidal"
        assert key_of(matched(TIDAL, front=front)) is None

    def test_in_a_sentence_of_the_same_author_is_a_citation(self) -> None:
        front = "Another study of water\nAda Moor\nWe extend our data (10.5555/tidal) to lakes."
        assert key_of(matched(TIDAL, front=front)) is None

    def test_behind_the_documents_own_is_a_citation(self) -> None:
        front = (
            "Another study of water\nAda Moor\nDOI: 10.5555/unknown\nText.\n"
            "https://doi.org/10.5555/tidal\nMore text."
        )
        assert key_of(matched(TIDAL, front=front)) is None

    def test_of_the_original_does_not_make_a_replication_the_original(self) -> None:
        front = f"[Re] {TIDAL.title}\nZoe Else\n10.5555/tidal\nA replication of Moor."
        assert key_of(matched(TIDAL, front=front)) is None

    def test_of_a_short_title_is_enough_with_its_author(self) -> None:
        front = "Sedge\nBen Quint\nDOI: 10.5555/sedge"
        assert key_of(matched(SEDGE, TIDAL, front=front)) == "sedge"

    def test_in_the_metadata_is_believed_without_text(self) -> None:
        assert key_of(matched(TIDAL, SALT, doi="doi:10.5555/SALT")) == "salt"

    def test_in_the_metadata_against_another_works_title_gives_none(self) -> None:
        match = matched(TIDAL, SALT, doi="10.5555/salt", front=f"{TIDAL.title}\nAda Moor")
        assert match.citation is None
        assert {candidate.citekey for candidate in match.candidates} == {"tidal", "salt"}

    def test_shared_by_mistake_is_decided_by_the_title(self) -> None:
        other = work("other", "Rivers of the southern plains in spring", doi="10.5555/tidal")
        front = f"{TIDAL.title}\nAda Moor\nDOI: 10.5555/tidal"
        assert key_of(matched(other, TIDAL, front=front)) == "tidal"
        assert key_of(matched(other, TIDAL, doi="10.5555/tidal", front=front)) == "tidal"

    def test_shared_by_two_that_fit_equally_gives_none_and_both(self) -> None:
        twin = work("twin", TIDAL.title, "Moor, Ada", doi="10.5555/tidal")
        for doi in ("", "10.5555/tidal"):
            match = matched(twin, TIDAL, doi=doi, front=f"{TIDAL.title}\nAda Moor\n10.5555/tidal")
            assert match.citation is None
            assert {candidate.citekey for candidate in match.candidates} == {"tidal", "twin"}


class TestTitle:
    @pytest.mark.parametrize(
        "front",
        [
            "TIDAL MIXING IN SHALLOW\nNORTHERN ESTUARIES\nA. Moor",
            "Journal of Water 3\nTidal mixing in shal-\nlow northern estuaries1\nAda Moor1,2",
            "T i d a l mixing in shallow northern estuaries\nMoor",
            "Tidal rnixing in shallow northern estuaries\nAda Moor",
        ],
    )
    def test_is_found_as_it_is_set(self, front: str) -> None:
        match = matched(TIDAL, SALT, front=front)
        assert (key_of(match), match.by) == ("tidal", MatchedBy.TITLE)
        assert match.score >= 0.8

    def test_inside_a_sentence_is_no_title(self) -> None:
        front = f"On water\nZoe Else\nIn {TIDAL.title} Ada Moor shows that water is wet."
        assert key_of(matched(TIDAL, front=front)) is None

    @pytest.mark.parametrize("above", ["Erratum", "Comment on:", "Book review", "[Re]"])
    def test_of_what_a_companion_is_about_is_not_its_own(self, above: str) -> None:
        assert key_of(matched(TIDAL, front=f"{above}\n{TIDAL.title}\nAda Moor")) is None

    def test_of_a_series_differs_in_its_number(self) -> None:
        second = work("two", "Estuaries of the cold north, part 2", "Moor, Ada")
        assert (
            key_of(matched(second, front="Estuaries of the cold north, part 1\nAda Moor")) is None
        )

    def test_of_the_same_authors_sister_work_is_another(self) -> None:
        front = "Tidal mixing in shallow southern estuaries\nAda Moor"
        assert key_of(matched(TIDAL, front=front)) is None

    def test_that_is_short_needs_more_than_itself(self) -> None:
        assert key_of(matched(SEDGE, front="Sedge\nZoe Else\nText.")) is None
        assert key_of(matched(SEDGE, front="Sedge\nBen Quint\nText.")) == "sedge"
        assert key_of(matched(SEDGE, title="Sedge", front="Sedge\nText.")) == "sedge"
        assert key_of(matched(SEDGE, front="Sedges\nBen Quint\nText.")) is None

    def test_without_its_subtitle_is_enough_with_the_author(self) -> None:
        book = work("book", "Rivers and Reeds: A Field Handbook", "Quint, Ben")
        assert key_of(matched(book, front="Rivers and Reeds\nBen Quint")) == "book"
        assert key_of(matched(book, front="Rivers and Reeds\nZoe Else")) is None
        short = work("short", "Rivers and Reeds", "Quint, Ben")
        assert key_of(matched(short, front="Rivers and Reeds:\nA Handbook\nBen Quint")) == "short"

    def test_left_over_in_the_metadata_is_not_enough(self) -> None:
        match = matched(TIDAL, title=TIDAL.title, front="Another study of water\nAda Moor\nText.")
        assert match.citation is None
        assert match.candidates[0].citekey == "tidal"

    def test_in_the_metadata_serves_where_there_is_no_text(self) -> None:
        assert key_of(matched(TIDAL, SALT, title=TIDAL.title)) == "tidal"

    def test_that_holds_another_whole_title_wins(self) -> None:
        longer = work("longer", f"{TIDAL.title} and beyond", "Moor, Ada")
        front = f"{TIDAL.title}\nand beyond\nAda Moor"
        assert key_of(matched(TIDAL, longer, front=front)) == "longer"

    def test_of_the_volume_in_the_running_head_yields_to_the_chapters(self) -> None:
        volume = work("volume", "Handbook of northern estuary science", "Fenn, Cleo")
        chapter = work("chapter", TIDAL.title, "Moor, Ada", container=volume.title)
        front = f"{volume.title}\n{TIDAL.title}\nAda Moor\nEdited by Cleo Fenn"
        assert key_of(matched(volume, chapter, front=front)) == "chapter"

    def test_shared_by_two_is_decided_by_the_author_who_is_named(self) -> None:
        other = work("other", TIDAL.title, "Else, Zoe")
        assert key_of(matched(other, TIDAL, front=f"{TIDAL.title}\nAda Moor")) == "tidal"

    def test_in_ideographs_is_long_enough(self) -> None:
        title = "\u6c34\u4e2d\u7e3d\u6709\u6a5f\u78b3\u6aa2\u6e2c\u65b9\u6cd5"
        assert (
            key_of(matched(work("water", title), TIDAL, front=f"{title}\n\u738b\u660e")) == "water"
        )


def test_a_file_named_by_its_citekey_supports_a_short_title_but_never_matches_alone() -> None:
    assert key_of(matched(SEDGE, path="x/sedge.pdf", front="Sedge\nText.")) == "sedge"
    assert key_of(matched(SEDGE, path="x/sedge.pdf", front="Something else\nText.")) is None


def test_the_order_of_the_library_does_not_matter() -> None:
    front = "Salt marshes as archives of storm tides\nAda Moor"
    one, other = matched(TIDAL, SALT, SEDGE, front=front), matched(SEDGE, SALT, TIDAL, front=front)
    assert one == other
    assert one.candidates[0].citekey == "salt"
