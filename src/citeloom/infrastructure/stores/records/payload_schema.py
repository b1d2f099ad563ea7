"""What schema version 1 demands of a payload, and where one falls short of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from citeloom.domain.project import SCHEMA_VERSION
from citeloom.infrastructure.stores.records.nested_payload import is_nested

_Test = Callable[[object], bool]
_BOX_SIZE = 5


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_list_of(test: _Test) -> _Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_yes_or_no(value: object) -> bool:
    return isinstance(value, bool)


def _is_box(value: object) -> bool:
    return _is_list_of(_is_number)(value) and isinstance(value, list) and len(value) == _BOX_SIZE


_TEXTS = ("text list", _is_list_of(_is_text))
_TEXT = ("text", _is_text)
_WHOLE = ("whole number", _is_whole)
_YES_OR_NO = ("yes or no", _is_yes_or_no)
_NUMBERS = _is_list_of(_is_number)

REQUIRED: Mapping[str, tuple[str, _Test]] = {
    "version": _TEXT,
    "project_id": _TEXT,
    "doc_id": _TEXT,
    "chunk_id": _TEXT,
    "chunk_idx": _WHOLE,
    "source_path": _TEXT,
    "page_labels": _TEXTS,
    "section_path": _TEXTS,
    "section_keys": _TEXTS,
    "heading_chain": _TEXTS,
    "boxes": ("list of boxes", _is_list_of(_is_box)),
    "chunk_text": _TEXT,
    "token_count": _WHOLE,
    "signal_to_noise": ("number", _is_number),
    "kind": _TEXT,
    "embed_model": _TEXT,
}
ON_PAGES: Mapping[str, tuple[str, _Test]] = {"page_start": _WHOLE, "page_end": _WHOLE}
IN_PARAGRAPHS: Mapping[str, tuple[str, _Test]] = {
    "section_start": _TEXT,
    "paragraph_start": _WHOLE,
    "section_end": _TEXT,
    "paragraph_end": _WHOLE,
}
OPTIONAL: Mapping[str, tuple[str, _Test]] = {
    "attachment_key": _TEXT,
    "zotero_library": _TEXT,
    "machines": _TEXTS,
    "sparse_model": _TEXT,
    "citekey": _TEXT,
    "title": _TEXT,
    "authors": _TEXTS,
    "year": _WHOLE,
    "doi": _TEXT,
    "url": _TEXT,
    "tags": _TEXTS,
    "collections": _TEXTS,
    "language": _TEXT,
    "container": _TEXT,
    "pages": _TEXT,
    "item_key": _TEXT,
    "citekey_made_up": _YES_OR_NO,
    "more_authors": _YES_OR_NO,
    "attachment": _TEXT,
    "mark_annotation": _TEXT,
    "token_count_estimated": _YES_OR_NO,
    "lesson_section_type": _TEXT,
    "chunk_index": _WHOLE,
    "total_chunks": _WHOLE,
    "enrichment_strategy": _TEXT,
    "start_position": _WHOLE,
    "end_position": _WHOLE,
    "heading_level": _WHOLE,
    "section_type": _TEXT,
    "page_starts": ("list of whole numbers", _is_list_of(_is_whole)),
}
OF_MARKS: Mapping[str, tuple[str, _Test]] = {
    "mark_key": _TEXT,
    "mark_fingerprint": _TEXT,
    "mark_parts": _WHOLE,
    "mark_quotes": _YES_OR_NO,
    "mark_comment": _TEXT,
    "mark_color": _TEXT,
    "mark_tags": _TEXTS,
    "mark_rects": ("list of rectangles", _is_list_of(_NUMBERS)),
}
"""What annotations and notes have besides; they may be without a place."""


def payload_faults(payload: Mapping[str, object]) -> tuple[str, ...]:
    """What is missing or of another type; a key with None counts as missing."""
    if is_nested(payload):
        return ("it is of the older nested form",)
    version = payload.get("version")
    if version is not None and version != SCHEMA_VERSION:
        return (f"it has schema version {version}, not {SCHEMA_VERSION}",)
    required = {**REQUIRED, **_special(payload)}
    missing = [f"'{key}' is missing" for key in required if payload.get(key) is None]
    wrong = [
        f"'{key}' is no {kind}"
        for key, (kind, test) in {**required, **OPTIONAL}.items()
        if payload.get(key) is not None and not test(payload[key])
    ]
    return (*missing, *wrong)


def _special(payload: Mapping[str, object]) -> Mapping[str, tuple[str, _Test]]:
    """What is demanded of a chunk of its kind: a place, of annotations and notes also a mark."""
    place = IN_PARAGRAPHS if "paragraph_start" in payload else ON_PAGES
    if "mark_key" not in payload:
        return place
    placed = place.keys() & payload.keys()
    return {**place, **OF_MARKS} if placed else OF_MARKS
