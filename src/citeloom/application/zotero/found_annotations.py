"""The annotations and notes of a Zotero selection, each with the work it is of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.chunks.annotations import has_words, is_too_long, mark_doc_id, plain
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.chunks.notes import NoteQuote, ZoteroAddress, quotes_in
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.zotero.items import (
    ZoteroAnnotation,
    ZoteroContent,
    ZoteroItem,
    ZoteroNote,
    ZoteroTag,
    citation_of,
)
from citeloom.domain.zotero.selection import (
    ZoteroSelection,
    selected_items,
    selects,
)

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
        is_annotation = isinstance(self.mark, ZoteroAnnotation)
        return ChunkKind.ANNOTATION if is_annotation else ChunkKind.NOTE

    @property
    def doc_id(self) -> str:
        return mark_doc_id(self.mark.library.path, self.mark.key, self.kind)

    @property
    def title(self) -> str:
        return self.citation.title if self.citation else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMarks:
    """Marks that belong in the index, and how many others have no text, or too much."""

    marks: list[FoundMark] = field(default_factory=list)
    without_text: int = 0
    too_long: int = 0


def entries_by_attachment(entries: Sequence[ManifestEntry]) -> Entries:
    """The manifest's documents that come from Zotero."""
    return {
        (entry.origin.library, entry.origin.attachment_key): entry
        for entry in entries
        if entry.origin is not None
    }


def annotations_in(snapshot: ZoteroSnapshot, entries: Entries) -> FoundMarks:
    """The annotations of the snapshot's documents in reading order, each cited as its document is
    that is indexed, of which its own attachment may be a copy.
    """
    standing = snapshot.standing
    annotations: list[FoundMark] = []
    without_text = too_long = 0
    for content in snapshot.contents:
        for annotation in sorted(
            content.annotations, key=lambda mark: (mark.attachment, mark.sort_index, mark.key)
        ):
            document = standing.get(
                ZoteroAddress(group_id=content.library.group_id, key=annotation.attachment)
            )
            if document is None:
                continue
            if is_too_long(annotation):
                too_long += 1
                continue
            if not has_words(annotation):
                without_text += 1
                continue
            path = document.attachment.path if document.attachment.exists else None
            entry = entries.get((document.attachment.library.path, document.attachment.key))
            annotations.append(
                FoundMark(
                    mark=annotation,
                    citation=tagged(document.citation, annotation.tags),
                    source_path=entry.path if entry else path.as_posix() if path else "",
                    entry=entry,
                )
            )
    return FoundMarks(marks=annotations, without_text=without_text, too_long=too_long)


def tagged(citation: CitationMeta | None, tags: Sequence[ZoteroTag]) -> CitationMeta | None:
    """The citation with the item's tags followed by the mark's own."""
    if citation is None:
        return None
    names = dict.fromkeys((*citation.tags, *(tag.name for tag in tags)))
    return replace(citation, tags=tuple(names))


# The notes of a Zotero selection, and the quotations in them, each with the work it is of.


def notes_in(
    snapshot: ZoteroSnapshot,
    selection: ZoteroSelection,
    entries: Entries,
    annotations: Iterable[FoundMark] = (),
) -> FoundMarks:
    """The notes on selected items and their attachments, and the selected standalone ones.

    Quotations are marks of their own, except quotations of `annotations`, which are indexed
    already: of those only a remark that is not the annotation's comment stays.
    """
    works = _Works.of(snapshot, entries)
    known = _Annotations.of(annotations)
    notes: list[FoundMark] = []
    empty = too_long = 0
    for content in snapshot.contents:
        for note, citation in _notes(content, selection, works.of_items):
            if is_too_long(note):
                too_long += 1
                continue
            quotes, rest = quotes_in(note)
            words = replace(note, html=rest)
            marks = [FoundMark(mark=words, citation=citation)] if has_words(words) else []
            marks += (works.cited(quote, citation) for quote in map(known.folded, quotes) if quote)
            notes += marks
            empty += not marks and not quotes
    return FoundMarks(marks=notes, without_text=empty, too_long=too_long)


def _notes(
    content: ZoteroContent,
    selection: ZoteroSelection,
    of_items: Mapping[ZoteroAddress, CitationMeta],
) -> Iterator[tuple[ZoteroNote, CitationMeta | None]]:
    """The selected notes of a library with the reference of their item."""
    items = {item.key: item for item in selected_items(content, selection)}
    attachments = {attachment.key: attachment for attachment in content.attachments}
    selected = selects(selection, content)
    for note in content.notes:
        holder = attachments.get(note.parent or "", note)
        if item := items.get(holder.parent or ""):
            address = ZoteroAddress(group_id=item.library.group_id, key=item.key)
            yield note, tagged(of_items[address], note.tags)
        elif holder.parent is None and selected(holder):
            yield note, None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Works:
    """The references of all items, an item whose files are copies of another's cited as that one,
    and the documents of selected attachments.
    """

    of_items: Mapping[ZoteroAddress, CitationMeta]
    standing: Mapping[ZoteroAddress, ZoteroDocument]
    entries: Entries

    @staticmethod
    def of(snapshot: ZoteroSnapshot, entries: Entries) -> _Works:
        standing = snapshot.standing
        items: dict[ZoteroAddress, CitationMeta] = {}
        for content in snapshot.contents:
            collections = {collection.key: collection for collection in content.collections}
            group = content.library.group_id
            documents: dict[str | None, list[ZoteroDocument]] = defaultdict(list)
            for attachment in content.attachments:
                document = standing.get(ZoteroAddress(group_id=group, key=attachment.key))
                if document is not None:
                    documents[attachment.parent].append(document)
            for item in content.items:
                address = ZoteroAddress(group_id=group, key=item.key)
                items[address] = (
                    _citation_of_others(item, documents[item.key])
                    or (citation_of(item, collections)[0])
                )
        return _Works(of_items=items, standing=standing, entries=entries)

    def cited(self, quote: NoteQuote, of_note: CitationMeta | None) -> FoundMark:
        """The quotation with the work it is of, or else that of its note."""
        document = self.standing.get(quote.attachment) if quote.attachment else None
        citation = document.citation if document else None
        if citation is None and quote.work is not None:
            citation = self.of_items.get(quote.work)
        entry = None
        if document is not None:
            attachment = document.attachment
            entry = self.entries.get((attachment.library.path, attachment.key))
        return FoundMark(
            mark=quote,
            citation=tagged(citation, quote.tags) if citation else of_note,
            source_path=entry.path if entry else "",
            entry=entry,
        )


def _citation_of_others(
    item: ZoteroItem, documents: Sequence[ZoteroDocument]
) -> CitationMeta | None:
    """The reference of the one other item whose documents are all those of this item."""
    owners = {(each.item.library, each.item.key) if each.item else None for each in documents}
    if len(owners) != 1 or owners & {None, (item.library, item.key)}:
        return None
    citation = documents[0].citation
    return None if citation is None else replace(citation, attachment=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Annotations:
    """The annotations of the snapshot, by key, and by attachment and text."""

    by_key: Mapping[tuple[int, str], ZoteroAnnotation]
    by_text: Mapping[tuple[int, str, str], ZoteroAnnotation]

    @staticmethod
    def of(found_marks: Iterable[FoundMark]) -> _Annotations:
        marks = [found.mark for found in found_marks if isinstance(found.mark, ZoteroAnnotation)]
        return _Annotations(
            by_key={(mark.library.group_id, mark.key): mark for mark in marks},
            by_text={
                (mark.library.group_id, mark.attachment, _squashed(mark.text)): mark
                for mark in marks
            },
        )

    def folded(self, quote: NoteQuote) -> NoteQuote | None:
        """The quotation; if it repeats an annotation, only its new remark, or None."""
        if quote.attachment is None:
            return quote
        group, attachment = quote.attachment.group_id, quote.attachment.key
        by_key = self.by_key.get((group, quote.annotation))
        twin = by_key or self.by_text.get((group, attachment, _squashed(quote.text)))
        if twin is None:
            return quote
        if not quote.remark or _squashed(quote.remark) == _squashed(twin.comment):
            return None
        return replace(quote, text="")


def _squashed(text: str) -> str:
    return " ".join(plain(text).split())
