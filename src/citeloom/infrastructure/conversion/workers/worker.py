"""The worker process's side: runs jobs and reports to the parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from citeloom.application.ports.executor import Task, Work
from citeloom.infrastructure.conversion.workers.attempt import Attempt, attempt

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Job:
    """Parent to worker: run this work on a task."""

    work: Work[Any, Any, Any]
    task: Task


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to parent: ready for the first job."""


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
    """Worker to parent: the job is done."""

    attempt: Attempt


def main(jobs: int, parent: int) -> None:
    """Build the tools by the factory that comes first, then run jobs until their pipe closes.

    `jobs` and `parent` are file descriptors; the second ends when the parent does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent(parent)
    # Output of libraries must not mix with the results on stdout.
    os.dup2(2, 1)
    pipe = Connection(jobs)
    try:
        tools = pipe.recv()()
    except Exception as error:  # noqa: BLE001 - the parent reports it
        pipe.send(Broken(f"{type(error).__name__}: {error}"))
        return
    pipe.send(Ready())
    while (job := _next_job(pipe)) is not None:
        pipe.send(Started())
        done = attempt(job.work, job.task, tools, lambda event: pipe.send(Message(event)))
        pipe.send(Finished(done))


def _next_job(pipe: Connection) -> Job | None:
    try:
        job: Job = pipe.recv()
    except EOFError:
        return None
    return job


def _end_with_parent(parent: int) -> None:
    """End this process when its parent ends.

    The kernel's signal ends even a call that never returns to Python; the thread is for systems
    without it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: int) -> None:
    os.read(parent, 1)
    os._exit(1)
