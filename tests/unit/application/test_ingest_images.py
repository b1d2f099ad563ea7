"""Pages that are images, as an ingest asks for them to be read and reports them."""

from __future__ import annotations

from dataclasses import replace

from citeloom.application.ports.reference_library import Match, MatchedBy
from citeloom.application.reports import ImagesRead
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import EmbeddedMetadata
from citeloom.domain.policies import OCRConfiguration, OCRSource
from tests.fakes.document_converter import conversion_of
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import Library, paper


class Known(MemoryReferenceLibrary):
    """Knows every document by its path."""

    def match(self, path: str, embedded: EmbeddedMetadata) -> Match:
        french = CitationMeta(citekey="ble1901", title="Le blé", language="fr")
        return Match(citation=french, by=MatchedBy.FILE, score=1.0)


def library(languages: tuple[str, ...] | None) -> Library:
    made = Library({"papers/scan.txt": paper("wheat")})
    made.ocr_languages = languages
    return made


def asked(made: Library) -> OCRConfiguration | None:
    """How the one document was to be read."""
    made.ingest()
    (source,) = made.converter.converted
    return source.ocr


def test_images_are_read_in_the_language_of_the_reference_then_the_configured_ones() -> None:
    german = OCRConfiguration(languages=("de",), source=OCRSource.EXPLICIT_CONFIG)
    assert asked(library(("de",))) == german
    assert asked(library(())) == OCRConfiguration()
    assert asked(library(None)) is None
    known = library(("de",))
    known.references = Known()
    french = OCRConfiguration(languages=("fr",), source=OCRSource.ZOTERO_METADATA)
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
            source=OCRSource.DEFAULT,
            pages=2,
            poor={2: 0.6},
        )
    }
    assert library(()).ingest().images_read == {}
