"""Pages that are images, as an ingest asks for them to be read and reports them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.reports import ImagesRead
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.conversion import ConversionResult, EmbeddedMetadata, PageFailure
from citeloom.domain.errors import ConfigError, EmptyDocument
from citeloom.domain.policies import OcrOptions, OcrSource
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.reference_matcher import MatchedBy, ReferenceMatch
from tests.fakes.document_converter import conversion_of
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import Library, paper


class Known(MemoryReferenceLibrary):
    """Knows every document by its path."""

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        french = CitationMeta(citekey="ble1901", title="Le blé", language="fr")
        return ReferenceMatch(citation=french, by=MatchedBy.FILE, score=1.0)


def library(languages: tuple[str, ...] | None) -> Library:
    made = Library({"papers/scan.txt": paper("wheat")})
    made.ocr_languages = languages
    return made


def asked(made: Library) -> OcrOptions | None:
    """How the one document was to be read."""
    made.ingest()
    (source,) = made.converter.converted
    return source.ocr


def test_images_are_read_in_the_language_of_the_reference_then_the_configured_ones() -> None:
    german = OcrOptions(languages=("de",), source=OcrSource.EXPLICIT_CONFIG)
    assert asked(library(("de",))) == german
    assert asked(library(())) == OcrOptions()
    assert asked(library(None)) is None
    known = library(("de",))
    known.references = Known()
    french = OcrOptions(languages=("fr",), source=OcrSource.ZOTERO_METADATA)
    assert asked(known) == french


def test_the_report_says_what_read_them_and_which_were_hard_to_read() -> None:
    made = library(())
    (name,) = made.files.texts()
    made.canned[name] = replace(
        conversion_of(paper("wheat")),
        ocr_pages={1: 0.95, 2: 0.6},
        ocr_engine="reader-1",
        ocr_languages=("en",),
    )
    assert made.ingest().images_read == {
        "papers/scan.txt": ImagesRead(
            engine="reader-1",
            languages=("en",),
            source=OcrSource.DEFAULT,
            pages=2,
            poor={2: 0.6},
        )
    }
    assert library(()).ingest().images_read == {}


SCAN = replace(
    conversion_of(paper("wheat"), embedded=EmbeddedMetadata(front_text="Le blé")),
    ocr_pages={1: 0.95},
    ocr_engine="reader-1",
    ocr_languages=("en", "de"),
)
NAME = "papers/scan.txt"


class ByText(MemoryReferenceLibrary):
    """Knows every document by its text and none by its path."""

    def __init__(self, language: str | None) -> None:
        super().__init__(CitationMeta(citekey="ble1901", title="Le blé", language=language))

    def match(self, path: str, embedded: EmbeddedMetadata) -> ReferenceMatch:
        if not embedded.front_text:
            return ReferenceMatch()
        return ReferenceMatch(citation=self.references()[0], by=MatchedBy.TITLE, score=1.0)


def scanned(references: MemoryReferenceLibrary | None = None) -> Library:
    """A library of a scan and a text, ingested."""
    made = library(())
    made.files.write("papers/text.txt", paper("rye"))
    made.canned["scan.txt"] = SCAN
    made.references = references or made.references
    made.ingest()
    assert made.entries()[NAME].ocr == "reader-1:en+de"
    assert made.entries()["papers/text.txt"].ocr == ""
    return made


def test_another_way_to_read_images_is_tried_on_documents_with_images_alone() -> None:
    made = scanned()
    assert made.ingest().indexed == []
    made.ocr_languages = ("fr",)
    assert made.ingest().indexed == [NAME]
    assert made.entries()[NAME].ocr == "reader-1:fr"
    assert made.ingest().indexed == []
    made.ocr_languages = None
    assert made.ingest().indexed == [NAME]
    assert made.entries()[NAME].ocr == "off"


def test_images_that_were_left_unread_are_read_once_that_is_wanted() -> None:
    made = library(None)
    failure = PageFailure(page=2, reason="the page is an image, and OCR is off")
    made.canned["scan.txt"] = replace(conversion_of(paper("wheat")), page_failures=(failure,))
    made.ingest()
    assert made.entries()[NAME].ocr == "off"
    made.ocr_languages = ()
    made.canned["scan.txt"] = SCAN
    assert made.ingest().indexed == [NAME]


def test_a_document_refused_as_it_was_not_read_is_taken_up_again() -> None:
    made = library(None)
    made.canned["scan.txt"] = EmptyDocument("scan.txt holds images only")
    assert [failure.code for failure in made.ingest().failed] == ["EMPTY_DOCUMENT"]
    made.ocr_languages = ()
    made.canned["scan.txt"] = SCAN
    assert made.ingest().indexed == [NAME]


def test_a_reference_in_another_language_than_was_read_is_told_with_the_way_out() -> None:
    made = scanned(ByText("fr"))
    assert made.ingest().notes == {}
    (note,) = made.ingest(IngestRequest(force=True)).notes[NAME]
    assert note == (
        "its images were read in en+de, its reference says fr; to read them again: "
        "citeloom ingest papers/scan.txt --project lab/wheat --ocr-lang fr --force"
    )


def test_what_was_read_in_the_language_of_its_reference_stays() -> None:
    made = scanned(ByText("fr"))
    made.ocr_languages = ("fr",)
    made.canned["scan.txt"] = replace(SCAN, ocr_languages=("fr",))
    assert made.ingest(IngestRequest(force=True)).notes == {}
    made.ocr_languages = ()
    assert made.ingest().indexed == []
    made.ocr_languages = ("de",)
    assert made.ingest().indexed == []
    made.ocr_languages = None
    assert made.ingest().indexed == [NAME]


@pytest.mark.parametrize("language", ["de-AT", None])
def test_no_more_is_said_of_a_language_that_was_read_or_that_no_one_knows(
    language: str | None,
) -> None:
    made = scanned(ByText(language))
    made.ocr_languages = ("de",)
    report = made.ingest()
    assert (report.indexed, report.notes) == ([NAME], {})


@pytest.mark.parametrize(
    ("result", "hint"),
    [
        (conversion_of(". . . . " * 40), "min_signal_to_noise"),
        (replace(conversion_of(". . . . " * 40), ocr_pages={1: 0.9}), "--ocr-lang"),
    ],
)
def test_a_document_without_a_chunk_is_told_what_may_help(
    result: ConversionResult, hint: str
) -> None:
    made = library(())
    made.canned["scan.txt"] = result
    (failure,) = made.ingest().failed
    assert failure.code == "EMPTY_DOCUMENT"
    others = {"min_chunk_tokens", "min_signal_to_noise", "--ocr-lang"} - {hint}
    assert hint in failure.hint
    assert not any(other in failure.hint for other in others)


def test_a_scan_with_its_own_text_is_read_again_once_and_stays_so() -> None:
    made = library(())
    made.files.write("papers/text.txt", paper("rye"))
    layered = replace(conversion_of(paper("wheat")), layer_pages=(1,))
    made.canned["scan.txt"] = layered
    made.ingest()
    assert made.entries()[NAME].ocr == "text layer"
    assert made.ingest().indexed == []
    made.canned["scan.txt"] = replace(layered, ocr_engine="reader-1", ocr_languages=("en", "de"))
    assert made.ingest(IngestRequest(ocr_again=True)).indexed == [NAME]
    assert made.entries()[NAME].ocr == "reader-1:en+de:again"
    assert made.ingest(IngestRequest(ocr_again=True)).indexed == []
    assert made.ingest().indexed == []
    made.ingest(IngestRequest(force=True))
    assert OcrOptions(again=True) in [source.ocr for source in made.converter.converted]
    made.ocr_languages = ("fr",)
    assert made.ingest().indexed == [NAME]


def test_what_was_read_once_is_read_again() -> None:
    made = scanned()
    assert made.ingest(IngestRequest(ocr_again=True)).indexed == [NAME]
    assert made.ingest().indexed == []


def test_nothing_is_read_again_where_ocr_is_off() -> None:
    with pytest.raises(ConfigError, match="OCR is off"):
        library(None).ingest(IngestRequest(ocr_again=True))
