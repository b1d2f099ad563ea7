"""What every progress display promises: to take a run, whatever it is like, without raising."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citeloom.application.events import NoProgress, Progress
from citeloom.infrastructure.interfaces.cli.progress_display import BarProgress, LineProgress
from tests.fakes.progress import RecordedProgress

DISPLAYS: list[Callable[[], Progress]] = [
    BarProgress,
    LineProgress,
    NoProgress,
    RecordedProgress,
]
DOCUMENTS = ["a.pdf", "[bold]b.pdf", "[/bold]c.pdf", "ä" * 300 + ".pdf", ""]
OUTCOMES = ["indexed: 12 chunks", "failed: TIMEOUT [/]", "unchanged"]


@pytest.fixture(params=DISPLAYS)
def progress(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Progress:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    made: Progress = request.param()
    return made


def test_it_takes_a_whole_run_of_oddly_named_documents(
    progress: Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.start(len(DOCUMENTS) * len(OUTCOMES))
    for document in DOCUMENTS:
        for outcome in OUTCOMES:
            progress.stage(document, "convert")
            progress.count(document, pages=3)
            progress.stage(document, "embed")
            progress.count(document, chunks=64)
            progress.stage(document, "store")
            progress.advance(document, outcome)
    progress.finish()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_it_may_end_while_an_oddly_named_document_is_in_hand(
    progress: Progress, document: str, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.start(2)
    progress.stage(document, "convert")
    progress.count(document, pages=1)
    progress.finish()
    assert capsys.readouterr().out == ""


def test_it_may_be_finished_twice_and_without_a_start(
    progress: Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.finish()
    progress.start(0)
    progress.finish()
    progress.finish()
    assert capsys.readouterr().out == ""


def test_more_documents_than_were_announced_do_no_harm(
    progress: Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.start(1)
    for document in DOCUMENTS:
        progress.stage(document, "convert")
        progress.advance(document, "indexed")
    progress.finish()
    assert capsys.readouterr().out == ""
