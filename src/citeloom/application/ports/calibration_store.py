"""Where calibrations are kept."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from citeloom.domain.answers.calibration import Calibration


class CalibrationStore(Protocol):
    """The last calibration of each collection. A write is durable once it returns."""

    @abstractmethod
    def get(self, collection: str) -> Calibration | None:
        """The calibration of a collection; None where there is none that can be read."""
        ...

    @abstractmethod
    def put(self, calibration: Calibration) -> None:
        """Store a calibration, replacing that of the same collection."""
        ...
