"""LaTeX that stands in Markdown: R Markdown and Quarto hand it on as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

_WITH_WORDS = re.compile(r"\\[A-Za-z]*[cC]ite|\\[A-Za-z]*quote|\\begin\s*\{[a-z]*quot")
"""What cites or quotes; all other LaTeX stays as it is."""
_RULE = "\n\n\\hrule\n\n"
"""Parts the pieces of LaTeX, and becomes a block of its own."""


def with_latex_read(
    tree: Mapping[str, Any], read: Callable[[str], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The tree of a Markdown draft with what cites or quotes in its LaTeX, read together."""
    pieces = [*dict.fromkeys(piece for piece in _pieces(tree["blocks"]) if "\\hrule" not in piece)]
    if not pieces:
        return tree
    blocks = read(_RULE.join(pieces))["blocks"]
    runs = groupby(blocks, lambda block: block["t"] == "HorizontalRule")
    parts = [[*run] for is_rule, run in runs if not is_rule]
    if len(parts) != len(pieces):
        return tree
    return {**tree, "blocks": _replaced(tree["blocks"], dict(zip(pieces, parts)))}


def _pieces(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in node:
            yield from _pieces(one)
    elif isinstance(node, dict):
        if piece := _piece(node):
            yield piece
        else:
            yield from _pieces(node.get("c"))


def _piece(node: Mapping[str, Any]) -> str:
    """The LaTeX of a node that cites or quotes, of any other nothing."""
    if node.get("t") not in {"RawInline", "RawBlock"} or node["c"][0] not in {"tex", "latex"}:
        return ""
    return node["c"][1] if _WITH_WORDS.search(node["c"][1]) else ""


def _replaced(node: Any, read: Mapping[str, Sequence[Any]]) -> Any:
    if isinstance(node, dict):
        return {**node, "c": _replaced(node["c"], read)} if "c" in node else node
    if not isinstance(node, list):
        return node
    replaced = list[Any]()
    for one in node:
        blocks = read.get(_piece(one)) if isinstance(one, dict) else None
        if blocks is None:
            replaced.append(_replaced(one, read))
        elif one["t"] == "RawBlock":
            replaced += blocks
        else:
            replaced += (
                inline for block in blocks if block["t"] == "Para" for inline in block["c"]
            )
    return replaced
