"""The strategy `lessons`: H2 sections, typed, the short ones enriched and the long ones divided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from citeloom.domain.chunking.budget import TokenBudget
from citeloom.domain.chunking.by_sections import in_sections
from citeloom.domain.chunking.drafts import Draft, drafts_of
from citeloom.domain.chunking.heading_context import (
    HeadingContext,
    contexts_of,
    fitted_context,
    longest_context,
    title_of,
)
from citeloom.domain.chunking.lesson_sections import LessonSection, lesson_sections
from citeloom.domain.chunking.pieces import pieces_of
from citeloom.domain.chunking.strategy import Division, Metadata
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.lesson import Enrichment, LessonPart, LessonType


def as_lesson(result: ConversionResult, metadata: Metadata, budget: TokenBudget) -> Division:
    """Make each H2 section a chunk with its type, and divide those that are too long.

    A short structural section is embedded after the lesson's module, chapter and titles; a
    code-heavy one above its limit, and any above the budget, becomes overlapping windows.
    """
    parameters = budget.policy.lessons
    code = budget.up_to(parameters.split_code_above)
    contexts = contexts_of(result, code)
    longest = code.longest_piece(longest_context(contexts))
    pieces = in_sections(pieces_of(result, limit=longest, count_all=budget.count_all))
    drafts: list[Draft] = []
    split = 0
    for section in lesson_sections(result, pieces, parameters, longest):
        is_code = section.type is LessonType.CODE_HEAVY
        made = _windows(result, section, contexts, code if is_code else budget)
        if _is_short_structural(section, made, parameters.enrich_below):
            known = _values(metadata, parameters.context_fields)
            above = (*title_of(result), *result.section_path(section.heading))
            made = [_enriched(made[0], (*known, *above), budget)]
        split += len(made) > 1
        drafts.extend(made)
    return Division(pieces=pieces, drafts=drafts, split=split)


def _windows(
    result: ConversionResult,
    section: LessonSection,
    contexts: Mapping[int | None, HeadingContext],
    budget: TokenBudget,
) -> list[Draft]:
    """The section as one draft, or as overlapping ones that fit."""
    context = {piece.section: contexts[section.heading] for piece in section.run.pieces}
    drafts = drafts_of(result, [section.run], context, budget)
    done = Enrichment.OVERLAPPING_WINDOWS if len(drafts) > 1 else None
    return [
        replace(
            draft,
            section=section.heading,
            lesson=LessonPart(
                section_type=section.type,
                chunk_index=index,
                total_chunks=len(drafts),
                enrichment_strategy=done,
            ),
        )
        for index, draft in enumerate(drafts)
    ]


def _is_short_structural(section: LessonSection, drafts: list[Draft], least: int) -> bool:
    is_whole = len(drafts) == 1 and drafts[0].tokens < least
    return section.type is LessonType.STRUCTURAL and is_whole


def _values(metadata: Metadata, names: tuple[str, ...]) -> list[str]:
    """The fields that the metadata has, each on one line."""
    values = (metadata.get(name, "") for name in names)
    texts = (", ".join(one) if isinstance(one, tuple) else str(one) for one in values)
    return [line for text in texts if (line := " ".join(text.split()))]


def _enriched(draft: Draft, titles: tuple[str, ...], budget: TokenBudget) -> Draft:
    """The draft with titles embedded before it, each once, as far as they fit."""
    room = budget.room(draft.tokens)
    context = fitted_context(tuple(dict.fromkeys(titles)), room, budget.count_all)
    lesson = draft.lesson and replace(
        draft.lesson, enrichment_strategy=Enrichment.CONTEXT_INJECTION
    )
    return replace(draft, context=context.titles, context_tokens=context.tokens, lesson=lesson)
