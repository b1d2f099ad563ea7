"""The port to the record of what was done."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol


class AuditLog(Protocol):
    """An append-only record of what was done to a project."""

    @abstractmethod
    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        """Add one JSON-ready record; it survives a killed process once this returns."""
        ...
