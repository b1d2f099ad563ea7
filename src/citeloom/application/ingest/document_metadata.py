"""The front matter of a document, and the options by which its images are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from shlex import quote

from citeloom.application.ingest.context import IngestParts
from citeloom.application.ingest.plan import PlannedDocument
from citeloom.domain.documents.conversion import BlockKind, ConversionResult, EmbeddedMetadata
from citeloom.domain.documents.language import language_of
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.documents.metadata import FRONT_MATTER_SUFFIXES, MetadataSchema, MetadataValue
from citeloom.domain.policies import OcrOptions, OcrSource
from citeloom.domain.references.citation import CitationMeta

# How a document's images are to be read, and whether they were read so.


def requested_ocr(document: PlannedDocument, parts: IngestParts) -> OcrOptions | None:
    """The OCR options of a document before its text is known: its reference comes with the file, or
    is found by path alone.
    """
    configured = parts.ocr_languages
    if configured is None:
        return None
    citation = document.file.citation
    if citation is None:
        citation = parts.tools.references.match(document.file.name, EmbeddedMetadata()).citation
    language = citation.language if citation else None
    return OcrOptions.choose(zotero=language, configured=configured)


def has_current_ocr(document: PlannedDocument, stored: ManifestEntry, parts: IngestParts) -> bool:
    """Whether an indexed document has no images, or they were read as they would be now, or in
    the language of the reference that its text was found to have.
    """
    if not stored.ocr:
        return True
    requested = requested_ocr(document, parts)
    if parts.reading(requested) == stored.ocr:
        return True
    if requested is None or requested.source is OcrSource.ZOTERO_METADATA or stored.citekey is None:
        return False
    cited = (c for c in parts.tools.references.references() if c.citekey == stored.citekey)
    language = next((citation.language for citation in cited), None)
    return language is not None and parts.reading(OcrOptions(languages=(language,))) == stored.ocr


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


# The metadata of a document: its front matter, and what is counted or known without it.

_LONGEST_TITLE = 255
_NAMED = 10


def document_metadata(
    schema: MetadataSchema, path: PurePath, result: ConversionResult
) -> dict[str, MetadataValue]:
    """The metadata of a Markdown file; empty for any other.

    Raises `InvalidMetadata` if its front matter lacks a required field or has an invalid one.
    """
    if path.suffix.lower() not in FRONT_MATTER_SUFFIXES:
        return {}
    known: dict[str, MetadataValue] = {
        "title": _title(path, result),
        "language": language_of(result.plain_text),
    }
    return {
        **known,
        **schema.undeclared(result.front_matter or {}).values,
        **schema.validated(result.front_matter or {}),
        "word_count": len(result.plain_text.split()),
        "has_frontmatter": result.front_matter is not None,
    }


def metadata_notes(
    schema: MetadataSchema, path: PurePath, result: ConversionResult
) -> tuple[str, ...]:
    """Notes on undeclared front matter of a Markdown file that is too large to be stored."""
    if path.suffix.lower() not in FRONT_MATTER_SUFFIXES:
        return ()
    fields = schema.undeclared(result.front_matter or {})
    return tuple(
        f"front matter: {change}: {', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
        for change, names in (("shortened", fields.shortened), ("left out", fields.left_out))
        if names
    )


def with_sections(
    metadata: Mapping[str, MetadataValue], sections: int
) -> Mapping[str, MetadataValue]:
    """The metadata with the number of sections that the document was divided into."""
    return {**metadata, "section_count": sections} if metadata else metadata


def _title(path: PurePath, result: ConversionResult) -> str:
    """The document's only heading of the first level, or else its file name."""
    titles = (result.text_of(block) for block in result.blocks if block.kind is BlockKind.TITLE)
    return next(titles, path.stem)[:_LONGEST_TITLE]
