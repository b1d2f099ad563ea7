"""Conversion in worker processes: whatever a file does to its worker, the next one goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from citeloom.application.ports.conversion import DocumentConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent, Outcome, StageBegun, TaskEvent
from citeloom.domain.errors import (
    CiteloomError,
    DeadlineExceeded,
    EmptyDocument,
    ProcessKilled,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.infrastructure.conversion.workers import worker
from citeloom.infrastructure.conversion.workers.deadlines import WALL_CLOCK_FACTOR
from citeloom.infrastructure.conversion.workers.processes import ProcessExecutor
from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits
from tests.fakes.conversions import (
    ConversionOutcome,
    Conversions,
    ConversionTask,
    ConverterFactory,
    ConverterStart,
    convert,
)
from tests.fakes.scripted_conversion import ScriptedStart
from tests.fakes.sources import write_source

TEXT = frozenset({".txt"})
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, which Linux has")


def pool_of(
    workers: int = 1,
    *,
    factory: ConverterFactory | None = None,
    limits: WorkerLimits | None = None,
    retries: bool = False,
) -> Conversions:
    return Conversions(
        factory or ScriptedStart(), suffixes=TEXT, workers=workers, limits=limits, retries=retries
    )


def scripts(folder: Path, *texts: str) -> list[SourceFile]:
    return [write_source(folder / f"{n}.txt", text) for n, text in enumerate(texts)]


def embed_for_ever(_task: ConversionTask, _tools: object, emit: EmitEvent) -> str:
    """Work that hangs behind the conversion."""
    emit(StageBegun("embed", 32))
    while True:
        pass


def niceness(_task: ConversionTask, _tools: object, _emit: EmitEvent) -> int:
    """Work that gives the niceness of the process that does it."""
    return os.nice(0)


def outcomes_of(
    executor: ProcessExecutor[DocumentConverter], source: SourceFile
) -> list[ConversionOutcome]:
    updates = executor.run(convert, [ConversionTask(source)])
    return [update for update in updates if isinstance(update, Outcome)]


def text_of(outcome: ConversionOutcome) -> str:
    assert outcome.result is not None, outcome.error
    return outcome.result.plain_text


def took_longer_than(seconds: float) -> str:
    """A pattern of the limit: in processor time, or by the clock where processors are scarce."""
    return f"took longer than ({seconds:g}|{WALL_CLOCK_FACTOR * seconds:g}) s"


def error_of(outcome: ConversionOutcome) -> CiteloomError:
    assert outcome.error is not None
    return outcome.error


def children() -> list[int]:
    """The worker processes of this process; earlier tests may have left it other children."""
    if sys.platform != "linux":
        pytest.skip("reads /proc, which Linux has")
    started: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread may have ended
            started += map(int, (task / "children").read_text().split())
    return [pid for pid in started if is_worker(pid)]


def is_worker(pid: int) -> bool:
    try:
        return worker.__name__ in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def holds_soon(condition: Callable[[], bool]) -> bool:
    """Whether the condition comes true within some seconds."""
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.05)
    return False


class TestOrdinaryFiles:
    def test_outcomes_come_in_the_order_of_the_sources(self, tmp_path: Path) -> None:
        sources = scripts(tmp_path, "sleep 0.6\nslow", "quick", "sleep 0.2\nmiddling", "last")
        outcomes = list(pool_of(2).convert(sources))
        assert [outcome.task.source for outcome in outcomes] == sources
        assert [text_of(outcome) for outcome in outcomes] == ["slow", "quick", "middling", "last"]
        assert outcomes[0].seconds >= 0.6

    def test_one_worker_serves_many_files(self, tmp_path: Path) -> None:
        pids = {text_of(o) for o in pool_of().convert(scripts(tmp_path, "pid", "pid", "pid"))}
        assert len(pids) == 1
        assert str(os.getpid()) not in pids

    @pytest.mark.skipif(sys.platform == "win32", reason="has no niceness")
    def test_workers_leave_the_processors_to_questions(self, tmp_path: Path) -> None:
        (source,) = scripts(tmp_path, "text")
        with closing(ProcessExecutor(ScriptedStart())) as executor:
            (outcome,) = executor.run(niceness, [ConversionTask(source)])
        assert isinstance(outcome, Outcome)
        assert outcome.result is not None
        assert outcome.result > os.nice(0)

    def test_a_worker_makes_way_after_its_share_of_files(self, tmp_path: Path) -> None:
        limits = WorkerLimits(documents=2)
        sources = scripts(tmp_path, "pid", "pid", "pid", "pid", "pid")
        pids = [text_of(outcome) for outcome in pool_of(limits=limits).convert(sources)]
        assert pids[0] == pids[1]
        assert pids[2] == pids[3]
        assert len(set(pids)) == 3

    @linux_only
    def test_a_worker_that_has_grown_makes_way(self, tmp_path: Path) -> None:
        limits = WorkerLimits(resident=150 << 20)
        sources = scripts(tmp_path, "pid", "hold 200\npid", "pid")
        pids = [text_of(outcome) for outcome in pool_of(limits=limits).convert(sources)]
        assert pids[0] == pids[1] != pids[2]

    def test_the_converter_works_ahead_of_the_consumer_in_bounded_number(
        self, tmp_path: Path
    ) -> None:
        taken = []

        def sources() -> Iterator[SourceFile]:
            for source in scripts(tmp_path, *("sleep 0.2\npid" for _ in range(9))):
                taken.append(source)
                yield source

        with closing(pool_of().convert(sources())) as outcomes:
            next(outcomes)
            assert 1 < len(taken) <= 4

    def test_conversion_goes_on_while_the_consumer_is_busy(self, tmp_path: Path) -> None:
        marker = tmp_path / "reached"
        sources = scripts(tmp_path, "first", f"touch {marker}\nsecond")
        with closing(pool_of().convert(sources)) as outcomes:
            next(outcomes)
            assert holds_soon(marker.exists)

    def test_what_a_library_prints_does_not_reach_standard_output(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert text_of(*pool_of().convert(scripts(tmp_path, "print noise\ntext"))) == "text"
        assert capfd.readouterr().out == ""

    def test_an_unsupported_file_is_refused(self, tmp_path: Path) -> None:
        source = write_source(tmp_path / "paper.odt", "text")
        (outcome,) = pool_of().convert([source])
        assert isinstance(outcome.error, UnsupportedFormat)
        assert ".txt" in outcome.error.hint

    def test_a_suffix_counts_in_either_case(self, tmp_path: Path) -> None:
        assert text_of(*pool_of().convert([write_source(tmp_path / "A.TXT", "text")])) == "text"

    def test_no_source_starts_no_process(self) -> None:
        assert list(pool_of(factory=ScriptedStart(dies=True)).convert([])) == []
        assert children() == []


class TestPagesThatStopTheirDocument:
    @pytest.mark.parametrize("fault", ["stick", "signal SIGSEGV"])
    def test_the_document_goes_on_without_the_layout_of_that_page(
        self, tmp_path: Path, fault: str
    ) -> None:
        pool = pool_of(limits=WorkerLimits(page_seconds=0.5), retries=True)
        script = f"page 1\none\npage 2\n{fault}\ntwo\npage 3\nthree"
        first, after = pool.convert(scripts(tmp_path, script, "next"))
        assert text_of(first) == "one\n\ntwo\n\nthree"
        assert text_of(after) == "next"

    def test_a_page_that_fails_again_as_text_alone_is_lost_and_no_other(
        self, tmp_path: Path
    ) -> None:
        pool = pool_of(retries=True)
        script = "page 1\none\npage 2\nstill signal SIGSEGV\ntwo\npage 3\nthree"
        (outcome,) = pool.convert(scripts(tmp_path, script))
        assert text_of(outcome) == "one\n\nthree"

    def test_a_document_whose_every_page_fails_is_lost(self, tmp_path: Path) -> None:
        script = "\n".join(f"page {n}\nstill exit 3\n{n}" for n in range(1, 9))
        (outcome,) = pool_of(retries=True).convert(scripts(tmp_path, script))
        assert outcome.error is not None

    def test_pages_no_time_is_left_for_are_read_without_layout(self, tmp_path: Path) -> None:
        # reading plainly takes its time, too: what was read before leaves too little for it
        work = "\n".join(f"page {n}\nwork 0.1\n{n}" for n in range(1, 50))
        plain = "\n".join(f"page {n}\nstill work 0.01\n{n}" for n in range(50, 99))
        pool = pool_of(limits=WorkerLimits(document_seconds=1), retries=True)
        (outcome,) = pool.convert(scripts(tmp_path, f"{work}\n{plain}"))
        assert text_of(outcome).split() == [str(n) for n in range(1, 99)]

    def test_work_that_no_page_stops_is_not_tried_again(self, tmp_path: Path) -> None:
        pool = pool_of(limits=WorkerLimits(document_seconds=0.3), retries=True)
        (outcome,) = pool.convert(scripts(tmp_path, "page 0\nstick"))
        assert isinstance(outcome.error, DeadlineExceeded)


class TestFilesThatMisbehave:
    def test_a_page_that_hangs_is_stopped_and_named(self, tmp_path: Path) -> None:
        limits = WorkerLimits(page_seconds=0.5)
        sources = scripts(tmp_path, "page 1\npage 2\npage 3\nstick", "next")
        hung, after = pool_of(limits=limits).convert(sources)
        assert isinstance(hung.error, DeadlineExceeded)
        assert re.fullmatch(f"page 3 of 0.txt {took_longer_than(0.5)}", hung.error.message)
        assert text_of(after) == "next"

    def test_what_hangs_is_gone_once_its_outcome_is_there(self, tmp_path: Path) -> None:
        pool = pool_of(limits=WorkerLimits(page_seconds=0.5))
        with closing(pool.convert(scripts(tmp_path, "page 1\nstick"))) as outcomes:
            assert isinstance(next(outcomes).error, DeadlineExceeded)
            assert children() == []

    def test_a_document_that_takes_too_long_is_stopped(self, tmp_path: Path) -> None:
        limits = WorkerLimits(document_seconds=0.7)
        pages = "\n".join(f"page {n}\nwork 0.1" for n in range(1, 99))
        slow, after = pool_of(limits=limits).convert(scripts(tmp_path, pages, "next"))
        assert isinstance(slow.error, DeadlineExceeded)
        assert re.match(f"0.txt {took_longer_than(0.7)}; it was at page", slow.error.message)
        assert text_of(after) == "next"

    def test_a_page_that_hangs_idle_is_stopped_after_six_times_its_limit(
        self, tmp_path: Path
    ) -> None:
        pool = pool_of(limits=WorkerLimits(page_seconds=0.2))
        hung, after = pool.convert(scripts(tmp_path, "page 1\nsleep 60", "next"))
        assert isinstance(hung.error, DeadlineExceeded)
        assert hung.error.message == "page 1 of 0.txt took longer than 1.2 s"
        assert text_of(after) == "next"

    @pytest.mark.skipif(sys.platform != "linux", reason="processor time is read from /proc")
    def test_waiting_for_a_processor_is_not_counted_against_a_page(self, tmp_path: Path) -> None:
        pool = pool_of(limits=WorkerLimits(page_seconds=1))
        (outcome,) = pool.convert(scripts(tmp_path, "page 1\nsleep 1.5\ntext"))
        assert text_of(outcome) == "text"

    def test_the_time_a_worker_takes_to_start_is_not_the_documents(self, tmp_path: Path) -> None:
        pool = pool_of(
            factory=ScriptedStart(seconds=4),
            limits=WorkerLimits(document_seconds=0.6, page_seconds=0.6),
        )
        outcome, *_ = pool.convert(scripts(tmp_path, "text"))
        assert text_of(outcome) == "text"
        assert outcome.seconds < 4

    @pytest.mark.parametrize(
        ("name", "error"), [("SIGSEGV", UnreadableDocument), ("SIGKILL", ProcessKilled)]
    )
    def test_a_crash_names_the_signal_and_the_next_file_goes_on(
        self, tmp_path: Path, name: str, error: type[CiteloomError]
    ) -> None:
        crashed, after = pool_of().convert(scripts(tmp_path, f"signal {name}", "next"))
        assert isinstance(crashed.error, error)
        assert crashed.error.message.endswith(f"killed by {name}")
        assert text_of(after) == "next"

    def test_a_worker_that_exits_is_replaced(self, tmp_path: Path) -> None:
        gone, after = pool_of().convert(scripts(tmp_path, "exit 3", "next"))
        assert "exit status 3" in error_of(gone).message
        assert text_of(after) == "next"

    def test_a_crash_takes_no_other_file_with_it(self, tmp_path: Path) -> None:
        sources = scripts(tmp_path, "sleep 0.3\none", "signal SIGSEGV", "three", "exit 1", "five")
        outcomes = list(pool_of(2).convert(sources))
        assert [outcome.result is None for outcome in outcomes] == [False, True, False, True, False]

    @linux_only
    def test_a_file_that_exhausts_memory_is_stopped(self, tmp_path: Path) -> None:
        limits = WorkerLimits(memory=200 << 20)
        greedy, after = pool_of(limits=limits).convert(
            scripts(tmp_path, "hold 300\nsleep 60", "next")
        )
        assert error_of(greedy).message == "0.txt needs more than 200 MB of memory"
        assert text_of(after) == "next"

    @linux_only
    def test_memory_is_watched_while_page_follows_page(self, tmp_path: Path) -> None:
        pages = "\n".join(f"page {n}\nhold 20\nsleep 0.05" for n in range(1, 99))
        greedy, *_ = pool_of(limits=WorkerLimits(memory=200 << 20)).convert(
            scripts(tmp_path, pages)
        )
        assert "more than 200 MB" in error_of(greedy).message

    def test_an_error_of_the_converter_is_the_files_outcome(self, tmp_path: Path) -> None:
        empty, after = pool_of().convert(scripts(tmp_path, "page 1", "next"))
        assert isinstance(empty.error, EmptyDocument)
        assert text_of(after) == "next"

    def test_an_unforeseen_error_is_told_and_logged_with_its_trace(self, tmp_path: Path) -> None:
        with capture_logs() as logs:
            failed, after = pool_of().convert(scripts(tmp_path, "raise bang", "next"))
        assert isinstance(failed.error, UnreadableDocument)
        assert failed.error.message == (
            "0.txt cannot be read because of a bug in citeloom (RuntimeError)"
        )
        assert [entry["event"] for entry in logs] == ["document_failed"]
        assert "_obey_roughly" in logs[0]["trace"]
        assert "RuntimeError: bang" in logs[0]["trace"]
        assert text_of(after) == "next"

    @linux_only
    def test_a_worker_that_died_between_two_files_is_blamed_on_neither(
        self, tmp_path: Path
    ) -> None:
        first, second = scripts(tmp_path, "pid", "second")
        executor = ProcessExecutor(ConverterStart(ScriptedStart(), TEXT))
        with closing(executor):
            (before,) = outcomes_of(executor, first)
            pid = int(text_of(before))
            os.kill(pid, signal.SIGKILL)
            assert holds_soon(lambda: not is_running(pid))
            (after,) = outcomes_of(executor, second)
        assert text_of(after) == "second"

    def test_a_stage_that_hangs_is_stopped_and_named(self, tmp_path: Path) -> None:
        limits = WorkerLimits(document_seconds=0.6, page_seconds=0.1)
        executor = ProcessExecutor(ConverterStart(ScriptedStart(), TEXT), limits=limits)
        (source,) = scripts(tmp_path, "page 1\nstick")
        with closing(executor):
            updates = list(executor.run(embed_for_ever, [ConversionTask(source)]))
        (outcome,) = (update for update in updates if isinstance(update, Outcome))
        assert isinstance(outcome.error, DeadlineExceeded)
        assert re.fullmatch(f"0.txt {took_longer_than(0.9)} to embed", outcome.error.message)
        assert updates[:-1] == [TaskEvent(task=outcome.task, event=StageBegun("embed", 32))]

    def test_a_stage_has_the_time_that_its_size_needs(self) -> None:
        limits = WorkerLimits(document_seconds=100)
        assert limits.stage_seconds(StageBegun("embed", 640)) == 1100
        assert limits.stage_seconds(StageBegun("chunk", 1_000_000)) == 300


class TestWorkersThatCannotStart:
    def test_a_converter_that_cannot_be_built_says_why(self, tmp_path: Path) -> None:
        pool = pool_of(factory=ScriptedStart(failure="no module named docling"))
        with pytest.raises(CiteloomError, match="no module named docling"):
            list(pool.convert(scripts(tmp_path, "text")))
        assert children() == []

    def test_a_worker_that_dies_as_it_starts_says_how(self, tmp_path: Path) -> None:
        with pytest.raises(CiteloomError, match="exit status 7"):
            list(pool_of(factory=ScriptedStart(dies=True)).convert(scripts(tmp_path, "text")))

    def test_a_worker_killed_as_it_starts_is_started_again(self, tmp_path: Path) -> None:
        pool = pool_of(factory=ScriptedStart(dies_until=tmp_path / "tried"))
        assert text_of(*pool.convert(scripts(tmp_path, "text"))) == "text"

    def test_a_worker_that_never_gets_ready_is_given_up(self, tmp_path: Path) -> None:
        pool = pool_of(factory=ScriptedStart(seconds=60), limits=WorkerLimits(start_seconds=0.5))
        with pytest.raises(CiteloomError, match=r"not ready after 0\.5 s") as refused:
            list(pool.convert(scripts(tmp_path, "text")))
        assert "with fewer --workers" in refused.value.hint
        assert children() == []

    def test_a_worker_that_waits_for_the_processor_has_its_time_to_start(
        self, tmp_path: Path
    ) -> None:
        pool = pool_of(factory=ScriptedStart(seconds=5), limits=WorkerLimits(start_seconds=4))
        assert text_of(*pool.convert(scripts(tmp_path, "text"))) == "text"

    def test_limits_and_workers_must_be_positive(self) -> None:
        with pytest.raises(ValueError, match="page_seconds must be positive"):
            WorkerLimits(page_seconds=0)
        with pytest.raises(ValueError, match="at least one worker"):
            pool_of(0)


@linux_only
class TestWhatIsLeftBehind:
    def test_an_exhausted_pool_leaves_no_process_thread_or_descriptor(self, tmp_path: Path) -> None:
        sources = scripts(tmp_path, "one", "signal SIGSEGV", "three", "four")
        list(pool_of(2).convert(sources))  # the first use starts what stays: the resource tracker
        descriptors, threads = open_descriptors(), set(threading.enumerate())
        processes = set(descendants(os.getpid()))
        for _ in range(3):
            list(pool_of(2).convert(sources))
        assert open_descriptors() <= descriptors  # what an earlier test left may end meanwhile
        assert set(threading.enumerate()) <= threads
        assert set(descendants(os.getpid())) <= processes

    def test_closing_ends_the_workers_at_once(self, tmp_path: Path) -> None:
        outcomes = pool_of(2).convert(
            scripts(tmp_path, "pid", "sleep 60", "sleep 60", "sleep 60", "sleep 60")
        )
        pid = int(text_of(next(outcomes)))
        workers = children()
        assert pid in workers
        outcomes.close()
        assert not any(map(is_running, workers))
        assert children() == []

    def test_a_killed_parent_leaves_no_worker_behind(self, tmp_path: Path) -> None:
        marker = tmp_path / "started"
        write_source(tmp_path / "a.txt", f"touch {marker}\nstick")
        parent = start_parent(tmp_path / "a.txt")
        try:
            assert holds_soon(marker.exists)
            workers = descendants(parent.pid)
            assert workers
        finally:
            parent.kill()
            parent.wait()
        assert holds_soon(lambda: not any(map(is_running, workers)))

    def test_an_interrupt_is_the_parents_to_answer(self, tmp_path: Path) -> None:
        marker = tmp_path / "started"
        write_source(tmp_path / "a.txt", f"touch {marker}\nsleep 1\nfinished")
        parent = start_parent(tmp_path / "a.txt")
        assert holds_soon(marker.exists)
        os.killpg(parent.pid, signal.SIGINT)
        out, err = parent.communicate(timeout=60)
        assert out.split() == ["finished", "interrupted"], err
        assert "Traceback" not in err

    @pytest.mark.parametrize("ending", ["pass", "raise RuntimeError"])
    def test_a_program_that_forgets_to_close_still_ends(self, tmp_path: Path, ending: str) -> None:
        sources = scripts(tmp_path, "first", "stick", "stick", "stick")
        program = tmp_path / "program.py"
        program.write_text(FORGETFUL.format(sources=[str(s.path) for s in sources], ending=ending))
        ended = subprocess.run(
            [sys.executable, str(program)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=environment(),
        )
        assert ended.stdout == "first\n"
        assert "Exception ignored" not in ended.stderr
        assert ("RuntimeError" in ended.stderr) == (ending != "pass")


FORGETFUL = """
from pathlib import Path
from tests.fakes.scripted_conversion import ScriptedStart
from tests.fakes.sources import source_of
from tests.fakes.conversions import Conversions

if __name__ == "__main__":
    pool = Conversions(ScriptedStart(), suffixes=frozenset({{".txt"}}))
    outcomes = pool.convert([source_of(Path(path)) for path in {sources}])
    print(next(outcomes).result.plain_text)
    {ending}
"""

PARENT = """
import signal, sys
from pathlib import Path
from tests.fakes.scripted_conversion import ScriptedStart
from tests.fakes.sources import source_of
from tests.fakes.conversions import Conversions

if __name__ == "__main__":
    interrupted = []
    signal.signal(signal.SIGINT, lambda *_: interrupted.append("interrupted"))
    pool = Conversions(ScriptedStart(), suffixes=frozenset({".txt"}))
    for outcome in pool.convert([source_of(Path(sys.argv[1]))]):
        print(outcome.result.plain_text if outcome.result else outcome.error, *interrupted)
"""


def start_parent(source: Path) -> subprocess.Popen[str]:
    """A process of its own, in a group of its own, that converts one file."""
    script = source.parent / "parent.py"
    script.write_text(PARENT)
    return subprocess.Popen(
        [sys.executable, str(script), str(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def descendants(pid: int) -> list[int]:
    """The processes that `pid` started, by any of its threads, and those they started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    direct = [int(child) for found in lists for child in found.read_text().split()]
    return direct + [deeper for child in direct for deeper in descendants(child)]
