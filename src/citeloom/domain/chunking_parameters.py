"""The chunking strategies by name, and the parameters that each has of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class StrategyName(StrEnum):
    """How a document is divided."""

    HEADINGS = "headings"
    SECTIONS = "sections"
    LESSONS = "lessons"
    CHARACTERS = "characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionParameters:
    """Parameters of `sections`.

    Chunks are aimed at `target_tokens`, the least and the most; without it each section stands
    alone.
    """

    target_tokens: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.target_tokens and not 1 <= self.target_tokens[0] <= self.target_tokens[1]:
            raise ValueError("target_tokens must be two numbers, the smaller first")

    def check(self, least: int, most: int) -> None:
        """Raise `ValueError` unless the target lies between the smallest and the largest chunk."""
        low, high = self.target_tokens or (least, most)
        if low < least or high > most:
            raise ValueError(
                f"target_tokens ({low} to {high}) must lie between min_chunk_tokens ({least}) "
                f"and max_tokens ({most})"
            )

    def within(self, least: int, most: int) -> SectionParameters:
        """A target that reaches above `most`, in proportion."""
        if self.target_tokens is None or self.target_tokens[1] <= most:
            return self
        low, high = self.target_tokens
        return replace(self, target_tokens=(min(max(low * most // high, least), most), most))


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonParameters:
    """Parameters of `lessons`.

    A section whose title holds one of `structural_titles` is structural; if it has less than
    `enrich_below` tokens, the `context_fields` of the document's metadata and all titles above are
    embedded before it. A code-heavy section of more than `split_code_above` tokens is divided.
    """

    structural_titles: tuple[str, ...] = (
        "Learning Objectives",
        "Key Takeaways",
        "Check Your Understanding",
        "Next Steps",
        "Prerequisites",
        "Summary",
    )
    enrich_below: int = 250
    split_code_above: int = 700
    context_fields: tuple[str, ...] = ("module", "chapter", "title")

    def __post_init__(self) -> None:
        if self.enrich_below < 0:
            raise ValueError("enrich_below must not be negative")
        if self.split_code_above < 1:
            raise ValueError("split_code_above must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterParameters:
    """Parameters of `characters`: the longest chunk and the overlap, both in characters."""

    chunk_characters: int = 1000
    overlap_characters: int = 150

    def __post_init__(self) -> None:
        if self.chunk_characters < 1:
            raise ValueError("chunk_characters must be at least 1")
        if not 0 <= self.overlap_characters < self.chunk_characters:
            raise ValueError(
                f"overlap_characters ({self.overlap_characters}) must lie in "
                f"0..{self.chunk_characters - 1}, below chunk_characters"
            )
