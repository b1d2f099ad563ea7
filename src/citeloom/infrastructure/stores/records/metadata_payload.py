"""The payload fields of a document's metadata, its lesson and its annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import fields as fields_of
from functools import lru_cache

from citeloom.domain.chunks.chunk import AnnotationRef, LessonPart
from citeloom.domain.documents.metadata import MetadataValue, number_of
from citeloom.domain.retrieval.filters import ADDED_DAY, CHUNK_FIELDS, SCOPE_KEYS

# Typed access to payload fields; a value of another type is a `TypeError` with its key.

Fields = Mapping[str, object]


def text(fields: Fields, key: str) -> str | None:
    """The text under `key`, None where there is none."""
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"'{key}' is not text")


def texts(fields: Fields, key: str) -> tuple[str, ...]:
    """The texts under `key`, in order; empty where there is none."""
    value = fields.get(key)
    if not value and (value is None or isinstance(value, list | tuple)):
        return ()
    if isinstance(value, list | tuple) and set(map(type, value)) == {str}:
        return tuple(value)
    raise TypeError(f"'{key}' is not a list of texts")


def whole(fields: Fields, key: str) -> int | None:
    """The whole number under `key`, None where there is none."""
    value = fields.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"'{key}' is not a whole number")


def wholes(fields: Fields, key: str) -> tuple[int, ...]:
    """The whole numbers under `key`, in order; empty where there is none."""
    value = fields.get(key)
    if value is None:
        return ()
    if isinstance(value, list | tuple) and set(map(type, value)) <= {int}:
        return tuple(value)
    raise TypeError(f"'{key}' is not a list of whole numbers")


def number(fields: Fields, key: str, *, default: float) -> float:
    """The number under `key`, `default` where there is none."""
    value = fields.get(key, default)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"'{key}' is not a number")


def required_text(fields: Fields, key: str) -> str:
    """The text under `key`; a `LookupError` where there is none."""
    value = text(fields, key)
    if not value:
        raise LookupError(f"it has no '{key}'")
    return value


def required_whole(fields: Fields, key: str) -> int:
    """The whole number under `key`; a `LookupError` where there is none."""
    value = whole(fields, key)
    if value is None:
        raise LookupError(f"it has no '{key}'")
    return value


_KEYS = ("chunk_index", "total_chunks", "enrichment_strategy")


def lesson_fields(lesson: LessonPart | None) -> dict[str, object]:
    """The fields of a part of a lesson; none for any other chunk."""
    if lesson is None:
        return {}
    done = lesson.enrichment_strategy
    return {
        "lesson_section_type": lesson.section_type.value,
        "chunk_index": lesson.chunk_index,
        "total_chunks": lesson.total_chunks,
        "enrichment_strategy": done.value if done else None,
    }


def lesson_of(fields: Fields) -> dict[str, object] | None:
    """The part of a lesson in a payload, if it is one."""
    if fields.get("lesson_section_type") is None:
        return None
    lesson = {key: fields[key] for key in _KEYS if fields.get(key) is not None}
    return lesson | {"section_type": fields["lesson_section_type"]}


_NAMES = {f"mark_{field.name}": field.name for field in fields_of(AnnotationRef)}


def mark_fields(mark: AnnotationRef | None) -> dict[str, object]:
    """The fields of a mark; none for a chunk of the document itself."""
    if mark is None:
        return {}
    return {
        "mark_key": mark.key,
        "mark_fingerprint": mark.fingerprint,
        "mark_parts": mark.parts,
        "mark_quotes": mark.quotes,
        "mark_comment": mark.comment,
        "mark_color": mark.color,
        "mark_tags": list(mark.tags),
        "mark_rects": [list(rect) for rect in mark.rects],
        "mark_annotation": mark.annotation or None,
    }


def mark_of(fields: Fields) -> dict[str, object] | None:
    """The fields of a payload's mark, if it has one."""
    if fields.get("mark_key") is None:
        return None
    mark: dict[str, object] = {
        name: fields[key] for key, name in _NAMES.items() if fields.get(key) is not None
    }
    return mark | {"quotes": fields.get("mark_quotes") is True}


METADATA = "metadata_"
NUMBER = "number_"
UNDECLARED = "undeclared_"
_LONG = ("summary", "llm_hints")


def metadata_fields(
    metadata: Mapping[str, MetadataValue], undeclared: Set[str] = frozenset()
) -> dict[str, object]:
    """The fields of a document's metadata."""
    fields: dict[str, object] = {}
    for name, value in metadata.items():
        stored = list(value) if isinstance(value, tuple) else value
        if name in undeclared:
            fields[UNDECLARED + name] = stored
            continue
        fields[METADATA + name] = stored
        number = number_of(value)
        if number is not None:
            fields[NUMBER + name] = number
    return fields


def is_number(key: str) -> bool:
    """Whether the values of a filterable key are numbers."""
    return key.startswith(NUMBER) or key == ADDED_DAY


def filterable_keys(payload: Fields) -> Iterator[str]:
    """The keys of a payload by which its metadata, and what the chunk is, are filtered; those of
    long texts are not.
    """
    yield from payload.keys() & (CHUNK_FIELDS.keys() | SCOPE_KEYS)
    for key in payload:
        name = key.removeprefix(METADATA)
        if key.startswith(NUMBER) or (
            key.startswith(METADATA) and name not in _LONG and NUMBER + name not in payload
        ):
            yield key


def metadata_of(fields: Fields) -> tuple[dict[str, object], tuple[str, ...]]:
    """The metadata in a payload, and the names of the undeclared fields among them."""
    declared, undeclared = _metadata_keys(tuple(fields))
    if not declared and not undeclared:
        return {}, ()
    names = tuple(key.removeprefix(UNDECLARED) for key in undeclared)
    metadata = {name: fields[key] for name, key in zip(names, undeclared)}
    return metadata | {key.removeprefix(METADATA): fields[key] for key in declared}, names


@lru_cache(maxsize=256)
def _metadata_keys(keys: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys of declared and of undeclared fields, once for all payloads with the same keys."""
    return (
        tuple(key for key in keys if key.startswith(METADATA)),
        tuple(key for key in keys if key.startswith(UNDECLARED)),
    )
