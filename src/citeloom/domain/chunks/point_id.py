"""Chunk ids from a template of the project's, so that they mean the same to other programs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from string import Formatter
from uuid import NAMESPACE_DNS, uuid5

from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.documents.metadata import MetadataSchema, MetadataValue
from citeloom.domain.errors import InvalidPointId

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_OF_CHUNK = ("section_title", "section_path", "chunk_index", "chunk_idx", "doc_id")


def template_fields(template: str) -> tuple[str, ...]:
    """The fields that a template names.

    Raises `ValueError` for one that names none or is malformed.
    """
    parsed = list(Formatter().parse(template))
    names = tuple(name for _, name, _, _ in parsed if name is not None)
    if not names or not all(_NAME.fullmatch(name) for name in names):
        raise ValueError("must name fields in braces, such as {id}:{section_title}:{chunk_index}")
    if any(form or conversion for _, _, form, conversion in parsed):
        raise ValueError("must name fields only, without a format")
    return names


def check_fields(template: str, schema: MetadataSchema) -> None:
    """Raise `ValueError` for a field that neither front matter nor a chunk has."""
    known = (*schema.fields, *_OF_CHUNK)
    for name in template_fields(template):
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "declare it under front_matter"
            raise ValueError(f"point_id names an unknown field '{name}'; {hint}")


def point_ids(
    template: str, chunks: Sequence[Chunk], metadata: Mapping[str, MetadataValue]
) -> list[str]:
    """The ids of a document's chunks. Where two would have the same, the second section of a title
    in a lesson is `Title (2)`, and so on.
    """
    plain = [point_id_of(template, chunk, metadata) for chunk in chunks]
    if len(set(plain)) == len(plain):
        return plain
    times = Counter[str]()
    ids = []
    for chunk in chunks:
        title = chunk.section_heading or ""
        times[title] += chunk.lesson is not None and chunk.lesson.chunk_index == 0
        ids.append(point_id_of(template, chunk, metadata, times[title]))
    return ids


def point_id_of(
    template: str, chunk: Chunk, metadata: Mapping[str, MetadataValue], section: int = 1
) -> str:
    """The UUIDv5, in the namespace of DNS, of the template filled in; `section` counts those of one
    title.

    Raises `InvalidPointId` where the document's metadata lacks a field.
    """
    known = {**metadata, **_of_chunk(chunk)}
    if section > 1:
        for name in ("section_title", "section_path"):
            known[name] = f"{known[name]} ({section})"
    missing = [name for name in template_fields(template) if name not in known]
    if missing:
        raise InvalidPointId(
            f"point_id = {template!r} needs the field {missing[0]}, which the front matter lacks",
            "Add it to the file, or take it out of point_id.",
        )
    return str(uuid5(NAMESPACE_DNS, template.format_map(known)))


def _of_chunk(chunk: Chunk) -> dict[str, str | int]:
    lesson = chunk.lesson
    return {
        "section_title": chunk.section_heading or "",
        "section_path": " > ".join(chunk.section_path),
        "chunk_index": lesson.chunk_index if lesson else chunk.chunk_idx,
        "chunk_idx": chunk.chunk_idx,
        "doc_id": chunk.doc_id,
    }


def check_distinct(chunks: Iterable[Chunk]) -> None:
    """Raise `InvalidPointId` if two chunks of a document have the same id."""
    seen: dict[str, Chunk] = {}
    for chunk in chunks:
        first = seen.setdefault(chunk.id, chunk)
        if first is not chunk:
            raise InvalidPointId(
                f"two of its chunks get the id {chunk.id}: {_place(first)} and {_place(chunk)}",
                "Rename one of the sections, or add {section_path} or {chunk_idx} to point_id.",
            )


def _place(chunk: Chunk) -> str:
    return f"'{chunk.section_heading or 'the beginning'}' (chunk {chunk.chunk_idx})"
