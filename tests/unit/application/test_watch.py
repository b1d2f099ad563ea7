"""Watching folders: what is read when, and what is never removed by mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from citeloom.application.events import ReadEvent, RunEvent, RunFailed, RunReported, SourcesAbsent
from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.sources import SourceFiles
from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest, PaceRequest
from citeloom.application.watching import SettledFiles, Watch, ZoteroWatch
from citeloom.application.zotero.ingest_zotero import IngestZotero
from citeloom.domain.errors import (
    CiteloomError,
    IndexUnavailable,
    InvalidFilter,
    LibraryLocked,
    SourceUnavailable,
)
from tests.fakes.clock import NOON, SetClock
from tests.fakes.folder_changes import SetFolderChanges
from tests.fakes.source_files import InMemorySourceFiles
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.library import PROJECT, Library, open_project, paper
from tests.unit.application.zotero_project import ZoteroProject

PDF = frozenset({".pdf"})
RYE, OATS = "papers/rye.pdf", "papers/oats.pdf"
NOW_NS = int(NOON.timestamp() * 1e9)


class Told:
    """Writes down what a watch tells."""

    def __init__(self) -> None:
        self.reports: list[IngestReport] = []
        self.errors: list[CiteloomError] = []
        self.doubtful: list[tuple[str, ...]] = []

    def read(self, event: RunEvent) -> None:
        match event:
            case RunReported(report=report):
                self.reports.append(report)
            case RunFailed(error=error):
                self.errors.append(error)
            case SourcesAbsent(sources=sources):
                self.doubtful.append(sources)
            case _:
                pass


class Desk:
    """A watched library; each of `steps` is taken while the watch rests, then it is stopped."""

    def __init__(self, library: Library, *steps: Callable[[], object], sweep: float = 60) -> None:
        self.library = library
        self.told = Told()
        self.changes = SetFolderChanges(library.clock)
        self.changes.meanwhile = self._step
        self.steps: Iterator[Callable[[], object]] = iter(steps)
        self._over = False
        self._sweep = sweep

    def _step(self) -> None:
        step = next(self.steps, None)
        if step is None:
            self._over = True
        else:
            step()

    def ingest(self, files: SourceFiles, request: IngestRequest, send: ReadEvent) -> IngestReport:
        project = open_project(self.library, files=files)
        return ingest(replace(self.library.parts(), project=project), request, send)

    def run(
        self,
        ingest: Callable[[SourceFiles, IngestRequest, ReadEvent], IngestReport] | None = None,
    ) -> Told:
        watch = Watch(
            sources=("papers",),
            suffixes=PDF,
            files=self.library.files,
            changes=self.changes,
            clock=self.library.clock,
            ingest=ingest or self.ingest,
            pace=PaceRequest(settle_seconds=2, sweep_seconds=self._sweep),
        )
        watch(IngestRequest(stop=Cancellation(lambda: self._over)), self.told.read)
        return self.told


def changing(desk: Desk, change: Callable[[], object]) -> Callable[[], None]:
    """A step that changes files, and has it noticed."""

    def step() -> None:
        change()
        desk.changes.change()

    return step


def watched(library: Library, *changes: Callable[[Library], object]) -> Told:
    """What a watch tells while the library changes."""
    desk = Desk(library)
    desk.steps = iter([changing(desk, partial(change, library)) for change in changes])
    return desk.run()


def test_what_is_there_is_ingested_at_the_start() -> None:
    told = watched(Library({RYE: paper("rye")}))
    assert [report.indexed for report in told.reports] == [[RYE]]


def test_new_changed_renamed_and_deleted_files_follow() -> None:
    library = Library({RYE: paper("rye")})
    told = watched(
        library,
        lambda one: one.files.write(OATS, paper("oats")),
        lambda one: one.files.write(OATS, paper("naked oats")),
        lambda one: one.files.move(RYE, "papers/winter.pdf"),
        lambda one: one.files.remove(OATS),
    )
    assert [report.indexed for report in told.reports] == [[RYE], [OATS], [OATS], [], []]
    assert told.reports[3].moved == ["papers/winter.pdf"]
    assert told.reports[4].pruned == [OATS]
    assert library.sources().keys() == {"papers/winter.pdf"}


def test_a_run_that_changes_nothing_is_not_told() -> None:
    assert len(watched(Library({RYE: paper("rye")}), lambda _: None).reports) == 1


def test_a_sweep_finds_what_nobody_noticed() -> None:
    library = Library({RYE: paper("rye")})
    desk = Desk(library, lambda: library.files.write(OATS, paper("oats")), *[int] * 200)
    assert [report.indexed for report in desk.run().reports] == [[RYE], [OATS]]


def test_an_empty_source_may_be_an_unmounted_one() -> None:
    library = Library({RYE: paper("rye")})
    library.ingest(IngestRequest(sources=("papers",)))
    library.files.remove(RYE)
    told = watched(library)
    assert told.doubtful == [("papers",)]
    assert told.reports == []
    assert library.sources().keys() == {RYE}


def test_a_source_that_was_seen_to_be_emptied_is_emptied() -> None:
    library = Library({RYE: paper("rye")})
    told = watched(library, lambda one: one.files.remove(RYE))
    assert told.doubtful == []
    assert told.reports[1].pruned == [RYE]
    assert library.stored() == {}


def test_a_watch_removes_no_half_of_a_folder_that_went_before_it_began() -> None:
    names = [f"papers/{number}.pdf" for number in range(6)]
    library = Library({name: paper(f"rye {name}") for name in names})
    library.ingest(IngestRequest(sources=("papers",)))
    for name in names[:4]:
        library.files.remove(name)
    told = watched(library, lambda _: None)
    assert [len(report.withheld) for report in told.reports] == [1]
    assert library.sources().keys() == set(names)


def test_a_watch_removes_many_that_it_saw_go() -> None:
    names = [f"papers/{number}.pdf" for number in range(6)]
    library = Library({name: paper(f"rye {name}") for name in names})

    def remove(one: Library) -> None:
        for name in names[:4]:
            one.files.remove(name)

    assert watched(library, remove).reports[1].pruned == names[:4]


def test_documents_stay_while_a_folder_is_another_one_than_at_the_start() -> None:
    library = Library({RYE: paper("rye")})
    desk = Desk(library)

    def unmount() -> None:
        library.files.remove(RYE)
        desk.changes.intact = False

    desk.steps = iter([changing(desk, unmount), changing(desk, lambda: None)])
    assert desk.run().doubtful == [("papers",)]
    assert library.sources().keys() == {RYE}


def test_an_error_is_told_and_the_next_run_goes_on() -> None:
    library = Library({RYE: paper("rye")})
    desk = Desk(library)
    runs = iter([True, False, True])

    def ingest_or_fail(files: SourceFiles, request: IngestRequest, send: ReadEvent) -> IngestReport:
        if not next(runs):
            raise IndexUnavailable("the disk sleeps")
        return desk.ingest(files, request, send)

    oats = changing(desk, lambda: library.files.write(OATS, paper("oats")))
    desk.steps = iter([oats, changing(desk, lambda: None)])
    told = desk.run(ingest_or_fail)
    assert [error.code for error in told.errors] == ["INDEX_UNAVAILABLE"]
    assert [report.indexed for report in told.reports] == [[RYE], [OATS]]
    assert desk.changes.closed


def test_an_error_of_the_first_run_ends_the_watch() -> None:
    def refuse(*_: object) -> IngestReport:
        raise IndexUnavailable("no store")

    desk = Desk(Library({RYE: paper("rye")}))
    with pytest.raises(IndexUnavailable):
        desk.run(refuse)
    assert desk.changes.closed


def test_a_file_being_written_waits_until_it_stands_still() -> None:
    library = Library({RYE: paper("rye")})
    desk = Desk(library)

    def write() -> None:
        now = int(library.clock.now().timestamp() * 1e9)
        library.files.write(OATS, paper("half of the oats"), modified_ns=now)

    desk.steps = iter([changing(desk, write), *[int] * 20])
    told = desk.run()
    assert [report.indexed for report in told.reports] == [[RYE], [OATS]]


def test_while_a_file_is_written_none_is_removed() -> None:
    """It may be the one that is missing, under another name."""
    library = Library({RYE: paper("rye"), OATS: paper("oats")})
    desk = Desk(library)

    def rewrite() -> None:
        library.files.remove(OATS)
        now = int(library.clock.now().timestamp() * 1e9)
        library.files.write("papers/barley.pdf", paper("oats"), modified_ns=now)

    desk.steps = iter([changing(desk, rewrite), *[int] * 20])
    told = desk.run()
    assert [report.pruned for report in told.reports] == [[], []]
    assert told.reports[1].moved == ["papers/barley.pdf"]


def settled(files: InMemorySourceFiles, clock: SetClock) -> SettledFiles:
    return SettledFiles(files, clock=clock, seconds=2)


def names(files: SettledFiles) -> list[str]:
    return [file.name for file in files.find(("papers",), PDF).files]


def test_a_file_in_the_future_settles_by_standing_still() -> None:
    files, clock = InMemorySourceFiles(), SetClock()
    files.write(RYE, "rye", modified_ns=NOW_NS + 10**15)
    view = settled(files, clock)
    assert names(view) == []
    assert view.unsettled == {RYE}
    clock.pass_seconds(2)
    assert names(view) == [RYE]
    assert view.unsettled == frozenset()


def test_a_file_that_changes_again_waits_again() -> None:
    files, clock = InMemorySourceFiles(), SetClock()
    view = settled(files, clock)
    for _ in range(3):
        now = int(clock.now().timestamp() * 1e9)
        files.write(RYE, f"rye until {now}", modified_ns=now)
        assert names(view) == []
        clock.pass_seconds(1.5)
    clock.pass_seconds(0.5)
    assert names(view) == [RYE]


def test_whether_a_file_is_there_does_not_wait() -> None:
    files = InMemorySourceFiles()
    files.write(RYE, "rye", modified_ns=NOW_NS)
    view = settled(files, SetClock())
    assert view.find((RYE,), frozenset()).missing == ()
    assert view.content_hash(files.find((RYE,), PDF).files[0].path)


@pytest.mark.parametrize("times", [{"settle_seconds": -1.0}, {"sweep_seconds": 0.0}])
def test_impossible_times_are_refused(times: dict[str, float]) -> None:
    with pytest.raises(InvalidFilter):
        PaceRequest(**times)


def test_the_project_is_the_one_of_the_library() -> None:
    library = Library({RYE: paper("rye")})
    assert {report.project for report in watched(library).reports} == {PROJECT.id}


class ZoteroDesk:
    """A project that follows its Zotero; `every` so many half seconds of rest a step is taken."""

    def __init__(
        self, *steps: Callable[[ZoteroProject], object], every: int = 8, sweep: float = 60
    ) -> None:
        self.project = ZoteroProject()
        self.project.ingest()
        self.zotero = MemoryZotero(self.project.content)
        self.told = Told()
        self.clock = SetClock()
        self.times: list[float] = []
        self._steps, self._every, self._sweep = iter(steps), every, sweep
        self._pauses = 0
        self._over = False

    def run(self, *failures: CiteloomError | None) -> Told:
        """What is told; the first runs end with the `failures`, if any."""
        errors = iter(failures)

        def sync(request: IngestRequest, send: ReadEvent) -> IngestReport:
            self.times.append(self.clock.monotonic())
            if error := next(errors, None):
                raise error
            parts = self.project.library.parts()
            return IngestZotero(parts=parts, reach=lambda: self.zotero).sync(request, send)

        watch = ZoteroWatch(
            zotero=self.reach,
            clock=self.clock,
            sync=sync,
            pace=PaceRequest(settle_seconds=2, sweep_seconds=self._sweep),
            pause=self._pause,
        )
        watch(IngestRequest(stop=Cancellation(lambda: self._over)), self.told.read)
        return self.told

    def reach(self) -> MemoryZotero:
        return self.zotero

    def _pause(self, seconds: float) -> None:
        self._pauses += 1
        self.clock.pass_seconds(seconds)
        if self._pauses % self._every:
            return
        step = next(self._steps, None)
        if step is None:
            self._over = True
        else:
            step(self.project)
            self.zotero.contents = (self.project.content,)


def nothing(_project: ZoteroProject) -> None:
    """Time passes."""


def retitle(project: ZoteroProject) -> None:
    project.retitle(0, title=f"{project.item(0).title}, again")


def test_what_changes_in_zotero_is_followed_and_named() -> None:
    desk = ZoteroDesk(
        lambda one: one.attach("PDFAAAA9", one.item(2).key, paper("millet")),
        lambda one: one.change(0, tags=()),
        lambda one: one.bin(1),
        nothing,
    )
    fenn = [item.citekey for item in desk.project.content.items]
    added, changed, removed = (report.changes for report in desk.run().reports[1:])
    assert added["added"] == [f"@{fenn[2]}  storage/PDFAAAA9/PDFAAAA9.txt"]
    assert changed["changed"] == [f"@{fenn[0]}  storage/PDFAAAA2/PDFAAAA2.txt"]
    assert removed["removed"] == [f"@{fenn[1]}  storage/PDFAAAA3/PDFAAAA3.txt"]
    assert [sum(map(len, one.values())) for one in (changed, removed)] == [1, 1]


def test_nothing_is_read_while_zotero_writes() -> None:
    desk = ZoteroDesk(*[retitle] * 20, *[nothing] * 8, every=1)
    desk.run()
    began, again = desk.times
    assert again - began == 20 * 0.5 + 2


def test_a_zotero_that_never_rests_is_read_at_the_sweep() -> None:
    desk = ZoteroDesk(*[retitle] * 44, every=1, sweep=10)
    desk.run()
    assert [after - before for before, after in pairwise(desk.times)] == [10.0, 10.0]


def test_without_stamps_only_sweeps_read_zotero() -> None:
    desk = ZoteroDesk(lambda one: one.bin(0), *[nothing] * 4, sweep=12)
    desk.zotero.stamped = False
    assert [len(report.pruned) for report in desk.run().reports] == [0, 1]


def test_a_sync_that_fails_is_sent_and_repeated() -> None:
    desk = ZoteroDesk(lambda one: one.bin(0), *[nothing] * 4, sweep=8)
    told = desk.run(None, LibraryLocked("it kept changing", "Wait."))
    assert [error.code for error in told.errors] == ["LIBRARY_LOCKED"]
    assert [len(report.pruned) for report in told.reports] == [0, 1]


def test_a_first_sync_that_fails_ends_the_watch() -> None:
    with pytest.raises(SourceUnavailable):
        ZoteroDesk().run(SourceUnavailable("no Zotero", "Start it."))


def test_a_zotero_that_writes_when_the_watch_begins_is_read_once_it_rests() -> None:
    desk = ZoteroDesk(*[retitle] * 4, *[nothing] * 6, every=1)
    told = desk.run(LibraryLocked("it kept changing", "Wait."))
    assert ([error.code for error in told.errors], len(told.reports)) == (["LIBRARY_LOCKED"], 1)
    assert [after - before for before, after in pairwise(desk.times)] == [4 * 0.5 + 2]


def test_a_database_that_cannot_be_looked_at_is_no_change() -> None:
    class Gone(ZoteroDesk):
        def reach(self) -> MemoryZotero:
            raise SourceUnavailable("no Zotero", "Start it.")

    assert len(Gone(lambda one: one.bin(0), nothing).run().reports) == 1
