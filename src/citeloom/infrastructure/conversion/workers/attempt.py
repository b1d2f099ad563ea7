"""Running the work on one task and catching its errors."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from citeloom.application.disk_room import is_out_of_room, no_room_for
from citeloom.application.ports.executor import Task, Tell, Work
from citeloom.domain.errors import CiteloomError, UnreadableDocument


class Attempt(NamedTuple):
    """The result or the error of a task; `trace` is the traceback of an unexpected error.

    `page` is the page that stopped the work, 0 if none did; with `rest`, no time is left for the
    pages after it either.
    """

    result: object = None
    error: CiteloomError | None = None
    trace: str = ""
    page: int = 0
    rest: bool = False


def attempt(work: Work[Any, Any, Any], task: Task, tools: object, tell: Tell) -> Attempt:
    """Run the work; an error becomes part of the result, so that other documents continue."""
    try:
        return Attempt(result=work(task, tools, tell))
    except CiteloomError as error:
        return Attempt(error=error, trace=traceback.format_exc() if error.__cause__ else "")
    except OSError as error:
        if is_out_of_room(error):
            return Attempt(error=no_room_for(f"what is made of {task.name}"))
        return Attempt(error=_unexpected(task.name, error), trace=traceback.format_exc())
    except MemoryError:
        return Attempt(error=_out_of_memory(task.name))
    except Exception as error:  # noqa: BLE001 - reported, with its traceback in the log
        return Attempt(error=_unexpected(task.name, error), trace=traceback.format_exc())


def _out_of_memory(name: str) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} needs more memory than is available",
        "Close other programs, or exclude the file.",
    )


def _unexpected(name: str, error: Exception) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} cannot be read because of a bug in citeloom ({type(error).__name__})",
        "Please report it with the --verbose log of this file; other files are not affected.",
    )
