"""The table [chunking] of citeloom.toml."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from citeloom.domain.chunking_parameters import (
    CharacterParameters,
    LessonParameters,
    SectionParameters,
    StrategyName,
)
from citeloom.domain.policies import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_SECTION_TOKENS,
    ChunkingPolicy,
)
from citeloom.infrastructure.settings.values import Count, CountOrZero, Share, Table, Texts

_CHUNKING = ChunkingPolicy()
_LESSONS = LessonParameters()
_CHARACTERS = CharacterParameters()


class ChunkingTable(Table):
    """How documents are split into chunks. Sizes are in tokens of the embedding model."""

    strategy: Literal["headings", "sections", "lessons", "characters"] = Field(
        default="headings",
        description="How a document is divided: evenly along its headings, into whole sections, "
        "into typed H2 sections, or after so many characters.",
    )
    max_tokens: Count | None = Field(
        default=None,
        examples=[DEFAULT_MAX_TOKENS],
        description="Largest chunk, headings included. Unset, it follows the model: "
        f"{DEFAULT_MAX_TOKENS} along headings and {DEFAULT_SECTION_TOKENS} else, or its window if "
        "that is smaller.",
    )
    overlap_tokens: CountOrZero = Field(
        default=_CHUNKING.overlap_tokens,
        description="Tokens repeated from the preceding chunk, for context.",
    )
    heading_context: CountOrZero = Field(
        default=_CHUNKING.heading_context,
        description="Number of ancestor headings put before a chunk's text for embedding.",
    )
    min_chunk_tokens: Count = Field(
        default=_CHUNKING.min_chunk_tokens,
        description="Smallest chunk; a shorter one is merged with a neighbour, or else left out. "
        "Of the other strategies only `sections` with target_tokens merges, and none leaves out.",
    )
    min_signal_to_noise: Share = Field(
        default=_CHUNKING.min_signal_to_noise,
        description="Least share of meaningful characters; a chunk below it is left out.",
    )
    target_tokens: tuple[Count, Count] | None = Field(
        default=None,
        examples=[[300, 500]],
        description="`sections`: the sizes to aim at. Short neighbours are joined, long sections "
        "divided; max_tokens is then a fifth above the larger unless set. Unset, each section "
        "stands alone.",
    )
    structural_titles: Texts = Field(
        default=_LESSONS.structural_titles,
        description="`lessons`: a section whose title holds one of these is structural; one of the "
        "others with two code blocks is code-heavy, any other instructional.",
    )
    enrich_below: CountOrZero = Field(
        default=_LESSONS.enrich_below,
        description="`lessons`: a structural section of fewer tokens is embedded after the "
        "context_fields and the titles above it; its text stays as it is.",
    )
    context_fields: Texts = Field(
        default=_LESSONS.context_fields,
        description="`lessons`: the front-matter fields embedded before short structural sections.",
    )
    split_code_above: Count = Field(
        default=_LESSONS.split_code_above,
        description="`lessons`: a code-heavy section of more tokens is divided into overlapping "
        "windows.",
    )
    chunk_characters: Count = Field(
        default=_CHARACTERS.chunk_characters,
        description="`characters`: the longest chunk, in characters.",
    )
    overlap_characters: CountOrZero = Field(
        default=_CHARACTERS.overlap_characters,
        description="`characters`: what a chunk repeats at most of the one before.",
    )

    def policy(self) -> ChunkingPolicy:
        """The domain's policy. Raises `ValueError` when the values contradict each other."""
        return self.made_into(
            ChunkingPolicy,
            strategy=StrategyName(self.strategy),
            sections=self.made_into(SectionParameters),
            lessons=self.made_into(LessonParameters),
            characters=self.made_into(CharacterParameters),
        )
