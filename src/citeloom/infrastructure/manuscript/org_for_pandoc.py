"""Org with the citations of org-ref, and LaTeX's, as Org itself has them."""

from __future__ import annotations

import re

_LINK = re.compile(
    r"\[\[(?P<name>[A-Za-z]*cite[A-Za-z]*\*?):(?P<keys>[^\[\]\n]+)\](?:\[(?P<behind>[^\[\]\n]*)\])?\]"
)
_BARE = re.compile(r"(?<![\w\[/:])(?P<name>[A-Za-z]*cite[A-Za-z]*\*?):(?P<keys>[&\w][\w:,.&-]*\w)")
_LATEX = re.compile(
    r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?P<options>(?:\[[^\[\]\n]*\]){0,2})\{(?P<keys>[^{}\n]+)\}"
)
_COMMA = re.compile(r"(\[cite[^\[\]\n:]{0,20}:@[\w:.-]+),\s*(?=@\w)")
_EMPHASIS = re.compile(
    r"(?P<kept>^\*+[ \t]|^[ \t]*\|-[^\n]*|\[\[[^\[\]\n]*\])"
    r"|(?<![^\s({'\"\u201c|-])(?:(?P<plus>\+)(?=\d)|[*/_+]+(?=[^\s*/_+]))"
    r"|(?<=[^\s*/_+])[*/_+]+(?![^\s.,;:!?'\")}\u201d|-])",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"^(\s*)\\(?:sub)?paragraph\*?\{([^{}\n]*)\}", re.MULTILINE)


def prepared_org(text: str) -> str:
    """The text with citations of org-ref as `[cite:@key p. 4]`, without LaTeX's headings, and
    without emphasis: marks that never close take Pandoc more than twice as long each.
    """
    text = _EMPHASIS.sub(lambda mark: mark["kept"] or ("\\plus{}" if mark["plus"] else ""), text)
    text = _PARAGRAPH.sub(r"\1\2 ", text)
    text = _COMMA.sub(r"\1; ", text)
    text = _LINK.sub(_cite, text)
    text = _BARE.sub(_cite, text)
    return _LATEX.sub(_cite, text)


def _cite(match: re.Match[str]) -> str:
    keys, groups = match["keys"], match.groupdict()
    parts = keys.split(";") if "&" in keys else keys.split(",")
    cited = [_with_at(part.strip()) for part in parts]
    behind = (groups.get("behind") or "").replace("::", " ").strip()
    options = re.findall(r"\[([^\[\]]*)\]", groups.get("options") or "")
    behind = behind or (options[-1] if options else "")
    if behind[:1].isdigit():
        behind = f"p. {behind}"
    prefix = f"{options[0]} " if len(options) > 1 and options[0] else ""
    return f"[cite:{prefix}{'; '.join(cited)}{f' {behind}' if behind else ''}]"


def _with_at(part: str) -> str:
    """`see &key p. 4` or `key` with `@` before its key."""
    return part.replace("&", "@", 1) if "&" in part else f"@{part}"
