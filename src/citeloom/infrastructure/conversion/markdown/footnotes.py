"""Footnotes of Markdown: `[^1]: A note.`, which CommonMark takes for the target of a link."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

_LABEL = re.compile(r"\[\^[^\]\s]+\]:")


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A footnote up to the next blank line or the next footnote, with its label."""
    if state.is_code_block(start) or not _LABEL.match(_text(state, start)):
        return False
    if silent:
        return True
    last = start + 1
    while last < end and not state.isEmpty(last) and not _LABEL.match(_text(state, last)):
        last += 1
    state.push("footnote_open", "p", 1).map = [start, last]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, last, state.blkIndent, False).strip()
    inline.map, inline.children = [start, last], []
    state.push("footnote_close", "p", -1)
    state.line = last
    return True


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
