"""An in-memory `AuditLog`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from citeloom.application.ports.records import AuditLog


class InMemoryAuditLog(AuditLog):
    """Keeps the lines by project, as JSON, so that later changes to a record do not reach it."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def append(self, project_id: str, record: Mapping[str, object]) -> None:
        self._lines.setdefault(project_id, []).append(json.dumps(dict(record), allow_nan=False))

    def records(self, project_id: str) -> list[object]:
        """What was appended to a project, in order."""
        return [json.loads(line) for line in self._lines.get(project_id, [])]
