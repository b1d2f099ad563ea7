"""The notes of a Zotero selection, and the quotations in them, each with the work it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from citeloom.application.zotero.found_marks import (
    Entries,
    FoundMark,
    FoundMarks,
    documents_of,
    tagged,
)
from citeloom.application.zotero.snapshot import ZoteroSnapshot
from citeloom.domain.citation import CitationMeta
from citeloom.domain.mark_chunks import has_words, is_too_long, plain
from citeloom.domain.note_quotes import NoteQuote, ZoteroAddress, quotes_in
from citeloom.domain.zotero import ZoteroAnnotation, ZoteroContent, ZoteroNote
from citeloom.domain.zotero_citation import citation_of
from citeloom.domain.zotero_selection import (
    ZoteroSelection,
    chosen_collections,
    is_selected,
    selected_items,
)


def notes_in(
    snapshot: ZoteroSnapshot,
    selection: ZoteroSelection,
    entries: Entries,
    annotations: Iterable[FoundMark] = (),
) -> FoundMarks:
    """The notes on selected items and their attachments, and the selected standalone ones.

    Quotations are marks of their own, save those of `annotations`, which are found as such: of
    them only a remark that is not the annotation's comment is left.
    """
    works = _Works.of(snapshot, entries)
    known = _Annotations.of(annotations)
    found: list[FoundMark] = []
    empty = too_long = 0
    for content in snapshot.contents:
        for note, citation in _notes(content, selection):
            if is_too_long(note):
                too_long += 1
                continue
            quotes, rest = quotes_in(note)
            words = replace(note, html=rest)
            marks = [FoundMark(mark=words, citation=citation)] if has_words(words) else []
            marks += (works.cited(quote, citation) for quote in map(known.folded, quotes) if quote)
            found += marks
            empty += not marks and not quotes
    return FoundMarks(marks=found, wordless=empty, too_long=too_long)


def _notes(
    content: ZoteroContent, selection: ZoteroSelection
) -> Iterator[tuple[ZoteroNote, CitationMeta | None]]:
    """The selected notes of a library with the reference of their item."""
    items = {item.key: item for item in selected_items(content, selection)}
    attachments = {attachment.key: attachment for attachment in content.attachments}
    collections = {collection.key: collection for collection in content.collections}
    chosen = chosen_collections(selection, content)
    for note in content.notes:
        holder = attachments.get(note.parent or "", note)
        if item := items.get(holder.parent or ""):
            citation, _ = citation_of(item, collections)
            yield note, tagged(citation, note.tags)
        elif holder.parent is None and is_selected(
            selection, chosen, holder.tags, holder.collections
        ):
            yield note, None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Works:
    """The references of all items and of selected attachments, by library and key."""

    of_items: Mapping[ZoteroAddress, CitationMeta]
    of_attachments: Mapping[ZoteroAddress, CitationMeta]
    entries: Entries

    @staticmethod
    def of(snapshot: ZoteroSnapshot, entries: Entries) -> _Works:
        """Those of a snapshot."""
        return _Works(
            of_items={
                ZoteroAddress(group_id=item.library.group_id, key=item.key): citation_of(
                    item, {one.key: one for one in content.collections}
                )[0]
                for content in snapshot.contents
                for item in content.items
            },
            of_attachments={
                ZoteroAddress(
                    group_id=one.attachment.library.group_id, key=one.attachment.key
                ): one.citation
                for one in documents_of(snapshot)
                if one.citation is not None
            },
            entries=entries,
        )

    def cited(self, quote: NoteQuote, of_note: CitationMeta | None) -> FoundMark:
        """The quotation with the work it is of, or else that of its note."""
        citation = None
        if quote.attachment is not None:
            citation = self.of_attachments.get(quote.attachment)
        if citation is None and quote.work is not None:
            citation = self.of_items.get(quote.work)
        entry = None
        if quote.attachment and quote.attachment.group_id == quote.library.group_id:
            entry = self.entries.get((quote.library.path, quote.attachment.key))
        return FoundMark(
            mark=quote,
            citation=tagged(citation, quote.tags) if citation else of_note,
            source_path=entry.path if entry else "",
            entry=entry,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Annotations:
    """The annotations that are found by themselves, by key, and by attachment and text."""

    by_key: Mapping[tuple[int, str], ZoteroAnnotation]
    by_text: Mapping[tuple[int, str, str], ZoteroAnnotation]

    @staticmethod
    def of(found: Iterable[FoundMark]) -> _Annotations:
        """Those among marks."""
        marks = [one.mark for one in found if isinstance(one.mark, ZoteroAnnotation)]
        return _Annotations(
            by_key={(mark.library.group_id, mark.key): mark for mark in marks},
            by_text={
                (mark.library.group_id, mark.attachment, _squashed(mark.text)): mark
                for mark in marks
            },
        )

    def folded(self, quote: NoteQuote) -> NoteQuote | None:
        """The quotation, of one that repeats an annotation only a new remark, if there is one."""
        twin = self._twin(quote)
        if twin is None:
            return quote
        if not quote.remark or _squashed(quote.remark) == _squashed(twin.comment):
            return None
        return replace(quote, text="")

    def _twin(self, quote: NoteQuote) -> ZoteroAnnotation | None:
        if quote.attachment is None:
            return None
        group, attachment = quote.attachment.group_id, quote.attachment.key
        by_key = self.by_key.get((group, quote.annotation))
        return by_key or self.by_text.get((group, attachment, _squashed(quote.text)))


def _squashed(text: str) -> str:
    return " ".join(plain(text).split())
