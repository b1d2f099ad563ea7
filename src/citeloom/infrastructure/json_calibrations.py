"""Calibrations as JSON files, one a collection."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from citeloom.application.ports.records import CalibrationStore
from citeloom.domain.answers.calibration import Calibration

_CALIBRATION = TypeAdapter(Calibration)


class JsonCalibrations(CalibrationStore):
    """Keeps `<folder>/<collection>.json`; each write replaces the whole file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, collection: str) -> Calibration | None:
        try:
            text = self._path(collection).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return _CALIBRATION.validate_json(text)
        except ValidationError:
            return None

    def put(self, calibration: Calibration) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(calibration.collection)
        part = path.with_suffix(".part")
        with part.open("wb") as stream:
            stream.write(_CALIBRATION.dump_json(calibration, indent=2) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)

    def _path(self, collection: str) -> Path:
        return self._folder / f"{collection}.json"
