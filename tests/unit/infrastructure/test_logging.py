from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from citeloom.infrastructure import logging as package
from citeloom.infrastructure.answers.text import printable
from citeloom.infrastructure.logging import OURS, TALKATIVE, configure_logging, run
from tests.fakes.hostile_texts import forbidden


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    levels = {name: logging.getLogger(name).level for name in (OURS, *TALKATIVE)}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, former in levels.items():
        logging.getLogger(name).setLevel(former)
    structlog.reset_defaults()


def records(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_off_a_terminal_each_message_is_a_line_of_json() -> None:
    stream = io.StringIO()
    configure_logging(level="info", stream=stream)
    structlog.get_logger("citeloom.ingest").info("indexed", document="ä.pdf", chunks=3)
    logging.getLogger("citeloom.cache").warning("stale entry %s", "x", extra={"document": "b.pdf"})
    first, second = records(stream)
    assert first["event"] == "indexed"
    assert first["document"] == "ä.pdf"
    assert first["chunks"] == 3
    assert first["level"] == "info"
    assert first["logger"] == "citeloom.ingest"
    assert str(first["timestamp"]).endswith("Z")
    assert second["event"] == "stale entry x"
    assert second["document"] == "b.pdf"


def test_on_a_terminal_messages_are_for_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    configure_logging(level="info", stream=stream)
    structlog.get_logger("citeloom.ingest").info("indexed", document="a.pdf")
    assert "\x1b[" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    configure_logging(level="info", stream=stream)
    structlog.get_logger("citeloom.ingest").info("indexed", document="a.pdf")
    assert "document=a.pdf" in stream.getvalue()
    assert "\x1b[" not in stream.getvalue()


def test_a_run_is_named_in_every_message_of_it() -> None:
    stream = io.StringIO()
    configure_logging(level="info", stream=stream)
    with run("4f2a"):
        structlog.get_logger("citeloom.a").info("inside")
        logging.getLogger("citeloom.b").info("inside too")
        logging.getLogger("some.library").warning("inside as well")
    logging.getLogger("citeloom.b").info("outside")
    assert [record.get("run_id") for record in records(stream)] == ["4f2a", "4f2a", "4f2a", None]


@pytest.mark.parametrize(
    ("level", "heard"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_messages_below_the_level_are_not_heard(level: str, heard: list[str]) -> None:
    stream = io.StringIO()
    configure_logging(level=level, stream=stream)
    for name in ("debug", "info", "warning", "error"):
        getattr(structlog.get_logger("citeloom.x"), name)("said")
    assert [record["level"] for record in records(stream)] == heard


@pytest.mark.parametrize(
    ("level", "docling", "other"),
    [
        ("info", ["error"], ["warning", "error"]),
        ("debug", ["warning", "error"], ["warning", "error"]),
    ],
)
def test_libraries_are_quieter(level: str, docling: list[str], other: list[str]) -> None:
    for name, heard in (("docling.pipeline", docling), ("some.library", other)):
        stream = io.StringIO()
        configure_logging(level=level, stream=stream)
        for said in ("debug", "info", "warning", "error"):
            getattr(logging.getLogger(name), said)("said")
        assert [record["level"] for record in records(stream)] == heard


def test_configured_anew_a_message_is_said_once() -> None:
    former, stream = io.StringIO(), io.StringIO()
    logger = structlog.get_logger("citeloom.x")
    configure_logging(level="info", stream=former)
    logger.info("first")
    configure_logging(level="info", stream=stream)
    logger.info("second")
    assert [record["event"] for record in records(former)] == ["first"]
    assert [record["event"] for record in records(stream)] == ["second"]


def test_an_exception_is_one_line_too() -> None:
    stream = io.StringIO()
    configure_logging(stream=stream)
    try:
        int("seven")
    except ValueError:
        logging.getLogger("citeloom.x").exception("failed")
    (record,) = records(stream)
    assert "ValueError: invalid literal" in str(record["exception"])


def test_results_on_stdout_stay_clean() -> None:
    program = (
        "import structlog; from citeloom.infrastructure.logging import configure_logging;"
        "configure_logging(level='info'); structlog.get_logger('citeloom').info('hello')"
    )
    source = Path(package.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert json.loads(done.stderr)["event"] == "hello"


def broken() -> None:
    raise ValueError("b\x1b[31m\u202e")


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "pipe"])
def test_names_and_traces_of_documents_act_on_no_terminal(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    configure_logging(level="info", stream=stream, clean=printable)
    log = structlog.get_logger("citeloom.ingest")
    log.info("failed \x1b]0;x\x07", document="a\x1b[31m\u202e.pdf")
    try:
        broken()
    except ValueError:
        log.exception("failed")
    assert "a.pdf" in stream.getvalue()
    assert "ValueError: b" in stream.getvalue()
    assert forbidden(stream.getvalue()) == []
