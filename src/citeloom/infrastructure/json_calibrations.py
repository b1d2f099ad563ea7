"""Calibrations as JSON files, one a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from citeloom.application.ports.records import CalibrationStore
from citeloom.domain.answers.calibration import Calibration
from citeloom.infrastructure.whole_file import SHARED, replace_file


class _CalibrationFile(BaseModel):
    """A calibration by another rule of evidence, or of none, is not read: its thresholds are of
    other values. The second rule is that of ADR 65.
    """

    rule: Literal[2]
    calibration: Calibration


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
            return _CalibrationFile.model_validate_json(text).calibration
        except ValidationError:
            return None

    def put(self, calibration: Calibration) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(calibration.collection)
        written = _CalibrationFile(rule=2, calibration=calibration)
        replace_file(path, written.model_dump_json(indent=2).encode() + b"\n", mode=SHARED)

    def _path(self, collection: str) -> Path:
        return self._folder / f"{collection}.json"
