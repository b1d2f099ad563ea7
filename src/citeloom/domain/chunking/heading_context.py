"""The title and headings that are put before a text for embedding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.chunking.budget import CountAll, TokenBudget
from citeloom.domain.conversion import BlockKind, ConversionResult

_SHARE = 4
"""Heading context takes at most one part in so many of a chunk; outer headings go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingContext:
    """What is put before a text, and the tokens it costs."""

    titles: tuple[str, ...]
    tokens: int


def contexts_of(
    result: ConversionResult, budget: TokenBudget
) -> Mapping[int | None, HeadingContext]:
    """The context of each section that has text."""
    depth = budget.policy.heading_context
    most = budget.size // _SHARE
    title = title_of(result)
    contexts = {}
    for section in {block.section for block in result.blocks}:
        titles = (*title, *_below_title(result, section)[-depth:]) if depth else ()
        contexts[section] = fitted_context(titles, most, budget.count_all)
    return contexts


def _below_title(result: ConversionResult, section: int | None) -> tuple[str, ...]:
    """The path of a section without the heading that is the document's title."""
    path = result.section_path(section)
    titles = {heading.title for heading in result.headings if heading.is_title}
    return path[1:] if titles.issuperset(path[:1]) else path


def longest_context(contexts: Mapping[int | None, HeadingContext]) -> int:
    """The tokens of the longest context."""
    return max((context.tokens for context in contexts.values()), default=0)


def context_cost(titles: tuple[str, ...], count_all: CountAll) -> int:
    """The tokens of titles put before a text."""
    return count_all([" > ".join(titles)])[0] if titles else 0


def fitted_context(titles: tuple[str, ...], most: int, count_all: CountAll) -> HeadingContext:
    """The titles as far as they fit into `most` tokens; outer ones go first."""
    while titles and context_cost(titles, count_all) > most:
        titles = titles[1:]
    return HeadingContext(titles=titles, tokens=context_cost(titles, count_all))


def title_of(result: ConversionResult) -> tuple[str, ...]:
    """The document's title on one line, if it has one.

    Without pages, the title in the metadata will do: front matter is shown as the title. That
    of a PDF is too often another's.
    """
    titles = [result.text_of(b) for b in result.blocks if b.kind is BlockKind.TITLE]
    if not result.page_count:
        titles.append(result.embedded.title)
    return tuple(" ".join(title.split()) for title in titles if title.strip())[:1]
