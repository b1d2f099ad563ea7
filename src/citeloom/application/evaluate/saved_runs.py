"""The evaluation runs of a project that were saved, and the comparison of two of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from citeloom.application.open_project import OpenProject
from citeloom.domain.errors import InvalidQrels, NotFound
from citeloom.domain.evaluation.comparison import RunComparison, compare
from citeloom.domain.evaluation.measures import EvaluationRun


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file that may be a run, and what changes whenever it is written."""

    name: str
    version: tuple[int, int]


class RunFiles(Protocol):
    """The folder of saved runs."""

    @abstractmethod
    def files(self) -> Sequence[RunFile]:
        """The files in it, the one written last first; none without the folder."""

    @abstractmethod
    def read(self, name: str) -> EvaluationRun:
        """The run in a file of `files`. Raises `InvalidQrels` if it is not one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A run by the name of its file, without the answers to its questions."""

    name: str
    run: EvaluationRun


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRuns:
    """The runs over a project's collection, newest first, the files that are no runs, and how many
    runs are of something else.
    """

    runs: tuple[SavedRun, ...]
    unreadable: tuple[str, ...]
    others: int


class SavedRunCache:
    """The runs without their answers, and the last comparison, until their files are changed."""

    def __init__(self) -> None:
        self._runs: dict[RunFile, EvaluationRun | None] = {}
        self._compared: tuple[tuple[RunFile, RunFile], RunComparison] | None = None

    def runs(self, source: RunFiles) -> dict[RunFile, EvaluationRun | None]:
        """The run of each file; None for a file that is none."""
        self._runs = {
            file: self._runs[file] if file in self._runs else _without_answers(source, file.name)
            for file in source.files()
        }
        return self._runs

    def comparison(self, source: RunFiles, before: RunFile, after: RunFile) -> RunComparison:
        """The comparison of two files. Raises `InvalidQrels` where they have nothing in common."""
        if self._compared is None or self._compared[0] != (before, after):
            compared = compare(source.read(before.name), source.read(after.name))
            self._compared = (before, after), compared
        return self._compared[1]


def saved_runs(project: OpenProject, source: RunFiles) -> SavedRuns:
    """The saved runs of a project."""
    runs = project.kept(SavedRunCache).runs(source)
    own = _own(project, runs)
    saved = [SavedRun(name=file.name, run=run) for file, run in own.items()]
    unreadable = tuple(file.name for file, run in runs.items() if run is None)
    return SavedRuns(
        runs=tuple(
            sorted(saved, key=lambda one: (one.run.provenance.created_at, one.name), reverse=True)
        ),
        unreadable=unreadable,
        others=len(runs) - len(own) - len(unreadable),
    )


def compare_saved(project: OpenProject, source: RunFiles, before: str, after: str) -> RunComparison:
    """The second of two saved runs against the first.

    Raises `NotFound` for a name that no run of the project has, `InvalidQrels` where the two have
    no question and mode in common.
    """
    cache = project.kept(SavedRunCache)
    own = {file.name: file for file in _own(project, cache.runs(source))}
    for name in (before, after):
        if name not in own:
            raise NotFound(
                f"project '{project.id}' has no saved run '{name}'",
                "Save one with `citeloom eval run --output`.",
            )
    return cache.comparison(source, own[before], own[after])


def _own(
    project: OpenProject, runs: dict[RunFile, EvaluationRun | None]
) -> dict[RunFile, EvaluationRun]:
    return {
        file: run
        for file, run in runs.items()
        if run is not None and run.provenance.collection == project.collection
    }


def _without_answers(source: RunFiles, name: str) -> EvaluationRun | None:
    try:
        run = source.read(name)
    except InvalidQrels:
        return None
    return replace(run, modes=tuple(replace(mode, answers=()) for mode in run.modes))
