"""The worker process's side: do one job after another and tell the parent of each step."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from citeloom.application.ports.executor import Task, Work
from citeloom.infrastructure.conversion.workers.attempt import Attempt, attempt

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Job:
    """Parent to worker: work to do on a task."""

    work: Work[Any, Any, Any]
    task: Task


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to parent: the first job may come."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Worker to parent: the tools cannot be built, and why; the worker ends."""

    reason: str


@dataclass(frozen=True, slots=True)
class TakenUp:
    """Worker to parent: the work on the task begins."""


@dataclass(frozen=True, slots=True)
class Message:
    """Worker to parent: something the work tells."""

    event: object


@dataclass(frozen=True, slots=True)
class Finished:
    """Worker to parent: the job is done."""

    attempt: Attempt


def serve(pipe: Connection, factory: Callable[[], object]) -> None:
    """Do the jobs that come through `pipe` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    # What a library prints must not get between the results the parent prints.
    os.dup2(2, 1)
    try:
        tools = factory()
    except Exception as error:  # noqa: BLE001 - the parent reports it
        pipe.send(Broken(f"{type(error).__name__}: {error}"))
        return
    pipe.send(Ready())
    while (job := _next_job(pipe)) is not None:
        pipe.send(TakenUp())
        done = attempt(job.work, job.task, tools, lambda event: pipe.send(Message(event)))
        pipe.send(Finished(done))


def _next_job(pipe: Connection) -> Job | None:
    try:
        job: Job = pipe.recv()
    except EOFError:
        return None
    return job


def _end_with_parent() -> None:
    """See to it that this process outlives its parent by no more than a moment.

    The kernel's own signal ends even a call that never comes back to Python; the thread does
    where there is no such signal.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_exit_after_parent, daemon=True).start()


def _exit_after_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
