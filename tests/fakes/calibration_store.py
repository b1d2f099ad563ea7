"""Calibrations in memory."""

from __future__ import annotations

from citeloom.application.ports.records import CalibrationStore
from citeloom.domain.answers.calibration import Calibration


class InMemoryCalibrations(CalibrationStore):
    """Keeps the last calibration of each collection."""

    def __init__(self) -> None:
        self._kept: dict[str, Calibration] = {}

    def get(self, collection: str) -> Calibration | None:
        return self._kept.get(collection)

    def put(self, calibration: Calibration) -> None:
        self._kept[calibration.collection] = calibration
