from __future__ import annotations

import gc
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

import citeloom  # noqa: F401 - before any library that would report to its maker
from citeloom.infrastructure.embedding.fastembed import dense
from tests.fakes.executor import single_workers_within

# Shells let what runs in the background ignore Ctrl-C, and it what it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

slow_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", slow_machine)
settings.register_profile("same", slow_machine, derandomize=True, max_examples=50)
settings.load_profile("same")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Property tests run without the tracer of coverage, which would double their time: the lines
    are covered by tests of single examples.
    """
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Without a tracer for what is marked `no_cover`: within a process of pytest-xdist, pytest-cov
    pauses one of the two that it starts, and the other goes on.
    """
    if item.get_closest_marker("no_cover") is None:
        yield
        return
    tracer, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        threading.settrace(of_threads)
        sys.settrace(tracer)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests and what they import are no garbage to be looked for again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)  # as in the program
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _no_single_workers() -> Iterator[None]:
    """What a test ingests within this process is prepared here, too."""
    with single_workers_within():
        yield


@pytest.fixture(scope="session", autouse=True)
def _models_loaded_once() -> Iterator[None]:
    """What runs within this process loads the default model once, not with every command."""
    model = dense.MeanEncoder

    @cache
    def loaded(folder: Path, _made: int) -> dense.MeanEncoder:
        return model(folder)

    def encoder(folder: Path) -> dense.MeanEncoder:
        return loaded(folder, (folder / "model.onnx").stat().st_mtime_ns)

    with patch.object(dense, "MeanEncoder", encoder):
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_calibrations() -> Iterator[None]:
    """No ingest calibrates unless a test asks for it: that takes seconds each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITELOOM_RETRIEVAL__CALIBRATE", "false")
        yield


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that is gone after its module: an index of one chunk fills 240 MB of the disk."""
    folder = tmp_path_factory.mktemp("module")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
