"""Chunks of Zotero annotations and notes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from json import dumps

from citeloom.domain.chunks.chunk import AnnotationRef, Chunk, ChunkKind, chunk_id
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.notes import (
    NoteQuote,
    document_of_parts,
    note_document,
    with_scripts,
)
from citeloom.domain.chunks.pieces import CountAll
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.text.normal_form import letters_of
from citeloom.domain.zotero.items import ZoteroAnnotation, ZoteroNote

_FORMATTING = re.compile(r"</?(?:b|i|sub|sup)>")
_ELEMENT_OR_SPACE = re.compile(r"<[^<>]*>|&nbsp;|\s")
_MOST_CHARACTERS = 1_000_000
_MOST_MARKUP = 16 * _MOST_CHARACTERS  # older notes hold their images
_UNKNOWN_LABELS = ("", "-", "?")
_DOC_ID_DIGITS = 32


def mark_doc_id(library: str, key: str, kind: ChunkKind) -> str:
    """The stable document id that an annotation or a note is stored under."""
    parts = dumps((kind.value, library, key))
    return hashlib.sha256(parts.encode()).hexdigest()[:_DOC_ID_DIGITS]


def page_of(annotation: ZoteroAnnotation | NoteQuote) -> int | None:
    """The physical page, counted from 1, where the format has pages."""
    return None if annotation.page_index is None else annotation.page_index + 1


def own_label(annotation: ZoteroAnnotation | NoteQuote) -> str:
    """The page label in Zotero, if it differs from the physical page."""
    label, page = annotation.page_label.strip(), page_of(annotation)
    bare = label in _UNKNOWN_LABELS or (page is not None and label == str(page))
    return "" if bare else label


def plain(text: str) -> str:
    """The text of an annotation without Zotero's inline formatting."""
    return _FORMATTING.sub("", with_scripts(text)).strip()


def has_words(mark: ZoteroAnnotation | ZoteroNote) -> bool:
    """Whether there is text to embed: images and ink have only their comments."""
    if isinstance(mark, ZoteroNote):
        return bool(_ELEMENT_OR_SPACE.sub("", mark.html))
    return bool(plain(mark.text) or plain(mark.comment))


def length_of(mark: ZoteroAnnotation | ZoteroNote | NoteQuote) -> int:
    """The characters of a mark, markup not counted."""
    if isinstance(mark, ZoteroNote):
        return len(_ELEMENT_OR_SPACE.sub("", mark.html))
    comment = mark.remark if isinstance(mark, NoteQuote) else mark.comment
    return len(mark.text) + len(comment)


def is_too_long(mark: ZoteroAnnotation | ZoteroNote) -> bool:
    """Whether there is more text than a reader marks or writes: a pasted book, or a fault."""
    markup = len(mark.html) if isinstance(mark, ZoteroNote) else 0
    return markup > _MOST_MARKUP or length_of(mark) > _MOST_CHARACTERS


Paragraphs = tuple[Paragraph, Paragraph]


class QuotedParagraphs:
    """Where in a document without a layout on pages, of which these are the chunks, quotations
    stand: in which paragraphs, or on which page of its page list.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._texts = [(letters_of(chunk.text), chunk) for chunk in chunks if chunk.paragraphs]
        self._pages = [
            (letters_of(chunk.text[start:end]), label)
            for chunk in chunks
            if not chunk.boxes
            for label, (start, end) in zip(
                chunk.page_labels, pairwise((0, *chunk.page_starts, len(chunk.text)))
            )
        ]

    def label_of(self, quotation: str) -> str:
        """The label of the page that a quotation is on; empty where it is on none or several."""
        letters = letters_of(quotation)
        labels = {label for text, label in self._pages if letters and letters in text}
        return labels.pop() if len(labels) == 1 else ""

    def of(self, quotation: str) -> Paragraphs | None:
        """The paragraphs of a quotation; None where it stands nowhere, or in several places."""
        letters = letters_of(quotation)
        found = (chunk for text, chunk in self._texts if letters and letters in text)
        places = {paragraphs for chunk in found if (paragraphs := _narrowed(chunk, letters))}
        return places.pop() if len(places) == 1 else None


def _narrowed(chunk: Chunk, letters: str) -> Paragraphs | None:
    """The paragraph of a chunk that has the letters, or all of them where they cannot be counted:
    a text has its heading and then a part for each.
    """
    if chunk.paragraphs is None:
        return None
    first, last = chunk.paragraphs
    parts = chunk.text.split("\n\n")
    count = last.number - first.number + 1
    if first.section != last.section or len(parts) - count not in (0, 1):
        return chunk.paragraphs
    for number, part in enumerate(parts[-count:], start=first.number):
        if letters in letters_of(part):
            paragraph = replace(first, number=number)
            return paragraph, paragraph
    return chunk.paragraphs


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkPlace:
    """Where a mark stands in its work: on a page with the printed `label`, or without pages in
    these paragraphs.
    """

    label: str = ""
    paragraphs: Paragraphs | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    kind: ChunkKind
    page: int | None
    at: MarkPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkChunker:
    """Makes chunks of annotations and notes; none is left out for being short.

    `policy` is fitted to the window of the model; `count_all` counts as that model does.
    """

    policy: ChunkingPolicy
    embedding_model: str
    special_tokens: int
    count_all: CountAll
    is_estimate: bool = False

    def annotation(
        self, annotation: ZoteroAnnotation, *, title: str, at: MarkPlace, fingerprint: str
    ) -> tuple[Chunk, ...]:
        """The chunks of an annotation of the work `title`.

        Highlight and comment are one chunk if they fit, else they have chunks of their own.
        """
        mark = AnnotationRef(
            key=annotation.key,
            fingerprint=fingerprint,
            color=annotation.color,
            tags=tuple(tag.name for tag in annotation.tags),
            rects=annotation.rects,
        )
        texts = plain(annotation.text), plain(annotation.comment)
        place = _Place(kind=ChunkKind.ANNOTATION, page=page_of(annotation), at=at)
        doc_id = mark_doc_id(annotation.library.path, annotation.key, ChunkKind.ANNOTATION)
        return self._quote_chunks(doc_id, texts, title, mark, place)

    def quote(
        self, quote: NoteQuote, *, title: str, at: MarkPlace, fingerprint: str
    ) -> tuple[Chunk, ...]:
        """The chunks of a quotation in a note, with the remark on it as with an annotation."""
        mark = AnnotationRef(
            key=quote.note.key,
            fingerprint=fingerprint,
            color=quote.color,
            tags=tuple(tag.name for tag in quote.tags),
            annotation=quote.annotation,
        )
        place = _Place(kind=ChunkKind.NOTE, page=page_of(quote), at=at)
        doc_id = mark_doc_id(quote.library.path, quote.key, ChunkKind.NOTE)
        return self._quote_chunks(doc_id, (quote.text, quote.remark), title, mark, place)

    def _quote_chunks(
        self, doc_id: str, texts: tuple[str, str], title: str, mark: AnnotationRef, place: _Place
    ) -> tuple[Chunk, ...]:
        """The chunks of what is quoted and of what is said of it: one if they fit."""
        quoted, comments = (
            self._split(
                document_of_parts(
                    doc_id, [(BlockKind.PARAGRAPH, 0, text)] if text else [], title=title
                )
            )
            for text in texts
        )
        of_work, parts = replace(mark, quotes=True), tuple[Chunk, ...]()
        if len(quoted) == len(comments) == 1:
            both = replace(quoted[0], mark=replace(of_work, comment=comments[0].text))
            tokens = self.count_all([both.embedding_text])[0] + self.special_tokens
            if tokens <= self.policy.size:
                parts = (replace(both, token_count=tokens),)
        if not parts:
            parts = (
                *(replace(chunk, mark=of_work) for chunk in quoted),
                *(replace(chunk, mark=mark) for chunk in comments),
            )
        span = None if place.page is None else (place.page, place.page)
        placed = []
        for index, chunk in enumerate(parts):
            identity = chunk_id(
                doc_id=doc_id,
                page_span=span,
                section_path=(),
                embedding_model=self.embedding_model,
                index=index,
            )
            placed.append(
                replace(
                    chunk,
                    id=identity,
                    chunk_idx=index,
                    kind=place.kind,
                    page_span=span,
                    paragraphs=place.at.paragraphs,
                    page_labels=(place.at.label,) if place.at.label else (),
                )
            )
        return _in_parts(placed)

    def note(self, note: ZoteroNote, *, title: str, fingerprint: str) -> tuple[Chunk, ...]:
        """The chunks of a note on the work `title`, split at its headings; none without text."""
        mark = AnnotationRef(
            key=note.key, fingerprint=fingerprint, tags=tuple(tag.name for tag in note.tags)
        )
        doc_id = mark_doc_id(note.library.path, note.key, ChunkKind.NOTE)
        cut = self._split(note_document(doc_id, note.html, title=title))
        return _in_parts(replace(chunk, kind=ChunkKind.NOTE, mark=mark) for chunk in cut)

    def _split(self, document: ConversionResult) -> tuple[Chunk, ...]:
        """The document's chunks, however short, as paragraphs without a mark."""
        if not document.blocks:
            return ()
        policy = replace(self.policy, min_chunk_tokens=1, min_signal_to_noise=0.0)
        chunked = chunk_document(
            document,
            policy=policy,
            embedding_model=self.embedding_model,
            special_tokens=self.special_tokens,
            count_all=self.count_all,
            is_estimate=self.is_estimate,
        )
        return chunked.chunks


def _in_parts(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a mark, each with their number."""
    chunks = tuple(chunks)
    return tuple(
        replace(chunk, mark=chunk.mark and replace(chunk.mark, parts=len(chunks)))
        for chunk in chunks
    )
