"""The documented JSON of an error, the same on every door."""

from __future__ import annotations

import re

from citeloom.domain.errors import CiteloomError


def error_json(error: BaseException, correlation_id: str) -> dict[str, object]:
    """Code, message, hint and correlation id; of an error that is none of citeloom's, only that it
    happened.
    """
    known = error if isinstance(error, CiteloomError) else _FAULT
    return {
        "code": known.code,
        "message": known.message,
        "hint": known.hint,
        "correlation_id": correlation_id,
    }


_FAULT = CiteloomError(
    "a fault in citeloom ended the call", "The log has the details under the correlation id."
)


_COMMAND = re.compile(r"\bciteloom [a-z]+")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_PARAMETERS = frozenset(
    {"force", "limit", "mode", "project", "prune", "restore", "retry-failed", "section", "top-k"}
    | {"where", "zotero"}
)
_FOR_THE_HOST = "The command is for whoever runs the server."


def hint_for_clients(hint: str) -> str:
    """A hint for those who have no command line: options become parameters, and a command is said
    to be for whoever runs the server.
    """
    command = _COMMAND.search(hint)
    before = hint[: command.start()] if command else hint
    renamed = _OPTION.sub(_parameter, before) + hint[len(before) :]
    if command is None and not _OPTION.search(renamed):
        return renamed
    return f"{renamed.rstrip()}{'' if renamed.rstrip().endswith('.') else '.'} {_FOR_THE_HOST}"


def _parameter(option: re.Match[str]) -> str:
    return option[1].replace("-", "_") if option[1] in _PARAMETERS else option[0]
