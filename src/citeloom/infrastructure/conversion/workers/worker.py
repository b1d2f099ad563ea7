"""The worker process's side: convert one file after another and tell the parent of each step."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path

from citeloom.domain.conversion import ConversionResult
from citeloom.domain.errors import CiteloomError, UnreadableDocument
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.file_converter import (
    ConverterFactory,
    FileConverter,
    ImageReading,
)

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Job:
    """Parent to worker: a file to convert."""

    path: Path
    doc_id: str
    ocr: OcrOptions | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """Worker to parent: everything is loaded, the first job may come."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Worker to parent: the converter cannot be built, and why; the worker ends."""

    reason: str


@dataclass(frozen=True, slots=True)
class PageBegun:
    """Worker to parent: this page's turn has come; 0 for work that is no page's."""

    page: int


@dataclass(frozen=True, slots=True)
class ImageBegun:
    """Worker to parent: this page is an image, and is being read."""

    page: int


@dataclass(frozen=True, slots=True)
class Finished:
    """Worker to parent: the job is done; `trace` says which error of a library it was."""

    outcome: ConversionResult | CiteloomError
    trace: str = ""


Message = Ready | Broken | PageBegun | ImageBegun | Finished


def serve(pipe: Connection, factory: ConverterFactory) -> None:
    """Convert the jobs that come through `pipe` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    # What a library prints must not get between the results the parent prints.
    os.dup2(2, 1)
    try:
        converter = factory()
    except Exception as error:  # noqa: BLE001 - the parent reports it
        pipe.send(Broken(f"{type(error).__name__}: {error}"))
        return
    pipe.send(Ready())
    while (job := _next_job(pipe)) is not None:
        pipe.send(_finish(converter, job, pipe))


def _next_job(pipe: Connection) -> Job | None:
    try:
        job: Job = pipe.recv()
    except EOFError:
        return None
    return job


def _finish(converter: FileConverter, job: Job, pipe: Connection) -> Finished:
    pipe.send(PageBegun(0))
    reading = ImageReading(job.ocr, lambda page: pipe.send(ImageBegun(page))) if job.ocr else None
    try:
        result = converter.convert(
            job.path, job.doc_id, lambda page: pipe.send(PageBegun(page)), reading
        )
    except CiteloomError as error:
        return Finished(error, traceback.format_exc() if error.__cause__ else "")
    except MemoryError:
        return Finished(_too_big(job.path))
    except Exception:  # noqa: BLE001 - one file that breaks a parser must not stop the rest
        return Finished(_unforeseen(job.path), traceback.format_exc())
    return Finished(result)


def _too_big(path: Path) -> UnreadableDocument:
    return UnreadableDocument(
        f"{path.name} needs more memory than there is",
        "End other programs, or leave the file out.",
    )


def _unforeseen(path: Path) -> UnreadableDocument:
    return UnreadableDocument(
        f"{path.name} cannot be converted: something in it is not as its format wants it",
        "Open it in its own program; if it looks well, save it anew and ingest that, or report it "
        "with what `citeloom --verbose ingest` logs.",
    )


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
