"""Threads that each mind one worker process, sharing one queue of files."""

from __future__ import annotations

import atexit
import multiprocessing
import signal
import sys
import threading
import time
from concurrent.futures import Future
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import NamedTuple

from citeloom.application.ports.document_converter import Converted, Source
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.file_converter import ConverterFactory
from citeloom.infrastructure.conversion.workers.worker_process import (
    Stopped,
    WorkerLimits,
    WorkerProcess,
    cannot_start,
)

# A worker may be killed as it starts for what others do, when memory is short, but not thrice.
_STARTS = 3


class _Assignment(NamedTuple):
    source: Source
    outcome: Future[Converted]


class WorkerPool:
    """Converts files in up to `size` processes at once; each starts at its first file."""

    def __init__(self, factory: ConverterFactory, limits: WorkerLimits, size: int) -> None:
        self._factory = factory
        self._limits = limits
        self._size = size
        self._assignments: SimpleQueue[_Assignment | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._stop, self._stopper = multiprocessing.Pipe(duplex=False)
        atexit.register(self.shutdown)

    def submit(self, source: Source) -> Future[Converted]:
        """The file's outcome, once a worker has come to it; `CiteloomError` if none can start."""
        outcome: Future[Converted] = Future()
        self._assignments.put(_Assignment(source, outcome))
        if len(self._threads) < self._size:
            self._start_worker()
        return outcome

    def _start_worker(self) -> None:
        # A daemon, for the interpreter waits for all others before it comes to shutdown the crew.
        thread = threading.Thread(target=self._work, name="conversion", daemon=True)
        self._threads.append(thread)
        thread.start()

    def shutdown(self) -> None:
        """Stop what is under way; no process and no thread is left when this returns.

        May be called twice, and is called at the interpreter's end for a crew left standing.
        """
        atexit.unregister(self.shutdown)
        self._stopper.close()
        for _ in self._threads:
            self._assignments.put(None)
        for thread in self._threads:
            thread.join()
        self._stop.close()

    def _work(self) -> None:
        _shield_children_from_interrupts()
        post = _WorkerSlot(self._factory, self._limits, self._stop)
        try:
            while (assignment := self._assignments.get()) and not self._stop.poll():
                _run(assignment, post)
        finally:
            post.stop()


class _WorkerSlot:
    """The place of one worker: filled at the first file, and again once a worker is spent."""

    def __init__(self, factory: ConverterFactory, limits: WorkerLimits, stop: Connection) -> None:
        self._factory = factory
        self._limits = limits
        self._stop = stop
        self._worker: WorkerProcess | None = None

    def convert(self, source: Source) -> Converted:
        """The file's outcome and the time it took, a worker's start not counted.

        A worker that ended before it took up the file is replaced: the file is not to blame.
        """
        for _ in range(_STARTS):
            worker = self._running_worker()
            begun = time.monotonic()
            outcome = worker.convert(source)
            seconds = time.monotonic() - begun
            if worker.is_spent:
                self.stop()
            if isinstance(outcome, CiteloomError):
                return Converted(source=source, error=outcome, seconds=seconds)
            if outcome is not None:
                return Converted(source=source, result=outcome, seconds=seconds)
        raise cannot_start("it ends before it takes up a file")

    def _running_worker(self) -> WorkerProcess:
        if self._worker is not None and not self._worker.is_spent:
            return self._worker
        ending = ""
        for _ in range(_STARTS):
            self.stop()
            self._worker = worker = WorkerProcess(self._factory, self._limits, self._stop)
            if worker.await_ready():
                return worker
            ending = worker.ending()
        raise cannot_start(ending)

    def stop(self) -> None:
        """End the worker, if there is one."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


def _run(assignment: _Assignment, post: _WorkerSlot) -> None:
    try:
        outcome = post.convert(assignment.source)
    except Stopped:
        assignment.outcome.cancel()
    except BaseException as error:  # noqa: BLE001 - it is raised where the outcome is awaited
        assignment.outcome.set_exception(error)
    else:
        assignment.outcome.set_result(outcome)


def _shield_children_from_interrupts() -> None:
    """Block Ctrl-C in this thread, and so in the processes it starts: the main thread decides.

    The tracker every first process brings along unblocks it again, hence comes before.
    """
    if sys.platform != "win32":
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
