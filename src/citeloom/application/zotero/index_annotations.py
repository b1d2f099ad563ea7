"""Keeping a reader's annotations and notes in a project's index as they are in Zotero."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from citeloom.application.disk_space import check_room
from citeloom.application.ingest.embedding import embed
from citeloom.application.ingest.fingerprints import mark_fingerprint, policy_fingerprint
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ingest.write import ChunkWriter
from citeloom.application.ports.vector_index import CitationUpdate, MetadataUpdate
from citeloom.application.reports import MarkCounts, OutcomeState
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.zotero.found_annotations import (
    FoundMark,
    FoundMarks,
    annotations_in,
    entries_by_attachment,
    notes_in,
)
from citeloom.application.zotero.snapshot import ZoteroSnapshot
from citeloom.domain.chunks.annotations import (
    MarkChunker,
    MarkPlace,
    QuotedParagraphs,
    length_of,
    own_label,
    page_of,
    plain,
)
from citeloom.domain.chunks.chunk import MARKS, Chunk, ChunkKind
from citeloom.domain.chunks.notes import NoteQuote
from citeloom.domain.documents.manifest import ManifestEntry
from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from citeloom.domain.zotero.items import ZoteroAnnotation, ZoteroNote
from citeloom.domain.zotero.selection import ZoteroSelection

_TOGETHER = 256
_CHARACTERS_TOGETHER = 200_000
"""So many marks, with so much text together, are cut, embedded and stored at a time."""


class IndexMarks:
    """One run over a snapshot.

    The index is the only record of what is stored, so that the next run completes one that was
    killed at any moment.
    """

    def __init__(self, parts: IngestParts) -> None:
        self._parts = parts
        self._project = parts.project
        self._chunks = ChunkWriter(
            project_id=parts.project.id, index=parts.project.index, name=parts.project.collection
        )
        self._policy = policy_fingerprint(parts.project.settings, converter_version="")
        self._documents: dict[str, _Places] = {}
        self._found: dict[ChunkKind, FoundMarks] = {}
        self._states: dict[str, tuple[ChunkKind, OutcomeState | None]] = {}
        """By document id; None of one whose text came to no chunk."""

    def __call__(
        self, snapshot: ZoteroSnapshot, selection: ZoteroSelection, request: IngestRequest
    ) -> dict[str, MarkCounts]:
        """Store new and changed marks and, with `drop_left` or `prune`, delete those that left the
        selection.

        The counts are by kind; `pending` are those that an interrupted run or a dry run leaves.
        """
        selected = self._without_deleted(self._selected(snapshot, selection), request)
        stored = self._stored(snapshot.refused)
        todo = [mark for mark in selected if self._has_changed(mark, stored.get(mark.doc_id, ()))]
        self._note(OutcomeState.PENDING, *todo)
        if not request.dry_run:
            self._work(selected, stored, todo, request)
        return {kind.value: self._counts(kind) for kind in MARKS}

    def _counts(self, kind: ChunkKind) -> MarkCounts:
        marks = self._found.get(kind, FoundMarks())
        states = Counter(state for of, state in self._states.values() if of is kind)
        return MarkCounts(
            found=len(marks.marks),
            wordless=marks.without_text + states[None],
            too_long=marks.too_long,
            indexed=states[OutcomeState.INDEXED],
            unchanged=states[OutcomeState.UNCHANGED],
            updated=states[OutcomeState.UPDATED],
            removed=states[OutcomeState.PRUNED],
            deleted=states[OutcomeState.DELETED],
            pending=states[OutcomeState.PENDING],
        )

    def _note(self, state: OutcomeState | None, *marks: FoundMark) -> None:
        self._states |= {mark.doc_id: (mark.kind, state) for mark in marks}

    def _selected(self, snapshot: ZoteroSnapshot, selection: ZoteroSelection) -> list[FoundMark]:
        if not (selection.annotations or selection.notes):
            return []
        entries = entries_by_attachment(self._project.entries())
        marks: list[FoundMark] = []
        if selection.annotations:
            annotations = self._found[ChunkKind.ANNOTATION] = annotations_in(snapshot, entries)
            marks += annotations.marks
        if selection.notes:
            notes = notes_in(snapshot, selection, entries, annotations=tuple(marks))
            self._found[ChunkKind.NOTE] = notes
            marks += notes.marks
        return marks

    def _without_deleted(self, marks: list[FoundMark], request: IngestRequest) -> list[FoundMark]:
        """The marks without a tombstone; with `restore` all of them."""
        manifest = self._project.manifest
        deleted = {tombstone.doc_id for tombstone in manifest.tombstones(self._project.id)}
        excluded = [mark for mark in marks if mark.doc_id in deleted]
        if not request.restore:
            self._note(OutcomeState.DELETED, *excluded)
            return [mark for mark in marks if mark.doc_id not in deleted]
        if excluded and not request.dry_run:
            manifest.remove_tombstones(self._project.id, *(mark.doc_id for mark in excluded))
        return marks

    def _stored(self, refused: AbstractSet[str]) -> dict[str, list[StoredChunk]]:
        """The chunks of each mark that is in the index, without libraries that were refused."""
        chunks: dict[str, list[StoredChunk]] = defaultdict(list)
        if self._project.index.binding(self._chunks.name) is not None:
            selection = replace(self._project.everything, kinds=MARKS)
            for stored in self._project.index.scroll(self._chunks.name, selection):
                if stored.zotero_library not in refused:
                    chunks[stored.chunk.doc_id].append(stored)
        return chunks

    def _has_changed(self, mark: FoundMark, stored: Sequence[StoredChunk]) -> bool:
        """Whether the mark has to be embedded again: not all its chunks are stored, or its
        fingerprint differs.
        """
        fingerprint = self._fingerprint(mark)
        marks = [stored_chunk.chunk.mark for stored_chunk in stored]
        return not marks or any(
            mark is None or (mark.fingerprint, mark.parts) != (fingerprint, len(marks))
            for mark in marks
        )

    def _fingerprint(self, found_mark: FoundMark) -> str:
        mark, citation, entry = found_mark.mark, found_mark.citation, found_mark.entry
        fields: dict[str, object] = {
            "title": found_mark.title,
            "authors": citation.authors if citation else (),
            "source": found_mark.source_path,
            "tags": [tag.name for tag in mark.tags],
        }
        if isinstance(mark, ZoteroNote):
            return mark_fingerprint(self._policy, **fields, html=mark.html)
        if entry is not None and not own_label(mark):
            fields["labels"] = (entry.doc_id, entry.fingerprint, entry.citation_pages)
            if page_of(mark) is None:
                fields["paragraphs"] = True
        if isinstance(mark, NoteQuote):
            place = (mark.page_index, mark.page_label, mark.annotation, mark.color)
            return mark_fingerprint(self._policy, **fields, quote=mark.key, place=place)
        return mark_fingerprint(
            self._policy,
            **fields,
            text=mark.text,
            comment=mark.comment,
            color=mark.color,
            place=(mark.page_index, mark.page_label, mark.rects),
        )

    def _work(
        self,
        selected: Sequence[FoundMark],
        stored: Mapping[str, Sequence[StoredChunk]],
        todo: Sequence[FoundMark],
        request: IngestRequest,
    ) -> None:
        if self._parts.machine is not None:
            self._chunks = replace(self._chunks, machine=self._parts.machine())
        if request.drop_left or request.prune:
            for doc_id in sorted(stored.keys() - {mark.doc_id for mark in selected}):
                first = stored[doc_id][0]
                if self._may_be_removed(first) and self._chunks.delete(doc_id):
                    self._states[doc_id] = (first.chunk.kind, OutcomeState.PRUNED)
        changed = {mark.doc_id for mark in todo}
        for mark in (mark for mark in selected if mark.doc_id not in changed):
            if all(chunk.citation == mark.citation for chunk in stored[mark.doc_id]):
                self._note(OutcomeState.UNCHANGED, mark)
            else:
                cited = CitationUpdate(citation=mark.citation)
                self._chunks.update(mark.doc_id, MetadataUpdate(citation=cited))
                self._note(OutcomeState.UPDATED, mark)
        if {OutcomeState.PRUNED, OutcomeState.UPDATED} & {s for _, s in self._states.values()}:
            self._chunks.flush()
        for batch in _batches(todo):
            if request.cancellation.requested:
                return
            self._store(batch, stored)

    def _may_be_removed(self, stored: StoredChunk) -> bool:
        """Whether a mark is this machine's: where its chunks name no machine, its item is in this
        manifest.
        """
        if self._chunks.machine is None or stored.machines:
            return True
        return stored.citation is not None and stored.citation.item_key in self._items

    @cached_property
    def _items(self) -> frozenset[str | None]:
        """The items whose attachments are in the manifest."""
        entries = self._project.entries()
        return frozenset(entry.item_key for entry in entries if entry.item_key)

    def _store(
        self, marks: Sequence[FoundMark], stored: Mapping[str, Sequence[StoredChunk]]
    ) -> None:
        counter = self._parts.tools.counter
        cutter = MarkChunker(
            policy=self._project.settings.chunking.fitted(counter.window).along_headings(),
            embedding_model=self._project.settings.embedding_model,
            special_tokens=counter.special_tokens,
            count_all=counter.count_all,
            is_estimate=not counter.exact,
        )
        cut = [chunk for mark in marks for chunk in self._cut(mark, cutter)]
        check_room(self._parts.space, len(cut))
        documents: dict[str, list[EmbeddedChunk]] = {mark.doc_id: [] for mark in marks}
        for chunk in embed(cut, self._parts.tools.dense, self._parts.tools.sparse):
            documents[chunk.stored.chunk.doc_id].append(chunk)
        machines = {d: stored[d][0].machines for d in documents if d in stored}
        self._chunks.replace(documents, machines)
        for mark in marks:
            self._note(OutcomeState.INDEXED if documents[mark.doc_id] else None, mark)
        self._chunks.flush()

    def _cut(self, found_mark: FoundMark, cutter: MarkChunker) -> Iterator[StoredChunk]:
        mark, title, fingerprint = found_mark.mark, found_mark.title, self._fingerprint(found_mark)
        if isinstance(mark, ZoteroNote):
            chunks = cutter.note(mark, title=title, fingerprint=fingerprint)
        else:
            at = self._place(found_mark.entry, mark)
            if isinstance(mark, NoteQuote):
                chunks = cutter.quote(mark, title=title, at=at, fingerprint=fingerprint)
            else:
                chunks = cutter.annotation(mark, title=title, at=at, fingerprint=fingerprint)
        for chunk in chunks:
            yield StoredChunk(
                project_id=self._project.id,
                chunk=chunk,
                source_path=found_mark.source_path,
                citation=found_mark.citation,
                attachment_key=_attachment_of(mark),
                zotero_library=mark.library.path,
                embed_model=self._project.settings.embedding_model,
                sparse_model=self._project.settings.bound_sparse_model,
            )

    def _place(self, entry: ManifestEntry | None, mark: ZoteroAnnotation | NoteQuote) -> MarkPlace:
        """The page label that Zotero has, or where the document's own chunks have the page, or in a
        document without a layout on pages the words.
        """
        if label := own_label(mark):
            return MarkPlace(label=label)
        if entry is None:
            return MarkPlace()
        if entry.doc_id not in self._documents:
            document = self._project.index.scroll(self._chunks.name, self._chunks.of(entry.doc_id))
            self._documents[entry.doc_id] = _Places.of([stored.chunk for stored in document])
        places, page = self._documents[entry.doc_id], page_of(mark)
        if page is not None:
            return MarkPlace(label=places.labels.get(page, ""))
        quotation = plain(mark.text)
        if label := places.quoted.label_of(quotation):
            return MarkPlace(label=label)
        return MarkPlace(paragraphs=places.quoted.of(quotation))


@dataclass(frozen=True, slots=True)
class _Places:
    """The printed labels of a document's pages, and the paragraphs of one without pages."""

    labels: Mapping[int, str]
    quoted: QuotedParagraphs

    @staticmethod
    def of(chunks: Sequence[Chunk]) -> _Places:
        labels = {
            number: label
            for chunk in chunks
            if chunk.page_span and chunk.page_labels
            for number, label in enumerate(chunk.page_labels, start=chunk.page_span[0])
        }
        return _Places(labels, QuotedParagraphs(chunks))


def _batches(marks: Sequence[FoundMark]) -> Iterator[list[FoundMark]]:
    """The marks in batches; one with more text than a batch may have is one of its own."""
    batch: list[FoundMark] = []
    characters = 0
    for mark in marks:
        length = length_of(mark.mark)
        if batch and (len(batch) == _TOGETHER or characters + length > _CHARACTERS_TOGETHER):
            yield batch
            batch, characters = [], 0
        batch.append(mark)
        characters += length
    if batch:
        yield batch


def _attachment_of(mark: ZoteroAnnotation | ZoteroNote | NoteQuote) -> str | None:
    """The key of the attachment a mark is in, if that is of the mark's own library."""
    if isinstance(mark, ZoteroAnnotation):
        return mark.attachment
    if isinstance(mark, NoteQuote) and mark.attachment is not None:
        same = mark.attachment.group_id == mark.library.group_id
        return mark.attachment.key if same else None
    return None
