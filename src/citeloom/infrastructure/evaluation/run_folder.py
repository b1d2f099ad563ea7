"""Saved evaluation runs, as JSON files in a folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from citeloom.application.evaluate.saved_runs import RunFile, RunFiles
from citeloom.domain.errors import InvalidQrels
from citeloom.domain.evaluation.measures import EvaluationRun

_MAKE_ONE = "Save a run with `citeloom eval run --output RUN.json`."
_MOST = 200
_MOST_BYTES = 64 << 20


class RunFolder(RunFiles):
    """The files `*.json` directly in a folder, the 200 written last; larger ones than 64 MB are
    called unreadable. `parse` reads one of them.
    """

    def __init__(self, folder: Path, parse: Callable[[Path], EvaluationRun]) -> None:
        self._folder = folder
        self._parse = parse

    def files(self) -> list[RunFile]:
        found = []
        for path in self._folder.glob("*.json"):
            with suppress(FileNotFoundError):  # it is replaced, or was just deleted
                state = path.stat()
                found.append(RunFile(path.name, (state.st_mtime_ns, state.st_size)))
        return sorted(found, key=lambda file: (file.version, file.name), reverse=True)[:_MOST]

    def read(self, name: str) -> EvaluationRun:
        path = self._folder / name
        try:
            is_large = path.stat().st_size > _MOST_BYTES
        except OSError as error:
            raise InvalidQrels(f"{name} cannot be read: {error.strerror}", _MAKE_ONE) from error
        if is_large:
            raise InvalidQrels(f"{name} is larger than {_MOST_BYTES >> 20} MB", _MAKE_ONE)
        return self._parse(path)
