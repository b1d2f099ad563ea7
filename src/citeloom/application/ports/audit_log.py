"""The audit log of changes to a project."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Protocol


class AuditLog(Protocol):
    """An append-only log of the changes to each project."""

    @abstractmethod
    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        """Add one JSON-ready record; it is durable once this returns."""
        ...
