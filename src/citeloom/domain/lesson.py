"""What a chunk of a lesson holds: its type, its part of the section, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LessonType(StrEnum):
    """What a section of a lesson is for."""

    STRUCTURAL = "structural"
    INSTRUCTIONAL = "instructional"
    CODE_HEAVY = "code_heavy"


class Enrichment(StrEnum):
    """What was done to a section that is too short or too long to be found by itself."""

    CONTEXT_INJECTION = "context_injection"
    OVERLAPPING_WINDOWS = "overlapping_windows"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPart:
    """A section of a lesson, or one of the `total_chunks` that a long section is divided into.

    `chunk_index` is counted from 0 within the section. Injected context is embedded before the
    text and never part of it.
    """

    section_type: LessonType
    chunk_index: int = 0
    total_chunks: int = 1
    enrichment_strategy: Enrichment | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.chunk_index < self.total_chunks:
            raise ValueError(f"there is no part {self.chunk_index} of {self.total_chunks}")
