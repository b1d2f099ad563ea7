"""The metadata of a document: its front matter, and what is counted or known without it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from citeloom.domain.conversion import BlockKind, ConversionResult
from citeloom.domain.language_of_text import language_of
from citeloom.domain.metadata import FRONT_MATTER_SUFFIXES, MetadataSchema, MetadataValue

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
    """What undeclared fields of a Markdown file's front matter are too much to be stored."""
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
