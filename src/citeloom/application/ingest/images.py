"""How a document's images are to be read, and whether they were read so."""

from __future__ import annotations

from shlex import quote

from citeloom.application.ingest.parts import IngestParts
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.domain.citation import CitationMeta
from citeloom.domain.conversion import ConversionResult, EmbeddedMetadata
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.policies import OcrOptions, OcrSource


def wanted_reading(document: PlannedDocument, parts: IngestParts) -> OcrOptions | None:
    """How to read a document before its text is known: its reference comes with the file, or is
    found by path alone.
    """
    configured = parts.ocr_languages
    if configured is None:
        return None
    citation = document.file.citation
    if citation is None:
        citation = parts.tools.references.match(document.file.name, EmbeddedMetadata()).citation
    language = citation.language if citation else None
    return OcrOptions.choose(zotero=language, configured=configured)


def is_read_as_wanted(document: PlannedDocument, held: ManifestEntry, parts: IngestParts) -> bool:
    """Whether an indexed document has no images, or they were read as they would be now, or in
    the language of the reference that its text was found to have.
    """
    if not held.ocr:
        return True
    wanted = wanted_reading(document, parts)
    if parts.reading(wanted) == held.ocr:
        return True
    if wanted is None or wanted.source is OcrSource.ZOTERO_METADATA or held.citekey is None:
        return False
    cited = (c for c in parts.tools.references.references() if c.citekey == held.citekey)
    language = next((citation.language for citation in cited), None)
    return language is not None and parts.reading(OcrOptions(languages=(language,))) == held.ocr


def advice_on_language(
    path: str, result: ConversionResult, citation: CitationMeta | None, project_id: str
) -> str:
    """How to read a document again whose reference, found by what was read, has another language
    than it was read in; empty where there is no need.
    """
    language = citation.language if citation else None
    if not language or not result.ocr_pages:
        return ""
    if _primary(language) in map(_primary, result.ocr_languages):
        return ""
    command = f"citeloom ingest {quote(path)} --project {project_id}"
    return (
        f"its images were read in {'+'.join(result.ocr_languages)}, its reference says {language}; "
        f"to read them again: {command} --ocr-lang {language} --force"
    )


def _primary(language: str) -> str:
    return language.lower().split("-")[0]
