"""Hints for those who call tools, where the library's own name commands and flags."""

from __future__ import annotations

import re

_IN_TOOLS = (
    (re.compile(r"`?--mode dense`?"), "the tool query"),
    (re.compile(r"`citeloom ingest`|citeloom ingest --project \S+ FOLDER"), "ingest_from_source"),
    (re.compile(r"`citeloom zotero collections`"), "zotero_search with what=collections"),
    (re.compile(r"`citeloom validate`"), "validate"),
    (re.compile(r"(?<!citeloom )(?<!\S)with --project:"), "as project, or see list_projects:"),
    (re.compile(r"\(--top-k\)"), "(top_k)"),
)
_COMMAND = re.compile(r"\bciteloom [a-z]|(?<![\w-])--[a-z]")
_TERMINAL = "(Commands and flags are for a terminal: ask the user.)"


def for_assistants(hint: str) -> str:
    """The hint with tools in the place of the commands that have one; of any other it says that it
    is for a terminal.
    """
    for pattern, tool in _IN_TOOLS:
        hint = pattern.sub(tool, hint)
    return f"{hint} {_TERMINAL}" if _COMMAND.search(hint) else hint
