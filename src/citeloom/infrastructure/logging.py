"""Logs on stderr: readable on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.dev import ConsoleRenderer
from structlog.processors import JSONRenderer, TimeStamper, format_exc_info
from structlog.stdlib import (
    BoundLogger,
    ExtraAdder,
    LoggerFactory,
    ProcessorFormatter,
    add_log_level,
    add_logger_name,
    filter_by_level,
)
from structlog.typing import EventDict, Processor

OURS = "citeloom"
TALKATIVE = (
    "docling",
    "docling_core",
    "docling_parse",
    "fastembed",
    "fontTools",
    "httpcore",
    "httpx",
    "huggingface_hub",
    "PIL",
    "pypdfium2",
    "qdrant_client",
)


def configure_logging(
    *,
    level: str = "warning",
    stream: TextIO | None = None,
    clean: Callable[[str], str] = str,
) -> None:
    """Send citeloom's own messages from `level` up, and warnings of libraries, to the stream.

    Without a stream they go to stderr. Every text in a message is made `clean` first: names and
    errors of documents are in it. Libraries that warn of what is no concern of the user's
    are heard from ERROR up, or from WARNING up when `level` is debug. May be called again.
    """
    target = stream or sys.stderr
    on_terminal = target.isatty()

    def cleaned(logger: object, method: str, event: EventDict) -> EventDict:
        with_trace = format_exc_info(logger, method, event)
        return {k: clean(v) if isinstance(v, str) else v for k, v in with_trace.items()}

    common: list[Processor] = [
        merge_contextvars,
        add_log_level,
        add_logger_name,
        TimeStamper(fmt="%H:%M:%S" if on_terminal else "iso", utc=not on_terminal),
    ]
    structlog.configure(
        processors=[filter_by_level, *common, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=BoundLogger,
        logger_factory=LoggerFactory(),
    )
    handler = logging.StreamHandler(target)
    handler.set_name(OURS)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=[*common, ExtraAdder()],
            processors=[
                ProcessorFormatter.remove_processors_meta,
                cleaned,
                ConsoleRenderer(colors=not os.environ.get("NO_COLOR"))
                if on_terminal
                else JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    for former in [each for each in root.handlers if each.get_name() == OURS]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(level.upper())
    of_libraries = logging.WARNING if level.upper() == "DEBUG" else logging.ERROR
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(of_libraries)


@contextmanager
def run(run_id: str) -> Iterator[None]:
    """Every message logged inside, by whatever module, carries the run's id."""
    with bound_contextvars(run_id=run_id):
        yield
