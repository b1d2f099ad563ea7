"""Evaluation runs that were saved, and two of them compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.evaluate.saved_runs import RunFile, RunFiles, compare_saved, saved_runs
from citeloom.application.open_project import OpenProject
from citeloom.domain.errors import InvalidQrels, NotFound
from citeloom.domain.evaluation.measures import EvaluationRun
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import RYE, Library, open_project, paper
from tests.unit.application.test_evaluate import REQUEST, evaluated


class InMemoryRunFiles(RunFiles):
    """Runs by name; None is a file that is no run."""

    def __init__(self, runs: dict[str, EvaluationRun | None]) -> None:
        self.runs = runs
        self.reads: list[str] = []

    def files(self) -> list[RunFile]:
        return [RunFile(name, (id(run), 0)) for name, run in self.runs.items()]

    def read(self, name: str) -> EvaluationRun:
        self.reads.append(name)
        run = self.runs[name]
        if run is None:
            raise InvalidQrels(f"{name} is no run")
        return run


@pytest.fixture
def project() -> OpenProject:
    library = Library({"papers/a.txt": paper("wheat", sections=5)})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return open_project(library)


@pytest.fixture
def files(project: OpenProject) -> InMemoryRunFiles:
    run = evaluated(project, REQUEST)
    day = run.provenance.created_at
    later = replace(run.provenance, created_at=day.replace(year=day.year + 1))
    elsewhere = replace(run.provenance, collection="another")
    return InMemoryRunFiles(
        {
            "old.json": run,
            "new.json": replace(run, provenance=later),
            "other.json": replace(run, provenance=elsewhere),
            "notes.json": None,
        }
    )


def test_the_runs_of_the_project_are_listed_newest_first(
    project: OpenProject, files: InMemoryRunFiles
) -> None:
    saved = saved_runs(project, files)
    assert [run.name for run in saved.runs] == ["new.json", "old.json"]
    assert (saved.unreadable, saved.others) == (("notes.json",), 1)
    [mode] = saved.runs[0].run.modes
    assert (mode.answers, mode.overall.questions) == ((), 2)


def test_a_file_is_read_again_once_it_has_changed(
    project: OpenProject, files: InMemoryRunFiles
) -> None:
    saved_runs(project, files)
    saved_runs(project, files)
    assert sorted(files.reads) == sorted(files.runs)
    files.runs["notes.json"] = files.runs.pop("old.json")
    saved = saved_runs(project, files)
    assert [run.name for run in saved.runs] == ["new.json", "notes.json"]
    assert files.reads[4:] == ["notes.json"]


def test_two_runs_are_compared_with_their_answers(
    project: OpenProject, files: InMemoryRunFiles
) -> None:
    compared = compare_saved(project, files, "old.json", "new.json")
    [mode] = compared.modes
    assert {each.difference for each in mode.differences} == {0.0}
    count = len(files.reads)
    assert compare_saved(project, files, "old.json", "new.json") is compared
    assert len(files.reads) == count
    assert compare_saved(project, files, "new.json", "old.json") is not compared


@pytest.mark.parametrize("name", ["other.json", "notes.json", "../secret.json"])
def test_what_is_no_run_of_the_project_is_not_compared(
    project: OpenProject, files: InMemoryRunFiles, name: str
) -> None:
    with pytest.raises(NotFound, match="no saved run"):
        compare_saved(project, files, "old.json", name)
