"""The annotations and notes of a Zotero selection, each with the work it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.citation import CitationMeta
from citeloom.domain.manifest import ManifestEntry
from citeloom.domain.mark_chunks import has_words, is_too_long, mark_doc_id
from citeloom.domain.note_quotes import NoteQuote
from citeloom.domain.zotero import ZoteroAnnotation, ZoteroNote, ZoteroTag

Entries: TypeAlias = Mapping[tuple[str, str], ManifestEntry]
"""The manifest's documents by the path of their library and the key of their attachment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMark:
    """An annotation, a note, or a quotation in one. `citation` has its own tags beside those of the
    item; `entry` is the manifest entry of the annotated or quoted document.
    """

    mark: ZoteroAnnotation | ZoteroNote | NoteQuote
    citation: CitationMeta | None
    source_path: str = ""
    entry: ManifestEntry | None = None

    @property
    def kind(self) -> ChunkKind:
        """Annotation or note."""
        is_annotation = isinstance(self.mark, ZoteroAnnotation)
        return ChunkKind.ANNOTATION if is_annotation else ChunkKind.NOTE

    @property
    def doc_id(self) -> str:
        """The id it is stored under."""
        return mark_doc_id(self.mark.library.path, self.mark.key, self.kind)

    @property
    def title(self) -> str:
        """The title of the work."""
        return self.citation.title if self.citation else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMarks:
    """Marks that belong in the index, and how many others have no text, or too much."""

    marks: list[FoundMark]
    wordless: int
    too_long: int


def entries_by_attachment(entries: Sequence[ManifestEntry]) -> Entries:
    """The manifest's documents that come from Zotero."""
    return {
        (entry.origin.library, entry.origin.attachment_key): entry
        for entry in entries
        if entry.origin is not None
    }


def annotations_in(snapshot: ZoteroSnapshot, entries: Entries) -> FoundMarks:
    """The annotations of the snapshot's documents in reading order."""
    documents = {
        (one.attachment.library.path, one.attachment.key): one for one in documents_of(snapshot)
    }
    found: list[FoundMark] = []
    wordless = too_long = 0
    for content in snapshot.contents:
        for annotation in sorted(content.annotations, key=_place):
            document = documents.get((content.library.path, annotation.attachment))
            if document is None:
                continue
            if is_too_long(annotation):
                too_long += 1
            elif has_words(annotation):
                found.append(_in_document(annotation, document, snapshot, entries))
            else:
                wordless += 1
    return FoundMarks(marks=found, wordless=wordless, too_long=too_long)


def _place(annotation: ZoteroAnnotation) -> tuple[str, str, str]:
    return annotation.attachment, annotation.sort_index, annotation.key


def documents_of(snapshot: ZoteroSnapshot) -> Iterator[ZoteroDocument]:
    """Every selected document, those that share a file and missing ones included."""
    yield from snapshot.documents.values()
    for others in snapshot.sharing.values():
        yield from others
    yield from snapshot.missing


def _in_document(
    annotation: ZoteroAnnotation,
    document: ZoteroDocument,
    snapshot: ZoteroSnapshot,
    entries: Entries,
) -> FoundMark:
    path = document.attachment.path if document.attachment.exists else None
    first = snapshot.documents.get(path, document) if path else document
    entry = entries.get((first.attachment.library.path, first.attachment.key))
    return FoundMark(
        mark=annotation,
        citation=tagged(document.citation, annotation.tags),
        source_path=entry.path if entry else _name(path),
        entry=entry,
    )


def _name(path: Path | None) -> str:
    return path.as_posix() if path else ""


def tagged(citation: CitationMeta | None, tags: Sequence[ZoteroTag]) -> CitationMeta | None:
    """The citation with the item's tags followed by the mark's own."""
    if citation is None:
        return None
    names = dict.fromkeys((*citation.tags, *(tag.name for tag in tags)))
    return replace(citation, tags=tuple(names))
