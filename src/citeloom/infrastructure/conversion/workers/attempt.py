"""Work on one task, whatever comes of it."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from citeloom.application.ports.executor import Task, Tell, Work
from citeloom.domain.errors import CiteloomError, UnreadableDocument


class Attempt(NamedTuple):
    """A result, or the error of the task; `trace` says which error of a library it was."""

    result: object = None
    error: CiteloomError | None = None
    trace: str = ""


def attempt(work: Work[Any, Any, Any], task: Task, tools: object, tell: Tell) -> Attempt:
    """Do the work; one document that breaks it must not stop the rest."""
    try:
        return Attempt(result=work(task, tools, tell))
    except CiteloomError as error:
        return Attempt(error=error, trace=traceback.format_exc() if error.__cause__ else "")
    except MemoryError:
        return Attempt(error=_too_big(task.name))
    except Exception as error:  # noqa: BLE001 - the report names it, the log has its trace
        return Attempt(error=_unforeseen(task.name, error), trace=traceback.format_exc())


def _too_big(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} needs more memory than there is",
        "End other programs, or leave the file out.",
    )


def _unforeseen(name: str, error: Exception) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} cannot be read because of a fault in citeloom ({type(error).__name__})",
        "Please report it, with what --verbose logs of this file; the others go on.",
    )
