"""Jobs: ingests in the background, one at a time, followed by numbered events, and stoppable."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.events import (
    DocumentDone,
    RunEnded,
    RunStarted,
    StageReached,
    WorkDone,
)
from citeloom.application.jobs import IngestTarget, Job, Jobs, JobState
from citeloom.application.reports import DocumentOutcome, IngestReport, OutcomeState
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import (
    Busy,
    CiteloomError,
    IndexLocked,
    InvalidProject,
    NotFound,
    PathNotAllowed,
)
from citeloom.domain.project import Project
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.clock import SetClock

PATIENCE = 10.0
DOCUMENTS = ("a.pdf", "b.pdf", "c.pdf")


class ScriptedProject:
    """A project whose ingest takes up one document each time `step` is released."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.step = threading.Semaphore(0)
        self.error: BaseException | None = None
        self.unchanged: list[str] = []
        self.forbidden: set[str] = set()
        self.calls: list[IngestRequest] = []

    def allowed_path(self, path: str) -> Path:
        absolute = Path("/papers") / path
        if not absolute.is_relative_to("/papers") or absolute.name in self.forbidden:
            raise PathNotAllowed("no")
        return absolute

    def ingest(self, request: IngestRequest) -> IngestReport:
        events = request.events
        assert events is not None
        self.calls.append(request)
        outcomes = dict.fromkeys(DOCUMENTS, DocumentOutcome())
        outcomes |= dict.fromkeys(self.unchanged, DocumentOutcome(state=OutcomeState.UNCHANGED))
        interrupted = False
        events(RunStarted(total=len(DOCUMENTS)))
        for document in DOCUMENTS:
            if request.cancellation.requested:
                interrupted = True
                break
            events(StageReached(document=document, stage="convert"))
            assert self.step.acquire(timeout=PATIENCE)
            if self.error is not None:
                raise self.error
            events(WorkDone(document=document, pages=2))
            events(DocumentDone(document=document, state="indexed", detail="4 chunks"))
            outcomes[document] = DocumentOutcome(state=OutcomeState.INDEXED)
        events(RunEnded())
        return IngestReport(
            project=self.project.id,
            collection="c",
            models={},
            run_id="r",
            found=len(outcomes),
            outcomes=outcomes,
            interrupted=interrupted,
        )


class ScriptedLibrary:
    def __init__(self, *names: str) -> None:
        self.projects = {name: ScriptedProject(Project(id=name)) for name in names}

    def project(self, name: str) -> ScriptedProject:
        if name not in self.projects:
            raise InvalidProject(f"no {name}")
        return self.projects[name]


ONE, TWO = "lab/one", "lab/two"


@pytest.fixture
def library() -> ScriptedLibrary:
    return ScriptedLibrary(ONE, TWO)


@pytest.fixture
def jobs(library: ScriptedLibrary) -> Jobs:
    return made(library)


def made(library: ScriptedLibrary, **options: int) -> Jobs:
    def target(name: str) -> IngestTarget:
        project = library.project(name)
        return IngestTarget(
            project=project.project, allowed_path=project.allowed_path, ingest=project.ingest
        )

    return Jobs(target, clock=SetClock(), **options)


def wait(jobs: Jobs, job_id: str, until: Callable[[Job], bool]) -> Job:
    """The job when it is so; every change of it comes with an event, save its counts."""
    seen = 0
    while not until(job := jobs.get(job_id)):
        events = jobs.events(job_id, seen, timeout=PATIENCE)
        assert events or jobs.get(job_id).state.is_final
        seen = events[-1].number if events else seen
    return job


def ended(jobs: Jobs, job_id: str) -> Job:
    return wait(jobs, job_id, lambda job: job.state.is_final)


def test_a_job_runs_in_the_background_and_ends_with_its_report(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    job = jobs.start(ONE, IngestRequest("x", force=True), correlation_id="abc")
    library.project(ONE).step.release(3)
    done = ended(jobs, job.id)
    assert (done.state, done.correlation_id, done.sources) == (JobState.DONE, "abc", ("/papers/x",))
    assert done.report is not None
    assert done.report.indexed == list(DOCUMENTS)
    assert (done.counts.total, done.counts.done, done.counts.indexed) == (3, 3, 3)
    assert done.counts.pages == 6
    assert done.started_at is not None
    assert done.finished_at is not None
    assert library.project(ONE).calls == [IngestRequest(["/papers/x"], force=True)]


def test_events_are_numbered_without_gaps_and_can_be_followed_from_any(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    job = jobs.start(ONE)
    library.project(ONE).step.release(3)
    ended(jobs, job.id)
    events = jobs.events(job.id)
    assert [event.number for event in events] == [*range(1, len(events) + 1)]
    kinds = [(event.kind, event.detail) for event in events if event.document is None]
    assert kinds == [("state", "queued"), ("state", "running"), ("start", "3"), ("state", "done")]
    of_a = [(event.kind, event.detail) for event in events if event.document == "a.pdf"]
    assert of_a == [("stage", "convert"), ("count", "2 pages"), ("outcome", "indexed: 4 chunks")]
    assert jobs.events(job.id, after=4) == events[4:]
    assert jobs.events(job.id, after=events[-1].number, timeout=PATIENCE) == ()


def test_a_follower_waits_for_an_event_no_longer_than_it_says(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    job = jobs.start(ONE)
    running = wait(jobs, job.id, lambda job: job.last_event == 4)
    assert jobs.events(job.id, running.last_event, timeout=0.01) == ()
    threading.Timer(0.05, library.project(ONE).step.release).start()
    assert jobs.events(job.id, running.last_event, timeout=PATIENCE)
    library.project(ONE).step.release(2)
    ended(jobs, job.id)


def test_a_cancelled_job_ends_after_the_document_in_hand(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    job = jobs.start(ONE)
    wait(jobs, job.id, lambda job: job.last_event >= 4)
    assert jobs.cancel(job.id).cancelling
    library.project(ONE).step.release()
    stopped = ended(jobs, job.id)
    assert (stopped.state, stopped.cancelling) == (JobState.CANCELLED, False)
    assert stopped.report is not None
    assert stopped.report.indexed == ["a.pdf"]
    assert (stopped.counts.total, stopped.counts.done) == (3, 1)
    assert jobs.cancel(job.id).state is JobState.CANCELLED


def test_a_job_has_one_total_whatever_else_there_is(jobs: Jobs, library: ScriptedLibrary) -> None:
    library.project(ONE).unchanged = ["d.pdf", "e.pdf"]
    job = jobs.start(ONE)
    wait(jobs, job.id, lambda job: job.counts.total > 0)
    begun = jobs.get(job.id).counts.total
    library.project(ONE).step.release(3)
    counts = ended(jobs, job.id).counts
    assert (counts.total, counts.done, counts.indexed, counts.unchanged) == (begun, 3, 3, 2)


def test_a_job_that_waits_is_cancelled_at_once(jobs: Jobs, library: ScriptedLibrary) -> None:
    first, second = jobs.start(ONE), jobs.start(TWO)
    assert jobs.cancel(second.id).state is JobState.CANCELLED
    library.project(ONE).step.release(3)
    assert ended(jobs, first.id).state is JobState.DONE
    assert library.project(TWO).calls == []


def test_jobs_run_one_after_another_in_order(jobs: Jobs, library: ScriptedLibrary) -> None:
    started = [jobs.start(name) for name in (ONE, TWO, ONE)]
    wait(jobs, started[0].id, lambda job: job.state is JobState.RUNNING)
    assert [job.state.value for job in jobs.list()] == ["queued", "queued", "running"]
    library.project(ONE).step.release(6)
    library.project(TWO).step.release(3)
    assert [ended(jobs, job.id).state for job in started] == [JobState.DONE] * 3
    moments = [jobs.get(job.id).started_at for job in started]
    assert moments == sorted(moments, key=str)


def test_no_more_jobs_wait_than_may(library: ScriptedLibrary) -> None:
    jobs = made(library, waiting=1)
    running = jobs.start(ONE)
    wait(jobs, running.id, lambda job: job.state is JobState.RUNNING)
    jobs.start(ONE)
    with pytest.raises(Busy, match="1 jobs are waiting"):
        jobs.start(ONE)
    library.project(ONE).step.release(6)


def test_old_jobs_are_forgotten_but_none_that_has_not_ended(library: ScriptedLibrary) -> None:
    jobs = made(library, remembered=2)
    library.project(ONE).step.release(6)
    first, second = jobs.start(ONE), jobs.start(ONE)
    ended(jobs, second.id)
    third = jobs.start(TWO)
    with pytest.raises(NotFound):
        jobs.get(first.id)
    fourth = jobs.start(TWO)
    assert [job.id for job in jobs.list()] == [fourth.id, third.id]
    library.project(TWO).step.release(6)
    ended(jobs, fourth.id)


def test_closing_stops_the_running_job_in_order_and_drops_the_others(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    running, waiting = jobs.start(ONE), jobs.start(TWO)
    wait(jobs, running.id, lambda job: job.last_event >= 4)
    assert not jobs.close(0.01)
    library.project(ONE).step.release()
    assert jobs.close(PATIENCE)
    assert jobs.get(running.id).state is JobState.INTERRUPTED
    assert jobs.get(waiting.id).state is JobState.INTERRUPTED
    with pytest.raises(Busy):
        jobs.start(ONE)


def test_closing_without_jobs_is_done_at_once(jobs: Jobs) -> None:
    assert jobs.close(0)


def test_an_error_of_the_ingest_is_the_jobs(jobs: Jobs, library: ScriptedLibrary) -> None:
    library.project(ONE).error = IndexLocked("another process ingests", "wait")
    library.project(ONE).step.release()
    failed = ended(jobs, jobs.start(ONE).id)
    assert failed.state is JobState.FAILED
    assert failed.error is library.project(ONE).error


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_fails_its_job_and_stops_no_other(jobs: Jobs, library: ScriptedLibrary) -> None:
    library.project(ONE).error = ZeroDivisionError()
    library.project(ONE).step.release()
    library.project(TWO).step.release(3)
    broken, sound = jobs.start(ONE), jobs.start(TWO)
    failed = ended(jobs, broken.id)
    assert type(failed.error) is CiteloomError
    assert ended(jobs, sound.id).state is JobState.DONE
    for thread in threading.enumerate():
        if thread.name.startswith("job "):
            thread.join(PATIENCE)


def test_sources_a_client_may_not_name_are_refused_before_anything(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    with pytest.raises(PathNotAllowed):
        jobs.start(ONE, IngestRequest("/etc/passwd"))
    with pytest.raises(InvalidProject):
        jobs.start("lab/none")
    assert jobs.list() == []
    assert library.project(ONE).calls == []


def test_a_source_that_becomes_a_link_while_its_job_waits_is_refused(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    jobs.start(ONE)
    waiting = jobs.start(TWO, IngestRequest("x"))
    library.project(TWO).forbidden.add("x")
    library.project(ONE).step.release(3)
    failed = ended(jobs, waiting.id)
    assert failed.state is JobState.FAILED
    assert isinstance(failed.error, PathNotAllowed)
    assert library.project(TWO).calls == []


def test_a_job_from_zotero_takes_the_projects_selection(library: ScriptedLibrary) -> None:
    one = library.project(ONE)
    selection = ZoteroSelection(collections=("Tides",))
    one.project = replace(one.project, zotero=selection)
    one.step.release(3)
    library.project(TWO).step.release(3)
    jobs = made(library)
    ended(jobs, jobs.start(ONE, zotero=True).id)
    ended(jobs, jobs.start(TWO, zotero=True).id)
    assert [call.zotero for call in one.calls] == [selection]
    assert [call.zotero for call in library.project(TWO).calls] == [ZoteroSelection()]


def test_ids_cannot_be_guessed_and_unknown_ones_are_not_found(
    jobs: Jobs, library: ScriptedLibrary
) -> None:
    ids = {jobs.start(ONE).id for _ in range(5)}
    assert len(ids) == 5
    assert min(map(len, ids)) >= 20
    for call in (jobs.get, jobs.cancel, jobs.events):
        with pytest.raises(NotFound):
            call("nobody")
    library.project(ONE).step.release(3)
    assert jobs.close(PATIENCE)
