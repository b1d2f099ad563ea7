"""How sections are named so that a reader's words find them."""

from __future__ import annotations

import re

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z](?:\.\d+)*\.)\s+")


def section_keys(path: tuple[str, ...]) -> tuple[str, ...]:
    """The keys a chunk in section `path` is found under, from the root to the leaf.

    Case, numbering and spacing do not count:
    `("2 Methods", "2.1 Sampling")` → `("methods", "methods > sampling")`.
    """
    titles = [" ".join(_NUMBERING.sub("", title).casefold().split()) for title in path]
    return tuple(" > ".join(titles[: depth + 1]) for depth in range(len(titles)))
