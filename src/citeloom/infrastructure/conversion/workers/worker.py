"""The worker process's side: runs tasks and reports to the parent."""

from __future__ import annotations

import gc
import os
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from citeloom.application.disk_space import is_out_of_room, no_room_for
from citeloom.application.ports.runtime import EmitEvent, Task, Work
from citeloom.domain.errors import CiteloomError, UnreadableDocument
from citeloom.infrastructure.child_process import end_with_parent, lower_priority

# Running the work on one task and catching its errors.


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


def attempt(work: Work[Any, Any, Any], task: Task, tools: object, emit: EmitEvent) -> Attempt:
    """Run the work; an error becomes part of the result, so that other documents continue."""
    try:
        return Attempt(result=work(task, tools, emit))
    except CiteloomError as error:
        return Attempt(error=error, trace=traceback.format_exc() if error.__cause__ else "")
    except OSError as error:
        if is_out_of_room(error):
            return Attempt(error=no_room_for(f"what is made of {task.name}"))
        return Attempt(error=_unexpected(task.name, error), trace=traceback.format_exc())
    except MemoryError:
        return Attempt(
            error=UnreadableDocument(
                f"{task.name} needs more memory than is available",
                "Close other programs, or exclude the file.",
            )
        )
    except Exception as error:  # noqa: BLE001 - reported, with its traceback in the log
        return Attempt(error=_unexpected(task.name, error), trace=traceback.format_exc())


def _unexpected(name: str, error: Exception) -> UnreadableDocument:
    return UnreadableDocument(
        f"{name} cannot be read because of a bug in citeloom ({type(error).__name__})",
        "Please report it with the --verbose log of this file; other files are not affected.",
    )


# a page is tens of thousands of letters and words; with Python's own thresholds an eighth of a
# conversion would go into looking for garbage among them
_GARBAGE_COLLECTION = (50_000, 20, 50)


@dataclass(frozen=True, slots=True)
class RunTask:
    """Parent to worker: run this work on a task."""

    work: Work[Any, Any, Any]
    task: Task


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to parent: ready for the first task."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Worker to parent: the tools cannot be built, and why; the worker exits."""

    reason: str


@dataclass(frozen=True, slots=True)
class Started:
    """Worker to parent: the work on the task has started."""


@dataclass(frozen=True, slots=True)
class Message:
    """Worker to parent: an event of the work."""

    event: object


@dataclass(frozen=True, slots=True)
class Finished:
    """Worker to parent: the task is done."""

    attempt: Attempt


def main(tasks: int, parent: int) -> None:
    """Build the tools by the factory that comes first, then run tasks until their pipe closes.

    `tasks` and `parent` are file descriptors; the second ends when the parent does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(parent)
    lower_priority()
    gc.set_threshold(*_GARBAGE_COLLECTION)
    # Output of libraries must not mix with the results on stdout.
    os.dup2(2, 1)
    pipe = Connection(tasks)
    try:
        tools = pipe.recv()()
    except Exception as error:  # noqa: BLE001 - the parent reports it
        pipe.send(Broken(f"{type(error).__name__}: {error}"))
        return
    pipe.send(Ready())
    while True:
        try:
            run: RunTask = pipe.recv()
        except EOFError:
            return
        pipe.send(Started())
        done = attempt(run.work, run.task, tools, lambda event: pipe.send(Message(event)))
        pipe.send(Finished(done))
