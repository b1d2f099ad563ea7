"""The payload fields of a part of a lesson."""

from __future__ import annotations

from citeloom.domain.lesson import LessonPart
from citeloom.infrastructure.stores.records.fields import Fields

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
